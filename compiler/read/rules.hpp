// What a model is held to whatever form its file has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/diagnostic.hpp"
#include "compiler/graph/graph.hpp"

namespace loam {

struct Fault {
  std::string message;
  Code code = Code::malformed_file;
};

// "float32[2, 3]".
std::string spelled_type(const TensorData& tensor);

// The tensor's dtype and dims: no dim is negative, and the elements can be counted.
std::optional<Fault> dims_fault(const TensorData& tensor);
// Its inline bytes are as many as it needs, and a bool among them is 0 or 1. Dims that have no fault are assumed.
std::optional<Fault> bytes_fault(const TensorData& tensor, std::span<const std::byte> bytes);

// Takes the keys and values that say where a tensor's data lies: a location inside the model's folder, an offset, and a
// length that is the one needed. Other keys mean nothing here.
std::optional<Fault> read_external_data(const TensorData& tensor,
                                        std::span<const std::pair<std::string, std::string>> entries,
                                        ExternalData& external);

// Its indices are inline, one or one row for each value, ascending, and inside the dims.
std::optional<Fault> sparse_fault(const SparseTensorData& sparse);

// The name of an attribute that the node has twice.
std::optional<std::string_view> repeated_attribute(const Node& node);

// Before IR version 4 every initializer was an input too; since then one that is may be overridden by the caller. Here
// what the file gives a value is a constant.
void drop_initialized_inputs(Graph& graph);

}  // namespace loam
