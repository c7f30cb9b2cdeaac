// Reads a graph file of any format.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "compiler/diagnostic.hpp"
#include "compiler/graph/graph.hpp"

namespace loam {

// The file's name says which format it is: .onnxtext is ONNX's text, and anything else its protobuf. The model may borrow
// from `file`, which must outlive it.
std::optional<Model> read_model(std::string_view file_name, std::span<const std::byte> file, Diagnostics& diagnostics);

}  // namespace loam
