// Attributes of ONNX's textual format: <axis = 1, mode: string = "linear", pads: ints = [0, 1], k: int = @k>.
#pragma once

#include <vector>

#include "compiler/graph/graph.hpp"
#include "compiler/read/onnxtext_cursor.hpp"

namespace loam::onnxtext {

// A node's, at '<'.
std::vector<Attribute> read_attributes(Cursor& cursor);
// A function's, at '<': those that have a default. A name alone declares one that has none; a name with a kind and no
// value has the default that protobuf gives that kind: 0, "" or nothing listed.
std::vector<Attribute> read_function_attributes(Cursor& cursor);

}  // namespace loam::onnxtext
