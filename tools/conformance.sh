#!/usr/bin/env bash
# Runs ONNX's own test data; each case must do what tests/conformance/node.json expects of it, or pass.
#   tools/conformance.sh [FOLDER...]         every case of the folders: by default all in ../shared/onnx, or where that
#                                            is absent in Debian's libonnx-testdata
#   tools/conformance.sh --fast [FOLDER...]  those of tests/conformance/fast.txt: one or two cases an operator
# LOAM names the command, SHARED what stands for ../shared, JOBS how many processes run at once, JSON where the figures
# go. With SANITIZE=1 the modules are compiled by g++ under the address and undefined sanitizers, and a case that reads
# or writes outside its tensors, or does what C++ leaves undefined, fails. Ends with 77 where there are no cases.
set -euo pipefail
cd "$(dirname "$0")/.."

arguments=(--layout auto --jobs "${JOBS:-$(nproc)}" --expect tests/conformance/node.json)
[[ -z ${JSON:-} ]] || arguments+=(--json "$JSON")
if [[ ${1:-} == --fast ]]; then
  shift
  while read -r name; do arguments+=(--filter "$name"); done < <(sed '/^#/d' tests/conformance/fast.txt)
fi

folders=("$@")
if ((${#folders[@]} == 0)); then
  for data in "${SHARED:-../shared}/onnx" /usr/share/libonnx-testdata/data; do
    [[ -d $data/node ]] || continue
    for name in node simple light pytorch-operator pytorch-converted; do
      [[ ! -d $data/$name ]] || folders+=("$data/$name")
    done
    break
  done
fi
if ((${#folders[@]} == 0)); then
  echo "== Conformance: skipped, since neither ${SHARED:-../shared}/onnx nor Debian's libonnx-testdata is there"
  exit 77
fi

if [[ -n ${SANITIZE:-} ]]; then
  # The command is built without: the sanitizers' runtime comes before it, and leaves the compiler alone.
  preload=$(g++ -print-file-name=libasan.so)
  export CXX="env -u LD_PRELOAD g++" LOAM_CXXFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all"
  export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=abort_on_error=1
  export LD_PRELOAD=$preload
fi

echo "== Conformance: ${folders[*]}"
exec "${LOAM:-build/release/loam}" test "${folders[@]}" "${arguments[@]}"
