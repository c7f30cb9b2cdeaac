// What inlining may cost.
#pragma once

#include <cstddef>
#include <string_view>

#include "compiler/graph/graph.hpp"

namespace loam {

// The bodies of local functions can grow exponentially with the file, in nodes, in names and in graphs that attributes
// share. All of it is paid for here, in bytes copied, before it is made; once the budget is exhausted nothing more is.
class Budget {
 public:
  // Some 100,000 nodes: several times what exporters write, and well under a second's work.
  static constexpr std::size_t max_bytes = std::size_t{64} << 20;
  // Of calls and nested graphs together.
  static constexpr int max_depth = 100;

  void spend(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > max_bytes && exhausted_.empty()) exhausted_ = "its nodes and names come to more than 64 MiB";
  }
  void descend(int depth) {
    if (depth > max_depth && exhausted_.empty()) exhausted_ = "calls and nested graphs are deeper than 100";
  }
  // For a copy of an attribute's value. Graphs are shared and not copied, and are paid for all the same: later stages
  // walk one as often as it is referred to.
  void spend_on(const Attribute::Value& value, int depth);
  void spend_on(const Graph& graph, int depth);

  bool exhausted() const { return !exhausted_.empty(); }
  std::string_view reason() const { return exhausted_; }

 private:
  void spend_on(const TensorData& tensor);
  void spend_on(const SparseTensorData& tensor);
  void spend_on(const ValueType& type);

  std::size_t bytes_ = 0;
  std::string_view exhausted_;
};

}  // namespace loam
