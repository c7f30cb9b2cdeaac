// What a model file says, in its own opset's words: nodes over named values, before anything is inferred.
//
// Every reader produces this and nothing after the readers knows which format it came from. A Model is plain data; a
// tensor's bytes either are owned by it or lie in the file's buffer, which the caller then keeps alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/graph/dtype.hpp"

namespace loam {

// Immutable bytes, shared where they are owned and borrowed where they lie in a file's buffer.
class Bytes {
 public:
  Bytes() = default;
  static Bytes borrow(std::span<const std::byte> bytes) { Bytes b; b.span_ = bytes; return b; }
  static Bytes own(std::vector<std::byte> bytes) {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    Bytes b; b.span_ = *owner; b.owner_ = std::move(owner); return b;
  }
  std::span<const std::byte> span() const { return span_; }
  std::size_t size() const { return span_.size(); }

 private:
  std::shared_ptr<const std::vector<std::byte>> owner_;
  std::span<const std::byte> span_;
};

// One dimension of a declared shape: unknown (std::monostate), a length, or a dim_param as it is written.
using Dimension = std::variant<std::monostate, std::int64_t, std::string>;

// The declared type of a value. `shape` is absent where the file declares no rank.
struct ValueType {
  enum class Kind : std::uint8_t { undeclared, tensor, sparse_tensor, sequence, optional, map };
  Kind kind = Kind::undeclared;
  DType dtype = DType::undefined;                 // of a tensor; of a map's key
  std::optional<std::vector<Dimension>> shape;    // of a tensor
  std::shared_ptr<const ValueType> element;       // of a sequence or an optional; of a map's value
};

struct ValueInfo {
  std::string name;
  ValueType type;
};

// Where a tensor's bytes lie when they are not in the graph: a path relative to the model's folder.
struct ExternalData {
  std::string location;
  std::int64_t offset = 0;
  std::optional<std::int64_t> length;
};

// A constant tensor. Elements are little-endian and dense (sub-byte types packed, low bits first); the strings of a
// string tensor stand in `strings`. A tensor without data (an onnxtext initializer whose values a checkpoint supplies)
// has std::monostate.
struct TensorData {
  std::string name;
  DType dtype = DType::undefined;
  std::vector<std::int64_t> dims;                 // each >= 0; their product fits in int64
  std::variant<std::monostate, Bytes, ExternalData> data;
  std::vector<std::string> strings;

  bool inline_data() const { return std::holds_alternative<Bytes>(data); }
  std::int64_t elements() const {
    std::uint64_t n = 1;  // which wraps where a reader has yet to refuse the product
    for (const std::int64_t d : dims) n *= static_cast<std::uint64_t>(d);
    return static_cast<std::int64_t>(n);
  }
};

// Values at the given indices (linear, or one row of coordinates each), zero elsewhere.
struct SparseTensorData {
  TensorData values;
  TensorData indices;
  std::vector<std::int64_t> dims;
};

struct Graph;

struct Attribute {
  using Value = std::variant<std::monostate, std::int64_t, float, std::string, TensorData, std::shared_ptr<const Graph>,
                             std::vector<std::int64_t>, std::vector<float>, std::vector<std::string>,
                             std::vector<TensorData>, std::vector<std::shared_ptr<const Graph>>, ValueType,
                             SparseTensorData, std::vector<ValueType>, std::vector<SparseTensorData>>;
  std::string name;
  Value value;
  std::string reference;  // the enclosing function's attribute it stands for ("ref_attr_name"); gone once inlined
};

struct Node {
  std::string name;    // may be empty
  std::string op_type;
  std::string domain;  // "" is ai.onnx ("ai.onnx" is read as "")
  std::vector<std::string> inputs;   // "" is an absent optional input
  std::vector<std::string> outputs;  // "" is an output nobody reads
  std::vector<Attribute> attributes;
  std::string overload;              // selects among local functions of one name; only those have one, and are inlined
  // "output = Operator": the site of a diagnostic about this node.
  std::string site() const;
  const Attribute* attribute(std::string_view name) const;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;               // in topological order once read
  std::vector<ValueInfo> inputs;         // an input that is also an initializer is only in `initializers`
  std::vector<ValueInfo> outputs;
  std::vector<TensorData> initializers;
  std::vector<std::pair<std::string, SparseTensorData>> sparse_initializers;
  std::vector<ValueInfo> value_infos;
};

struct OpsetImport {
  std::string domain;
  std::int64_t version = 0;
};

struct Model {
  std::int64_t ir_version = 0;
  std::string producer;
  std::vector<OpsetImport> opsets;
  std::vector<std::pair<std::string, std::string>> metadata;
  Graph graph;                           // local functions are already inlined

  // The version of a domain the model imports; 0 where it imports none ("" defaults to 1).
  std::int64_t opset(std::string_view domain) const;
};

}  // namespace loam
