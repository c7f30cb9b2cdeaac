#include "compiler/read/budget.hpp"

#include <type_traits>

namespace loam {
namespace {

template <class Value>
constexpr bool is_list = false;
template <class Element>
constexpr bool is_list<std::vector<Element>> = true;

}  // namespace

void Budget::spend_on(const TensorData& tensor) {
  spend(sizeof(TensorData) + tensor.name.size() + tensor.dims.size() * sizeof(std::int64_t));
  for (const std::string& text : tensor.strings) spend(sizeof(std::string) + text.size());
}

void Budget::spend_on(const SparseTensorData& tensor) {
  spend(tensor.dims.size() * sizeof(std::int64_t));
  spend_on(tensor.values);
  spend_on(tensor.indices);
}

void Budget::spend_on(const ValueType& type) {
  spend(sizeof(ValueType));
  if (type.shape) spend(type.shape->size() * sizeof(Dimension));
}

void Budget::spend_on(const Attribute::Value& value, int depth) {
  const auto spend_on_one = [&]<class Value>(const Value& one) {
    if constexpr (std::is_same_v<Value, std::shared_ptr<const Graph>>) {
      spend_on(*one, depth + 1);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      spend(sizeof(std::string) + one.size());
    } else if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::monostate>) {
      spend(sizeof(Value));
    } else {
      spend_on(one);
    }
  };
  std::visit([&]<class Held>(const Held& held) {
    if constexpr (is_list<Held>) {
      for (const auto& one : held) spend_on_one(one);
    } else {
      spend_on_one(held);
    }
  }, value);
}

void Budget::spend_on(const Graph& graph, int depth) {
  descend(depth);
  if (exhausted()) return;
  spend(sizeof(Graph));
  for (const auto* infos : {&graph.inputs, &graph.outputs, &graph.value_infos}) {
    for (const ValueInfo& info : *infos) {
      spend(sizeof(ValueInfo) + info.name.size());
      spend_on(info.type);
    }
  }
  for (const TensorData& tensor : graph.initializers) spend_on(tensor);
  for (const auto& [name, tensor] : graph.sparse_initializers) spend_on(tensor);
  for (const Node& node : graph.nodes) {
    if (exhausted()) return;
    spend(sizeof(Node) + node.name.size());
    for (const auto* names : {&node.inputs, &node.outputs})
      for (const std::string& name : *names) spend(sizeof(std::string) + name.size());
    for (const Attribute& attribute : node.attributes) {
      spend(sizeof(Attribute) + attribute.name.size());
      spend_on(attribute.value, depth);
    }
  }
}

}  // namespace loam
