// Tensors of ONNX's textual format: float[2] t = {1, 2.5}, and what Loam adds to it for sparse ones.
//
// The values are read as onnx.parser reads them, into the field of a TensorProto that they would fill. A float16, a
// bfloat16 and a float8 are the integers that are their bits (15360 is 1.0), and of types of less than a byte an integer
// is a byte of packed elements, low bits first.
#pragma once

#include "compiler/graph/graph.hpp"
#include "compiler/read/onnx_tensor.hpp"
#include "compiler/read/onnxtext_cursor.hpp"

namespace loam::onnxtext {

// The tensor of that type, its data still to be read. A type that is no tensor's, or has a dim that is no number, breaks
// the format at the token.
TensorData tensor_of(Cursor& cursor, const Token& at, const ValueType& type);

// At '{' or '[': the tensor's elements, or the list of strings that says where they lie.
void read_data(Cursor& cursor, TensorData& tensor, MissingData missing);

// In an attribute, after the type: a name, '=' and the data, each of which may be absent, but for an initializer's data.
TensorData read_tensor(Cursor& cursor, const Token& at, const ValueType& type);

// At the '{' of a sparse tensor of that type: the values and their indices, {float[2] {1, 2}, int64[2] {0, 3}}. ONNX's
// format has none; this form is Loam's own.
SparseTensorData read_sparse_data(Cursor& cursor, const Token& at, const ValueType& type);

// ["key": "value", ...], which may be empty where nothing needs an entry.
std::vector<std::pair<std::string, std::string>> read_string_entries(Cursor& cursor);

// A number: an integer, a real, or a word that stands for one. Of more than the type holds, it is reported.
bool at_number(const Cursor& cursor);
float read_float(Cursor& cursor);

}  // namespace loam::onnxtext
