#include "compiler/read/onnx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/read/functions.hpp"
#include "compiler/read/onnx_graph.hpp"
#include "compiler/read/onnx_tensor.hpp"
#include "compiler/read/order.hpp"
#include "compiler/read/wire.hpp"

namespace loam {
namespace {

using wire::File;
using wire::Message;

void add_opset(Model& model, OpsetImport opset, const Message& message) {
  const auto found = std::ranges::find(model.opsets, opset.domain, &OpsetImport::domain);
  if (found == model.opsets.end()) {
    model.opsets.push_back(std::move(opset));
  } else if (found->version != opset.version) {
    message.file().wrong(message.at(), {}, fmt::format("the operators of '{}' are imported in versions {} and {}",
                                                       opset.domain, found->version, opset.version),
                         Code::malformed_graph);
  }
}

DataValue read_sequence_proto(Message message);
DataValue read_optional_proto(Message message);

DataValue tensor_value(TensorData tensor) {
  DataValue value;
  value.name = tensor.name;
  value.tensor = std::move(tensor);
  return value;
}

DataValue sparse_tensor_value(SparseTensorData tensor) {
  DataValue value;
  value.kind = DataValue::Kind::sparse_tensor;
  value.name = tensor.values.name;
  value.sparse_tensor = std::move(tensor);
  return value;
}

// SequenceProto and OptionalProto are one but for how many elements they hold: the fields have the same numbers.
DataValue read_container_proto(Message message, DataValue::Kind kind) {
  DataValue value;
  value.kind = kind;
  const auto add = [&](DataValue element) { value.elements.push_back(std::move(element)); };
  while (message.next()) {
    switch (message.field()) {
      case 1: value.name = message.text(); break;
      case 3: add(tensor_value(read_tensor_proto(message.message("TensorProto"), MissingData::refused))); break;
      case 4: add(sparse_tensor_value(read_sparse_tensor_proto(message.message("SparseTensorProto")))); break;
      case 5: add(read_sequence_proto(message.message("SequenceProto"))); break;
      case 6:
        message.file().wrong(message.at(), value.name, "a map, which Loam does not read", Code::unsupported_file);
        break;
      case 7: add(read_optional_proto(message.message("OptionalProto"))); break;
      default: break;
    }
  }
  return value;
}

DataValue read_sequence_proto(Message message) {
  return read_container_proto(message, DataValue::Kind::sequence);
}

DataValue read_optional_proto(Message message) {
  DataValue value = read_container_proto(message, DataValue::Kind::optional);
  if (value.elements.size() > 1) message.file().wrong(message.begin(), value.name, "an optional holds several values");
  return value;
}

template <class Value>
std::optional<Value> result(const File& file, Value value) {
  return file.ok() ? std::optional<Value>(std::move(value)) : std::nullopt;
}

}  // namespace

std::optional<Model> read_onnx(std::span<const std::byte> bytes, Diagnostics& diagnostics) {
  File file(bytes, diagnostics);
  Message message = file.root("ModelProto");
  Model model;
  std::vector<Function> functions;
  bool has_graph = false;
  while (message.next()) {
    switch (message.field()) {
      case 1: model.ir_version = message.integer(); break;
      case 2: model.producer = message.text(); break;
      case 7:
        model.graph = read_graph_proto(message.sole_message("GraphProto"));
        has_graph = true;
        break;
      case 8: add_opset(model, read_opset_proto(message.message("OperatorSetIdProto")), message); break;
      case 14:
        model.metadata.push_back(read_string_entry_proto(message.message("StringStringEntryProto")));
        break;
      case 25: functions.push_back(read_function_proto(message.message("FunctionProto"))); break;
      default: break;
    }
  }
  if (!has_graph) file.broken(bytes.data() + bytes.size(), "the file ends and has held no graph: it is no ONNX model");
  if (!file.ok()) return std::nullopt;
  if (!inline_functions(model, functions, diagnostics)) return std::nullopt;
  if (!order_graph(model.graph, diagnostics)) return std::nullopt;
  return model;
}

std::optional<TensorData> read_tensor(std::span<const std::byte> bytes, Diagnostics& diagnostics) {
  File file(bytes, diagnostics);
  return result(file, read_tensor_proto(file.root("TensorProto"), MissingData::refused));
}

std::optional<DataValue> read_sequence(std::span<const std::byte> bytes, Diagnostics& diagnostics) {
  File file(bytes, diagnostics);
  return result(file, read_sequence_proto(file.root("SequenceProto")));
}

std::optional<DataValue> read_optional(std::span<const std::byte> bytes, Diagnostics& diagnostics) {
  File file(bytes, diagnostics);
  return result(file, read_optional_proto(file.root("OptionalProto")));
}

}  // namespace loam
