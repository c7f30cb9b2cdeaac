#!/usr/bin/env python3
"""Writes tests/docs/examples.txt: of each operator one of ONNX's own examples, a node, its operator's name before it.

    pip install onnx==1.23.2 onnxruntime==1.32.0
    python3 tools/operator_examples.py > tests/docs/examples.txt

tests/docs/operators_test.cpp tries them at every opset and with every element type. What Loam must know at build time
is an initializer; every other input keeps its shape. Examples of operators that ONNX has none of, and of the forms of
older opsets, are in tests/docs/more_examples.txt.
"""
import warnings

import numpy as np
import onnx
from onnx import defs, numpy_helper
from onnx.backend.test.case.node import collect_testcases

from operator_schemas import known_operators

# Floats that decide the output's shape.
KNOWN_FLOATS = {("Resize", "roi"), ("Resize", "scales"), ("Upsample", "scales")}
FLOATS = {"tensor(float)", "tensor(double)"}


def parameters(schema, node):
    """The formal parameter of each of the node's inputs, and the name it has in the example."""
    for i, given in enumerate(node.input):
        formal = schema.inputs[min(i, len(schema.inputs) - 1)]
        many = i - len(schema.inputs) + 1
        yield given, formal, formal.name + (f"_{many}" if many > 0 else "")


def known_at_build(op, formal, value):
    if (op, formal.name) in KNOWN_FLOATS:
        return True
    if FLOATS & set(formal.types) or not isinstance(value, np.ndarray):
        return False
    return value.dtype in (bool, np.int32, np.int64) and value.size <= 8


def example(case):
    """Its graph as a line of text, behind what makes it better than another: a lesser tuple is."""
    graph = case.model.graph
    node = graph.node[0]
    opset = next(o.version for o in case.model.opset_import if o.domain == node.domain)
    if any(a.type == onnx.AttributeProto.GRAPH for a in node.attribute):
        return None  # a body's types would have to follow: ours hand on what they are given
    schema = defs.get_schema(node.op_type, opset, node.domain)
    if len(graph.input) != len(case.data_sets[0][0]):
        return None
    if any(i.type.WhichOneof("value") != "tensor_type" for i in graph.input):
        return None
    values = {i.name: v for i, v in zip(graph.input, case.data_sets[0][0])}
    made, names, variables = onnx.GraphProto(name="g"), [], set()
    for given, formal, name in parameters(schema, node):
        names.append(name if given else "")
        if not given:
            continue
        variables.add(formal.type_str)
        declared = next(i for i in graph.input if i.name == given)
        rest = [i for i in graph.input if i.name != given]
        if rest and known_at_build(node.op_type, formal, values[given]):
            made.initializer.append(numpy_helper.from_array(values[given], name))
        else:
            made.input.add(name=name).type.CopyFrom(declared.type)
    if not made.input:
        return None
    made.node.add().CopyFrom(node)
    del made.node[0].input[:]
    made.node[0].input.extend(names)
    for i, given in enumerate(node.output):
        if given:
            made.node[0].output[i] = f"out_{i}" if i else "out"
            made.output.add(name=made.node[0].output[i])
    text = " ".join(onnx.printer.to_text(made).split()).replace("( ", "(")
    # Every type variable has an input, nothing is empty, and the type is the one that the oldest opsets have too.
    empty = any(d.dim_value == 0 for i in made.input for d in i.type.tensor_type.shape.dim)
    return -len(variables), empty, "(float" not in text, len(text), text


def main():
    warnings.simplefilter("ignore")
    best = {}
    for case in collect_testcases(None):
        if len(case.model.graph.node) != 1 or not case.data_sets:
            continue
        node = case.model.graph.node[0]
        if (node.domain, node.op_type) in known_operators() and (found := example(case)):
            key = (node.domain, node.op_type)
            best[key] = min(best.get(key, found), found)
    for (domain, name), (*_, text) in sorted(best.items()):
        print(f"{domain + '.' if domain else ''}{name} {text}")


if __name__ == "__main__":
    main()
