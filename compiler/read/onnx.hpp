// Reads ONNX's protobuf files (onnx.proto, IR versions 3 to 14): models, and the values of test data.
//
// Nothing in a file is trusted: every length, count, depth and size is checked before it is used, and what is wrong is a
// diagnostic with the byte it stands at. The work done is bounded by the file's size, and for local functions, which can
// grow exponentially, by a fixed budget (functions.hpp).
//
// Data that the file holds as it is needed (raw_data, packed floats) is borrowed: `file` must outlive the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/diagnostic.hpp"
#include "compiler/graph/graph.hpp"

namespace loam {

// A ModelProto. In the result
//   - local functions are inlined, and the nodes of each graph are in topological order, file order where that is one;
//   - each name read has one definition, in its graph or one around it, and a nested graph defines no name that a graph
//     around it does (where the file's did, they are renamed);
//   - inline data is as long as its element type and dims need, bools are 0 or 1, and an ExternalData's location is a
//     relative path without "..", and where it has a length, that is the one needed;
//   - sparse tensors have inline indices inside their dims. (The dims alone prove no memory: check before densifying.)
std::optional<Model> read_onnx(std::span<const std::byte> file, Diagnostics& diagnostics);

// A value of a test_data_set folder. A sequence's elements stand in `elements`; so does what an optional holds, if any.
struct DataValue {
  enum class Kind : std::uint8_t { tensor, sparse_tensor, sequence, optional };
  Kind kind = Kind::tensor;
  std::string name;
  TensorData tensor;
  SparseTensorData sparse_tensor;
  std::vector<DataValue> elements;
};

// A file that is one TensorProto, SequenceProto or OptionalProto. Which it is only the graph says. Maps are not read.
std::optional<TensorData> read_tensor(std::span<const std::byte> file, Diagnostics& diagnostics);
std::optional<DataValue> read_sequence(std::span<const std::byte> file, Diagnostics& diagnostics);
std::optional<DataValue> read_optional(std::span<const std::byte> file, Diagnostics& diagnostics);

}  // namespace loam
