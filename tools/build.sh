#!/usr/bin/env bash
# Configures and builds one preset: tools/build.sh PRESET [TARGET...]. Quiet where there is nothing to do. CONFIGURE is
# more for cmake, which remembers it for the preset.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
targets=()
if (($#)); then targets=(--target "$@"); fi

echo "== Building the preset $preset into build/$preset${*:+: $*}"
cmake --preset "$preset" ${CONFIGURE:-} >/dev/null # each time, half a second: the presets may have changed
cmake --build --preset "$preset" --parallel "${JOBS:-$(nproc)}" "${targets[@]}"
