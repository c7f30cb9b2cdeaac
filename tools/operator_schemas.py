#!/usr/bin/env python3
"""Writes compiler/operators/schemas.inc: the element types and attributes that operators take, by opset: ONNX's, and of
com.microsoft's what onnxruntime registers.

    pip install onnx==1.23.2 onnxruntime==1.32.0
    python3 tools/operator_schemas.py > compiler/operators/schemas.inc

compiler/operators/schema.cpp reads it and says how. Only operators in docs/operators.md are written.
"""
import pathlib
import re

import onnx
import onnxruntime
from onnx import TensorProto, defs
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

KINDS = {"FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g", "SPARSE_TENSOR": "x", "TYPE_PROTO": "p",
         "FLOATS": "F", "INTS": "I", "STRINGS": "S", "TENSORS": "T", "GRAPHS": "G", "SPARSE_TENSORS": "X",
         "TYPE_PROTOS": "P"}
# The type constraints' words for TensorProto.DataType, where they are not its names in lower case.
WORDS = {"float16": "FLOAT16"}


def known_operators():
    domain, names = None, set()
    for line in (pathlib.Path(__file__).parent.parent / "docs" / "operators.md").read_text().splitlines():
        if heading := re.match(r"## (\S+):", line):
            domain = "" if heading[1] == "ai.onnx" else heading[1]
        elif domain is not None and (row := re.match(r"\| (\w+) \|", line)) and row[1] != "Operator":
            names.add((domain, row[1]))
    return names


def mask(types):
    bits = 0
    for word in types:
        if tensor := re.fullmatch(r"tensor\((\w+)\)", word):
            bits |= 1 << TensorProto.DataType.Value(WORDS.get(tensor[1], tensor[1].upper()))
    return bits


def inputs(schema):
    variables = []
    for parameter in schema.inputs:
        variable = parameter.type_str if hasattr(parameter, "type_str") else parameter.typeStr  # onnxruntime's
        if variable not in variables and "(" not in variable:
            variables.append(variable)
        letter = "-" if "(" in variable else chr(ord("a") + variables.index(variable))
        many = ""
        if parameter.option.name.lower() == "variadic":
            many = "*" if getattr(parameter, "is_homogeneous", getattr(parameter, "isHomogeneous", True)) else "%"
        yield f"{letter}{mask(parameter.types):x}{many}"


def attributes(schema):
    for name, attribute in sorted(schema.attributes.items()):
        kind = getattr(attribute.type, "name", None) or str(attribute.type).split(".")[-1]
        yield f"{name}:{KINDS[kind]}{'!' if attribute.required else ''}"


def literal(words, indent):
    """The words as adjacent string literals, a line each of what fits."""
    lines, line = [], ""
    for word in words:
        if line and len(indent) + len(line) + len(word) + 6 > 120:
            lines.append(line + " ")
            line = word
        else:
            line = f"{line} {word}".strip()
    lines.append(line)
    return f"\n{indent}".join(f'"{line}"' for line in lines)


def main():
    known = known_operators()
    registered = [s for s in get_all_operator_schema() if s.domain == "com.microsoft"]
    schemas = [s for s in defs.get_all_schemas_with_history() + registered
               if (s.domain, s.name) in known and not s.deprecated]
    schemas.sort(key=lambda s: (s.domain, s.name, s.since_version))
    print(f"// Written by tools/operator_schemas.py from the PyPI packages onnx {onnx.__version__} and onnxruntime "
          f"{onnxruntime.__version__}; schema.cpp reads it.")
    for s in schemas:
        parts = [f'{{"{s.domain}", "{s.name}", {s.since_version},',
                 f'{literal(list(inputs(s)), " ")},', f'{literal(list(attributes(s)), " ")}}},']
        line = " ".join(parts)
        print(line if len(line) <= 120 and "\n" not in line else "\n ".join(parts))


if __name__ == "__main__":
    main()
