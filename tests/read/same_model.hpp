// Compares models field by field, and says where they first differ.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "compiler/graph/graph.hpp"

namespace loam::test {

// A NaN is another of its sign: text keeps no more of it.
template <class Float>
bool same_float(Float a, Float b) {
  if (std::isnan(a) && std::isnan(b)) return std::signbit(a) == std::signbit(b);
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class Float>
bool same_floats(std::span<const std::byte> a, std::span<const std::byte> b) {
  for (std::size_t i = 0; i < a.size(); i += sizeof(Float)) {
    Float x, y;
    std::memcpy(&x, a.data() + i, sizeof x);
    std::memcpy(&y, b.data() + i, sizeof y);
    if (!same_float(x, y)) return false;
  }
  return true;
}

class ModelDifference {
 public:
  // Empty where there is none.
  std::string between(const Model& a, const Model& b) {
    same(a.ir_version == b.ir_version, "ir_version");
    same(a.producer == b.producer, "producer");
    same(a.metadata == b.metadata, "metadata");
    each(a.opsets, b.opsets, "opsets", [&](const OpsetImport& x, const OpsetImport& y) {
      same(x.domain == y.domain && x.version == y.version, x.domain);
    });
    graph(a.graph, b.graph);
    return found_;
  }

 private:
  void graph(const Graph& a, const Graph& b) {
    same(a.name == b.name, "the graph's name");
    const auto info = [&](const ValueInfo& x, const ValueInfo& y) {
      same(x.name == y.name && type(x.type, y.type), "declared " + x.name);
    };
    each(a.inputs, b.inputs, "inputs", info);
    each(a.outputs, b.outputs, "outputs", info);
    each(a.value_infos, b.value_infos, "value_infos", info);
    each(a.initializers, b.initializers, "initializers", [&](const TensorData& x, const TensorData& y) {
      same(tensor(x, y), "initializer " + x.name);
    });
    each(a.sparse_initializers, b.sparse_initializers, "sparse_initializers", [&](const auto& x, const auto& y) {
      same(x.first == y.first && sparse(x.second, y.second), "sparse initializer " + x.first);
    });
    each(a.nodes, b.nodes, "nodes", [&](const Node& x, const Node& y) { node(x, y); });
  }

  void node(const Node& a, const Node& b) {
    same(a.name == b.name && a.op_type == b.op_type && a.domain == b.domain && a.overload == b.overload &&
             a.inputs == b.inputs && a.outputs == b.outputs,
         "node " + a.site());
    each(a.attributes, b.attributes, "attributes of " + a.site(), [&](const Attribute& x, const Attribute& y) {
      same(x.name == y.name && x.reference == y.reference && x.value.index() == y.value.index(),
           "attribute " + x.name + " of " + a.site());
      if (found_.empty()) same(value(x.value, y.value), "attribute " + x.name + " of " + a.site());
    });
  }

  bool value(const Attribute::Value& a, const Attribute::Value& b) {
    return std::visit([&]<class T>(const T& x) { return equal(x, std::get<T>(b)); }, a);
  }
  bool equal(std::monostate, std::monostate) { return true; }
  bool equal(std::int64_t a, std::int64_t b) { return a == b; }
  bool equal(float a, float b) { return same_float(a, b); }
  bool equal(const std::string& a, const std::string& b) { return a == b; }
  bool equal(const TensorData& a, const TensorData& b) { return tensor(a, b); }
  bool equal(const ValueType& a, const ValueType& b) { return type(a, b); }
  bool equal(const SparseTensorData& a, const SparseTensorData& b) { return sparse(a, b); }
  bool equal(const std::shared_ptr<const Graph>& a, const std::shared_ptr<const Graph>& b) {
    graph(*a, *b);
    return found_.empty();
  }
  template <class T>
  bool equal(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!equal(a[i], b[i])) return false;
    return true;
  }

  static bool tensor(const TensorData& a, const TensorData& b) {
    if (a.name != b.name || a.dtype != b.dtype || a.dims != b.dims || a.strings != b.strings) return false;
    if (a.data.index() != b.data.index()) return false;
    if (const auto* x = std::get_if<ExternalData>(&a.data)) {
      const auto& y = std::get<ExternalData>(b.data);
      return x->location == y.location && x->offset == y.offset && x->length == y.length;
    }
    const auto* x = std::get_if<Bytes>(&a.data);
    if (x == nullptr) return true;
    const std::span<const std::byte> left = x->span();
    const std::span<const std::byte> right = std::get<Bytes>(b.data).span();
    if (left.size() != right.size()) return false;
    if (left.empty() || std::memcmp(left.data(), right.data(), left.size()) == 0) return true;
    if (a.dtype == DType::float32 || a.dtype == DType::complex64) return same_floats<float>(left, right);
    if (a.dtype == DType::float64 || a.dtype == DType::complex128) return same_floats<double>(left, right);
    return false;
  }

  static bool sparse(const SparseTensorData& a, const SparseTensorData& b) {
    return a.dims == b.dims && tensor(a.values, b.values) && tensor(a.indices, b.indices);
  }

  static bool type(const ValueType& a, const ValueType& b) {
    if (a.kind != b.kind || a.dtype != b.dtype || a.shape != b.shape) return false;
    if (!a.element || !b.element) return !a.element && !b.element;
    return type(*a.element, *b.element);
  }

  template <class Range, class Compare>
  void each(const Range& a, const Range& b, const std::string& what, Compare compare) {
    same(a.size() == b.size(), fmt::format("{}: {} and {}", what, a.size(), b.size()));
    for (std::size_t i = 0; i < a.size() && found_.empty(); ++i) compare(a[i], b[i]);
  }
  void same(bool equal, const std::string& what) {
    if (!equal && found_.empty()) found_ = what.empty() ? "something" : what;
  }

  std::string found_;
};

inline std::string difference(const Model& a, const Model& b) { return ModelDifference().between(a, b); }

}  // namespace loam::test
