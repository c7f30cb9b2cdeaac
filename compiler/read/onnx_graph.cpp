#include "compiler/read/onnx_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "compiler/read/onnx_tensor.hpp"
#include "compiler/read/onnx_type.hpp"

namespace loam {
namespace {

using wire::Message;

std::string read_domain(Message& message) {
  std::string domain = message.text();
  return domain == "ai.onnx" ? std::string() : domain;
}

std::string to_string(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// AttributeProto.AttributeType.
enum class Kind : std::uint8_t {
  undefined, float_, int_, string, tensor, graph, floats, ints, strings, tensors, graphs, sparse_tensor, sparse_tensors,
  type, types,
};

// AttributeProto's field that holds a value of each kind, in the order of Kind.
constexpr std::uint32_t value_fields[] = {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 22, 23, 14, 15};

Attribute::Value empty_value(Kind kind) {
  switch (kind) {
    case Kind::undefined: break;
    case Kind::float_: return 0.0F;
    case Kind::int_: return std::int64_t{0};
    case Kind::string: return std::string();
    case Kind::floats: return std::vector<float>();
    case Kind::ints: return std::vector<std::int64_t>();
    case Kind::strings: return std::vector<std::string>();
    case Kind::tensors: return std::vector<TensorData>();
    case Kind::graphs: return std::vector<std::shared_ptr<const Graph>>();
    case Kind::sparse_tensors: return std::vector<SparseTensorData>();
    case Kind::types: return std::vector<ValueType>();
    case Kind::tensor:
    case Kind::graph:
    case Kind::sparse_tensor:
    case Kind::type: break;  // no such value is empty
  }
  return {};
}

std::shared_ptr<const Graph> share(Graph graph) { return std::make_shared<const Graph>(std::move(graph)); }

// Takes the message's field, which holds (an element of) a value of this kind, into the value.
void read_value(Message& message, Kind kind, Attribute::Value& value) {
  switch (kind) {
    case Kind::undefined: break;
    case Kind::float_: value = message.float32(); break;
    case Kind::int_: value = message.integer(); break;
    case Kind::string: value = to_string(message.bytes()); break;
    case Kind::tensor:
      value = read_tensor_proto(message.sole_message("TensorProto"), MissingData::refused);
      break;
    case Kind::graph: value = share(read_graph_proto(message.sole_message("GraphProto"))); break;
    case Kind::sparse_tensor: value = read_sparse_tensor_proto(message.sole_message("SparseTensorProto")); break;
    case Kind::type: value = read_type_proto(message.sole_message("TypeProto")); break;
    case Kind::floats: {
      auto& floats = std::get<std::vector<float>>(value);
      for (auto bytes = message.fixed(4); !bytes.empty(); bytes = bytes.subspan(4))
        floats.push_back(std::bit_cast<float>(wire::little_endian<std::uint32_t>(bytes.data())));
      break;
    }
    case Kind::ints: message.integers(std::get<std::vector<std::int64_t>>(value)); break;
    case Kind::strings: std::get<std::vector<std::string>>(value).push_back(to_string(message.bytes())); break;
    case Kind::tensors:
      std::get<std::vector<TensorData>>(value).push_back(
          read_tensor_proto(message.message("TensorProto"), MissingData::refused));
      break;
    case Kind::graphs:
      std::get<std::vector<std::shared_ptr<const Graph>>>(value).push_back(
          share(read_graph_proto(message.message("GraphProto"))));
      break;
    case Kind::sparse_tensors:
      std::get<std::vector<SparseTensorData>>(value).push_back(
          read_sparse_tensor_proto(message.message("SparseTensorProto")));
      break;
    case Kind::types:
      std::get<std::vector<ValueType>>(value).push_back(read_type_proto(message.message("TypeProto")));
      break;
  }
}

// The value is read in a second pass: its field may come before the kind that says which field it is.
Attribute read_attribute_proto(const Message message) {
  Attribute attribute;
  std::int64_t kind_number = 0;
  std::uint32_t value_field = 0;
  Message fields = message;
  while (fields.next()) {
    switch (fields.field()) {
      case 1: attribute.name = fields.text(); break;
      case 20: kind_number = fields.integer(); break;
      case 21: attribute.reference = fields.text(); break;
      default:
        if (std::ranges::find(value_fields, fields.field()) != std::end(value_fields)) value_field = fields.field();
        break;
    }
  }
  wire::File& file = message.file();
  if (attribute.name.empty()) file.broken(message.begin(), "an attribute has no name");
  if (!attribute.reference.empty() || file.stopped()) return attribute;

  if (kind_number < 0 || kind_number >= std::ssize(value_fields)) {
    file.broken(message.begin(), fmt::format("the attribute {} is of the unknown kind {}", attribute.name, kind_number));
    return attribute;
  }
  auto kind = static_cast<Kind>(kind_number);
  if (kind == Kind::undefined) {
    // Files from before IR version 2 have no kind: the field that is there says it.
    kind = static_cast<Kind>(std::ranges::find(value_fields, value_field) - std::begin(value_fields));
  }
  attribute.value = empty_value(kind);
  Message values = message;
  while (values.next())
    if (values.field() == value_fields[static_cast<std::size_t>(kind)]) read_value(values, kind, attribute.value);
  if (std::holds_alternative<std::monostate>(attribute.value))
    file.broken(message.begin(), fmt::format("the attribute {} has no value", attribute.name));
  return attribute;
}

void refuse_repeated_attributes(const Node& node, const Message& message) {
  std::vector<std::string_view> names;
  for (const Attribute& attribute : node.attributes) names.push_back(attribute.name);
  std::ranges::sort(names);
  const auto repeated = std::ranges::adjacent_find(names);
  if (repeated != names.end()) {
    message.file().wrong(message.begin(), node.site(), fmt::format("the attribute {} is given twice", *repeated),
                         Code::malformed_graph);
  }
}

Node read_node_proto(Message message) {
  Node node;
  while (message.next()) {
    switch (message.field()) {
      case 1: node.inputs.push_back(message.text()); break;
      case 2: node.outputs.push_back(message.text()); break;
      case 3: node.name = message.text(); break;
      case 4: node.op_type = message.text(); break;
      case 5: node.attributes.push_back(read_attribute_proto(message.message("AttributeProto"))); break;
      case 7: node.domain = read_domain(message); break;
      case 8: node.overload = message.text(); break;
      default: break;
    }
  }
  if (node.op_type.empty()) message.file().broken(message.begin(), "a node names no operator");
  refuse_repeated_attributes(node, message);
  return node;
}

// Before IR version 4 every initializer was an input too; since then one that is may be overridden by the caller. Here
// what the file gives a value is a constant.
void drop_initialized_inputs(Graph& graph) {
  std::unordered_set<std::string_view> initialized;
  for (const TensorData& tensor : graph.initializers) initialized.insert(tensor.name);
  for (const auto& [name, tensor] : graph.sparse_initializers) initialized.insert(name);
  std::erase_if(graph.inputs, [&](const ValueInfo& input) { return initialized.contains(input.name); });
}

}  // namespace

Graph read_graph_proto(Message message) {
  Graph graph;
  while (message.next()) {
    switch (message.field()) {
      case 1: graph.nodes.push_back(read_node_proto(message.message("NodeProto"))); break;
      case 2: graph.name = message.text(); break;
      case 5:
        graph.initializers.push_back(read_tensor_proto(message.message("TensorProto"), MissingData::allowed));
        if (graph.initializers.back().name.empty()) message.file().broken(message.at(), "an initializer has no name");
        break;
      case 11: graph.inputs.push_back(read_value_info_proto(message.message("ValueInfoProto"))); break;
      case 12: graph.outputs.push_back(read_value_info_proto(message.message("ValueInfoProto"))); break;
      case 13: graph.value_infos.push_back(read_value_info_proto(message.message("ValueInfoProto"))); break;
      case 15: {
        SparseTensorData sparse = read_sparse_tensor_proto(message.message("SparseTensorProto"));
        if (sparse.values.name.empty()) message.file().broken(message.at(), "a sparse initializer has no name");
        std::string name = sparse.values.name;
        graph.sparse_initializers.emplace_back(std::move(name), std::move(sparse));
        break;
      }
      default: break;
    }
  }
  drop_initialized_inputs(graph);
  return graph;
}

Function read_function_proto(Message message) {
  Function function;
  while (message.next()) {
    switch (message.field()) {
      case 1: function.name = message.text(); break;
      case 4: function.inputs.push_back(message.text()); break;
      case 5: function.outputs.push_back(message.text()); break;
      case 7: function.nodes.push_back(read_node_proto(message.message("NodeProto"))); break;
      case 9: function.opsets.push_back(read_opset_proto(message.message("OperatorSetIdProto"))); break;
      case 10: function.domain = read_domain(message); break;
      case 11: function.defaults.push_back(read_attribute_proto(message.message("AttributeProto"))); break;
      case 13: function.overload = message.text(); break;
      default: break;  // its value_infos too: their dims would be one for all calls
    }
  }
  if (function.name.empty()) message.file().broken(message.begin(), "a function has no name");
  return function;
}

OpsetImport read_opset_proto(Message message) {
  OpsetImport opset;
  while (message.next()) {
    if (message.field() == 1) opset.domain = read_domain(message);
    if (message.field() == 2) opset.version = message.integer();
  }
  if (opset.version < 1) {
    message.file().wrong(message.begin(), {}, fmt::format("version {} of the operators of '{}' is imported",
                                                          opset.version, opset.domain), Code::opset_out_of_range);
  }
  return opset;
}

std::pair<std::string, std::string> read_string_entry_proto(Message message) {
  std::pair<std::string, std::string> entry;
  while (message.next()) {
    if (message.field() == 1) entry.first = message.text();
    if (message.field() == 2) entry.second = message.text();
  }
  return entry;
}

}  // namespace loam
