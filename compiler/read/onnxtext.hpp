// Reads ONNX's textual format (onnx/docs/Syntax.md): what onnx.parser reads and onnx.printer writes.
//
//   <ir_version: 10, opset_import: ["": 18]>
//   mlp (float[N, 4] x) => (float[N, 2] y) <float[4, 2] w = {}, float[2] b = {0., 1.}>
//   {
//     t = MatMul (x, w)
//     y = Add (t, b)
//   }
//
// A model is read as its protobuf form would be (onnx.hpp), and what is wrong is a diagnostic at "line:column". In
//   - an initializer without values, `float[4, 2] w = {}`, is one whose data a checkpoint supplies. So is a value that
//     the main graph declares in < > with a tensor type and numbers for dims, that is read, and that nothing defines;
//   - lists of tensors, graphs and types have their elements, which onnx.parser drops;
//   - what ONNX has no text for has a form that onnx.parser refuses: quotes are allowed wherever a name stands; a sparse
//     tensor is `sparse_tensor(float[4]) w = {float[2] {1, 2}, int64[2] {0, 3}}`, its values and their indices; '?' is
//     an element type that is not declared, `seq()` holds what is not declared, and `()` is a type that is not declared.
// Everything the text says is in the result: `text` need not outlive it.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/diagnostic.hpp"
#include "compiler/graph/graph.hpp"

namespace loam {

std::optional<Model> read_onnxtext(std::string_view text, Diagnostics& diagnostics);

}  // namespace loam
