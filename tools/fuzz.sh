#!/usr/bin/env bash
# What `make fuzz` does: runs the fuzzers of the readers under the address and undefined sanitizers for FUZZ_SECONDS each
# (600), JOBS at once. What they find new lies in build/fuzz/NAME; a crash fails, and belongs in tests/fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v clang++-19 >/dev/null; then
  echo "fuzz: libFuzzer comes with clang 19, which is not installed" >&2
  exit 1
fi
fuzzers=()
for source in tests/fuzz/*_fuzzer.cpp; do fuzzers+=("$(basename "$source" .cpp)"); done
tools/build.sh asan "${fuzzers[@]}"

run() { # run FUZZER
  local name=${1%_fuzzer} found=build/fuzz/${1%_fuzzer}
  mkdir -p "$found"
  if "build/asan/tests/$1" "$found" "tests/fuzz/corpus/$name" -max_total_time="${FUZZ_SECONDS:-600}" -timeout=10 \
    -rss_limit_mb=2048 -artifact_prefix="$found/" -print_final_stats=1 >"build/fuzz/$name.log" 2>&1; then
    echo "== $name: clean, $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name.log") inputs"
  else
    echo "== $name: FAILED, see build/fuzz/$name.log"
    return 1
  fi
}
export -f run
export FUZZ_SECONDS
printf '%s\n' "${fuzzers[@]}" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -euc 'run {}'
