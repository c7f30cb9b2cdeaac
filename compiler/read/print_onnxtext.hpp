// Writes ONNX's textual format, laid out for people and for a diff.
#pragma once

#include <string>

#include "compiler/graph/graph.hpp"

namespace loam {

// read_onnxtext() of the text gives the same Model, for every Model that read_onnx() or read_onnxtext() gave; only of a
// NaN the bits beyond its sign are lost. onnx.parser reads it too, but for what ONNX has no text for (onnxtext.hpp):
// sparse tensors, lists of tensors, graphs and types, and names that are no identifiers where it wants one, which are
// those of operators, domains, attributes, graphs in attributes and tensors in attributes.
std::string print_onnxtext(const Model& model);

}  // namespace loam
