#!/usr/bin/env python3
"""Writes tests/semantics/cases: small graphs over symbolic lengths with onnxruntime's answers, in the format of ONNX's
backend tests (model.onnx, test_data_set_<k>/{input,output}_<i>.pb), one data set for each choice of the lengths.

    pip install onnx==1.23.2 onnxruntime==1.32.0
    python3 tools/semantics_cases.py            # writes every case anew
    python3 tools/semantics_cases.py --check    # says which files would change, and fails where one would

The graphs are in tools/semantics/*.py as ONNX's textual form. Inputs are a function of the case's name alone, and the
answers are taken with graph optimizations off, so the files are the same on every machine.
"""
import argparse
import importlib
import pathlib
import shutil
import sys
import tempfile

import numpy as np
import onnx
import onnx.parser
import onnxruntime

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from semantics import FAMILIES, registry  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "semantics" / "cases"


class Stream:
    """Numbers that depend on nothing but the seed's text: a 32-bit linear congruence, whose high bits are taken."""

    def __init__(self, text):
        self.state = sum((i + 1) * byte for i, byte in enumerate(text.encode())) * 2654435761 & 0xFFFFFFFF

    def next(self, below):
        self.state = (self.state * 1664525 + 1013904223) & 0xFFFFFFFF
        return (self.state >> 8) % below


def values(stream, dtype, shape):
    count = int(np.prod(shape, dtype=np.int64))
    if dtype == np.bool_:
        flat = [stream.next(2) == 1 for _ in range(count)]
    elif np.issubdtype(dtype, np.floating):
        flat = [(stream.next(33) - 16) / 8 for _ in range(count)]  # exact in every float type
    else:
        flat = [stream.next(5) for _ in range(count)]
    return np.array(flat, dtype=dtype).reshape(shape)


def lengths(value_info, run):
    shape = []
    for dim in value_info.type.tensor_type.shape.dim:
        shape.append(eval(dim.dim_param, {}, run) if dim.HasField("dim_param") else dim.dim_value)
    return shape


def inputs_of(case, model, run, number):
    stream = Stream(f"{case.name}.{number}")
    feeds = {}
    for info in model.graph.input:
        dtype = onnx.helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
        given = run.get(info.name)
        feeds[info.name] = (values(stream, dtype, lengths(info, run)) if given is None
                            else np.array(given, dtype=dtype).reshape(lengths(info, run)))
    return feeds


def answers(model, feeds):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def write_tensor(path, name, array):
    path.write_bytes(onnx.numpy_helper.from_array(np.asarray(array), name).SerializeToString(deterministic=True))


def write(case, folder):
    ml = f', "ai.onnx.ml": {case.ml}' if "ai.onnx.ml." in case.graph else ""
    header = f'<ir_version: 9, opset_import: ["": {case.opset}{ml}]>\n'
    model = onnx.parser.parse_model(header + case.name + " " + case.graph)
    folder.mkdir(parents=True)
    serialized = model.SerializeToString(deterministic=True)
    (folder / "model.onnx").write_bytes(serialized)
    for number, run in enumerate(case.runs):
        feeds = inputs_of(case, model, run, number)
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        for i, (name, array) in enumerate(feeds.items()):
            write_tensor(data / f"input_{i}.pb", name, array)
        for i, array in enumerate(answers(serialized, feeds)):
            write_tensor(data / f"output_{i}.pb", model.graph.output[i].name, array)


def files(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("only", nargs="*", help="cases to try without writing: their lengths and answers are printed")
    options = parser.parse_args()
    for family in FAMILIES:
        importlib.import_module(f"semantics.{family}")
    with tempfile.TemporaryDirectory() as scratch:
        made = pathlib.Path(scratch) / "cases"
        failed = 0
        for case in registry:
            if options.only and case.name not in options.only:
                continue
            try:
                write(case, made / case.name)
            except Exception as error:  # every case that cannot be made is named, not the first alone
                failed += 1
                print(f"{case.name}: {str(error).splitlines()[0]}")
        if options.only:
            for path in sorted(made.rglob("output_*.pb")):
                array = onnx.numpy_helper.to_array(onnx.load_tensor(path))
                print(path.relative_to(made), array.shape, array.tolist())
            return failed
        before, after = files(HERE) if HERE.exists() else {}, files(made)
        changed = sorted(str(p) for p in before.keys() | after.keys() if before.get(p) != after.get(p))
        size = sum(map(len, after.values()))
        print(f"{len(registry)} cases, {size} bytes, {len(changed)} files changed (onnxruntime {onnxruntime.__version__})")
        if options.check:
            print(*changed, sep="\n")
            return int(failed or bool(changed))
        shutil.rmtree(HERE, ignore_errors=True)
        shutil.copytree(made, HERE)
        return int(failed != 0)


if __name__ == "__main__":
    sys.exit(main())
