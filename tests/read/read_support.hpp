// Builds protobuf and safetensors files for the readers' tests, byte by byte.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostic.hpp"
#include "compiler/graph/graph.hpp"
#include "compiler/read/onnx.hpp"

namespace loam::test {

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// One protobuf message, written field by field.
struct Proto {
  std::string bytes;

  Proto& raw_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>((value & 0x7f) | 0x80));
    bytes.push_back(static_cast<char>(value));
    return *this;
  }
  Proto& key(std::uint32_t field, std::uint32_t type) { return raw_varint(field << 3 | type); }
  Proto& integer(std::uint32_t field, std::int64_t value) {
    return key(field, 0).raw_varint(static_cast<std::uint64_t>(value));
  }
  Proto& text(std::uint32_t field, std::string_view value) {
    key(field, 2).raw_varint(value.size());
    bytes += value;
    return *this;
  }
  Proto& message(std::uint32_t field, const Proto& value) { return text(field, value.bytes); }
  Proto& float32(std::uint32_t field, float value) {
    key(field, 5);
    bytes += little_endian(std::bit_cast<std::uint32_t>(value));
    return *this;
  }
  Proto& packed(std::uint32_t field, std::initializer_list<std::int64_t> values) {
    Proto list;
    for (const std::int64_t value : values) list.raw_varint(static_cast<std::uint64_t>(value));
    return message(field, list);
  }

  template <class Unsigned>
  static std::string little_endian(Unsigned value) {
    std::string text;
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) text.push_back(static_cast<char>(value >> (8 * i)));
    return text;
  }
};

using Names = std::vector<std::string>;

inline Proto tensor(std::string_view name, DType dtype, std::initializer_list<std::int64_t> dims) {
  Proto proto;
  for (const std::int64_t dim : dims) proto.integer(1, dim);
  proto.integer(2, static_cast<std::int64_t>(dtype));
  if (!name.empty()) proto.text(8, name);
  return proto;
}

inline Proto node(std::string_view op, const Names& inputs, const Names& outputs, std::vector<Proto> attributes = {},
                  std::string_view domain = "") {
  Proto proto;
  for (const std::string& input : inputs) proto.text(1, input);
  for (const std::string& output : outputs) proto.text(2, output);
  proto.text(4, op);
  for (const Proto& attribute : attributes) proto.message(5, attribute);
  if (!domain.empty()) proto.text(7, domain);
  return proto;
}

// The kinds of attributes, as AttributeProto numbers them, and the field that holds each.
inline Proto attribute(std::string_view name, int kind) { return Proto().text(1, name).integer(20, kind); }
inline Proto integer_attribute(std::string_view name, std::int64_t value) { return attribute(name, 2).integer(3, value); }
inline Proto graph_attribute(std::string_view name, const Proto& graph) { return attribute(name, 5).message(6, graph); }
inline Proto reference(std::string_view name, std::string_view to, int kind) { return attribute(name, kind).text(21, to); }

inline Proto value_info(std::string_view name) { return Proto().text(1, name); }

inline Proto graph(const std::vector<Proto>& nodes, const Names& inputs, const Names& outputs,
                   const std::vector<Proto>& initializers = {}) {
  Proto proto;
  for (const Proto& node : nodes) proto.message(1, node);
  proto.text(2, "g");
  for (const Proto& initializer : initializers) proto.message(5, initializer);
  for (const std::string& input : inputs) proto.message(11, value_info(input));
  for (const std::string& output : outputs) proto.message(12, value_info(output));
  return proto;
}

inline Proto opset(std::string_view domain, std::int64_t version) {
  return Proto().text(1, domain).integer(2, version);
}

inline Proto function(std::string_view domain, std::string_view name, const Names& inputs, const Names& outputs,
                      const std::vector<Proto>& nodes) {
  Proto proto;
  proto.text(1, name).text(10, domain);
  for (const std::string& input : inputs) proto.text(4, input);
  for (const std::string& output : outputs) proto.text(5, output);
  for (const Proto& node : nodes) proto.message(7, node);
  return proto;
}

inline Proto model(const Proto& graph, const std::vector<Proto>& functions = {}) {
  Proto proto;
  proto.integer(1, 8).message(8, opset("", 17)).message(8, opset("f", 1)).message(7, graph);
  for (const Proto& function : functions) proto.message(25, function);
  return proto;
}

// A file read, and kept: the model borrows from it.
struct Reading {
  std::string bytes;
  Diagnostics diagnostics;
  std::optional<Model> model;

  explicit Reading(std::string file) : bytes(std::move(file)), model(read_onnx(bytes_of(bytes), diagnostics)) {}
  explicit Reading(const Proto& file) : Reading(file.bytes) {}

  std::string errors() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.list()) text += diagnostic.text() + "\n";
    return text;
  }
  // "op(inputs)->outputs" of each node, to compare in one go.
  std::string nodes() const { return model ? nodes_of(model->graph) : "nothing: " + errors(); }

  static std::string nodes_of(const Graph& graph) {
    std::string text;
    for (const Node& node : graph.nodes) {
      if (!text.empty()) text += ' ';
      text += node.op_type + '(' + joined(node.inputs) + ")->" + joined(node.outputs);
    }
    return text;
  }
  static std::string joined(const Names& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : ",") + names[i];
    return text;
  }
};

inline std::filesystem::path shared_folder() {
  const char* named = std::getenv("LOAM_SHARED");
  return named != nullptr ? named : LOAM_SHARED_DIR;
}

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace loam::test
