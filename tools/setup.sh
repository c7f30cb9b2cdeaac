#!/usr/bin/env bash
# Installs with apt what Loam is built and tested with. Cheap where all of it is there: then apt is not asked at all.
# LOAM_SETUP=skip leaves the machine as it is, for those who bring their own.
set -euo pipefail

# Without these there is no build. Debian 12 has one version of each: g++ 12, cmake 3.25, fmt 9, nlohmann-json 3.11.
required=(g++ make cmake ninja-build nlohmann-json3-dev libfmt-dev libcli11-dev libgtest-dev)
# Without these there is a build: by g++ alone, without a compile cache, without benchmarks, without ONNX's own cases
# (libonnx-testdata, where ../shared/onnx is absent). clang's version is pinned, since its warnings are errors in the
# dev-clang preset. The last line is for WebAssembly: of the
# compiler, and of models, which node runs in a test.
optional=(clang-19 lld-19 libclang-rt-19-dev ccache libbenchmark-dev brotli libonnx-testdata
  wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32)

if [[ ${LOAM_SETUP:-} == skip ]]; then
  echo "== Setup: skipped (LOAM_SETUP=skip)"
  exit 0
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  missing=()
  for tool in g++ cmake ninja; do command -v $tool >/dev/null || missing+=("$tool"); done
  if ((${#missing[@]})); then
    echo "setup: this machine has no apt, and lacks: ${missing[*]}" >&2
    echo "setup: install them, and nlohmann-json, fmt, CLI11 and GoogleTest with their headers" >&2
    exit 1
  fi
  echo "== Setup: this machine has no apt; its own g++, cmake and ninja are used"
  exit 0
fi

# Prints those of the packages named that are not installed.
not_installed() {
  local package
  for package; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

mapfile -t need < <(not_installed "${required[@]}")
mapfile -t want < <(not_installed "${optional[@]}")
# What apt did not have is not asked for again on each run.
stamp="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/loam/apt-does-not-have"
if ((${#need[@]} == 0 && ${#want[@]})) && [[ -f $stamp && $(<"$stamp") == "${want[*]}" ]]; then
  echo "== Setup: installed, except what apt did not have before: ${want[*]} (rm $stamp to ask again)"
  exit 0
fi
if ((${#need[@]} + ${#want[@]} == 0)); then
  echo "== Setup: everything is installed"
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if command -v sudo >/dev/null; then
    as_root=(sudo)
  elif ((${#need[@]} == 0)); then
    echo "== Setup: going on without ${want[*]} (installing needs root or sudo)"
    exit 0
  else
    echo "setup: these packages are missing, and installing them needs root or sudo: ${need[*]}" >&2
    echo "setup: as root: apt-get update && apt-get install ${need[*]} ${want[*]}" >&2
    exit 1
  fi
fi
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@"
}

echo "== Setup: installing ${need[*]} ${want[*]}"
echo "== Setup: apt-get update"
apt update || echo "setup: apt-get update failed; trying with the lists that are there" >&2

absent=()
install=("${need[@]}")
for package in "${want[@]}"; do
  if apt-cache show "$package" >/dev/null 2>&1; then install+=("$package"); else absent+=("$package"); fi
done
if ((${#install[@]})); then
  echo "== Setup: apt-get install ${install[*]}"
  if ! apt install --no-install-recommends "${install[@]}"; then
    echo "setup: apt-get install failed" >&2
    exit 1
  fi
fi
if ((${#absent[@]})); then
  echo "== Setup: apt does not have ${absent[*]}; going on without"
  if [[ " ${absent[*]} " == *" clang-19 "* ]]; then echo "== Setup: g++ alone will be used"; fi
  if mkdir -p "$(dirname "$stamp")" 2>/dev/null; then echo "${absent[*]}" >"$stamp"; fi
fi
echo "== Setup: done"
