// The elements of a tensor as ONNX's textual format writes them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "compiler/graph/graph.hpp"

namespace loam::onnxtext {

// In quotes, with a backslash before quotes and backslashes: the format has no other escapes.
std::string in_quotes(std::string_view text);

// Appends "{1, 2.5, nan}" to the text. Many elements are broken into lines of 120 columns that begin at `indent`. A tensor
// without data is "{}".
void print_elements(const TensorData& tensor, std::size_t indent, std::string& out);

}  // namespace loam::onnxtext
