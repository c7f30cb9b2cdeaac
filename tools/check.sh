#!/usr/bin/env bash
# What `make check` and .ci/run do: install, build with both compilers, test. The tests of the release preset come last,
# so the output ends with ctest's summary. Stops at the first part that fails.
set -euo pipefail
cd "$(dirname "$0")/.."

times=()
part() { # part NAME COMMAND...
  local name=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  if ! "$@"; then
    printf '== %s FAILED after %d s\n' "$name" $((SECONDS - start)) >&2
    exit 1
  fi
  times+=("$(printf '%6d s  %s' $((SECONDS - start)) "$name")")
}

part "Setup" tools/setup.sh
# A build of its own for g++'s warnings took 11 of 33 minutes with an empty cache.
part "Build: release, g++ -O2, warnings as errors" env CONFIGURE=-DLOAM_WERROR=ON tools/build.sh release
if command -v clang++-19 >/dev/null; then
  part "Build: clang, warnings as errors" tools/build.sh dev-clang
  sanitized=asan
else
  echo "== clang 19 is not installed: checking with g++ alone"
  sanitized=asan-gcc
fi
if [[ -d /usr/include/wasm32-wasi/c++/v1 ]] && command -v clang++-19 >/dev/null; then
  part "The compiler library for wasm32-wasi, without exceptions" tools/build.sh wasi
fi
if compgen -G 'tests/fuzz/*_test.cpp' >/dev/null; then
  part "Malformed input under the address and undefined sanitizers: build" tools/build.sh $sanitized fuzz_test
  part "Malformed input under the address and undefined sanitizers: run" ctest --preset $sanitized -R '^fuzz_test$'
fi

printf '\n== Time of each part\n'
printf '%s\n' "${times[@]}"
printf '\n== Tests: release\n'
ctest --preset release --parallel "${JOBS:-$(nproc)}"
