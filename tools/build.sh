#!/usr/bin/env bash
# Configures and builds one preset: tools/build.sh PRESET [TARGET...]. Quiet where there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
targets=()
if (($#)); then targets=(--target "$@"); fi

echo "== Building the preset $preset into build/$preset${*:+: $*}"
if [[ ! -f build/$preset/build.ninja ]]; then cmake --preset "$preset"; fi # ninja configures again by itself
cmake --build --preset "$preset" --parallel "${JOBS:-$(nproc)}" "${targets[@]}"
