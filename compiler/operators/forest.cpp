#include "compiler/operators/forest.hpp"

#include <type_traits>

namespace loam {

std::optional<Forest> refuse_forest(const NodeContext& c, std::string message) {
  c.error(Code::bad_attribute, std::move(message));
  return std::nullopt;
}

std::optional<std::vector<double>> tensor_numbers(const NodeContext& c, std::string_view name) {
  std::vector<double> numbers;
  if (!c.has_attribute(name)) return numbers;
  const TensorData* data = c.tensor(name);
  if (!data) return std::nullopt;
  const auto known = known_from(*data);
  if (!known) {
    c.error(Code::operator_form, std::string(name) + " holds " + std::to_string(data->elements()) +
                                     " elements, and the build keeps " + std::to_string(most_known) + " at most");
    return std::nullopt;
  }
  for (std::size_t i = 0; i < known->elements.size(); ++i)
    numbers.push_back(known->integral() ? static_cast<double>(known->integer(i).constant_term()) : known->number(i));
  return numbers;
}

void owe_features(const InferContext& c, const Forest& forest) {
  if (forest.nodes.empty()) return;  // leaves alone read nothing
  std::int64_t last = 0;
  for (std::size_t i = 1; i < forest.nodes.size(); i += 7) last = std::max(last, forest.nodes[i]);
  const Polynomial features = c.extent(0, 1);
  c.owe(features - last - 1, c.input_name(0) + " has " + c.spell(features) + " features, and a node reads feature " +
                                   std::to_string(last));
}

void call_forest(LowerContext& c, TensorId out, const Forest& forest, std::string_view gives, DType stored) {
  const auto table = [&](const auto& values, DType type, const std::vector<Axis>& axes) {
    Known known{type, {}, {}};
    for (const Axis& axis : axes) known.dims.push_back(axis.extent().constant().value_or(0));
    for (const auto v : values) {
      if constexpr (std::is_same_v<decltype(v), const double>) known.elements.emplace_back(round_to(type, v));
      else known.elements.emplace_back(Polynomial(v));
    }
    return c.constant(std::move(known), axes);
  };
  const auto axis = [&](std::string_view word, std::size_t n) {
    return c.named_axis(word, static_cast<std::int64_t>(n));
  };
  const Axis node = axis("Node", forest.splits.size()), entry = axis("Entry", forest.weights.size());
  c.call("tree_ensemble", "tree_ensemble", {out}, {Literal{"loam::TreeGives::" + std::string(gives)}},
         {c.in(0), table(forest.roots, DType::int64, {axis("Tree", forest.roots.size())}),
          table(forest.nodes, DType::int64, {node, axis("NodePart", 7)}), table(forest.splits, stored, {node}),
          table(forest.members, stored, {axis("Member", forest.members.size())}),
          table(forest.leaves, DType::int64, {axis("Leaf", forest.leaves.size())}),
          table(forest.targets, DType::int64, {entry}), table(forest.weights, stored, {entry})});
}

}  // namespace loam
