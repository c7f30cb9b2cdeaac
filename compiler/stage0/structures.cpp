// Sequences and optionals, which stage 0 settles into the tensors they hold.
#include <algorithm>

#include "compiler/operators/operator.hpp"
#include "compiler/stage0/stage0.hpp"

namespace loam {

std::vector<ValueId> StageZero::tensors(ValueId id) const {
  if (id == no_value) return {};
  const auto& structure = graph_.values[id].structure;
  if (!structure) return {id};
  std::vector<ValueId> all;
  for (const ValueId item : structure->items) std::ranges::copy(tensors(item), std::back_inserter(all));
  return all;
}

std::string StageZero::describe(ValueId id) const {
  const auto& structure = graph_.values[id].structure;
  if (!structure) return "a tensor";
  const std::size_t n = structure->items.size();
  if (structure->kind == Structure::Kind::optional) return n == 0 ? "an optional that holds nothing" : "an optional that holds a value";
  return "a sequence of " + std::to_string(n) + (n == 1 ? " value" : " values");
}

const Structure* NodeContext::structure(int i) const {
  if (!has(i)) return nullptr;
  const auto& structure = stage_.graph().values[node_.inputs[static_cast<std::size_t>(i)]].structure;
  return structure ? &*structure : nullptr;
}

TypedBlock& InferContext::inlined_block(const Graph& graph, const std::vector<ValueId>& inputs) {
  return stage_.inlined_block(node_, graph, inputs);
}

bool InferContext::reads_structure(const Graph& graph) const {
  const auto nested = [&](const Attribute& a) {
    const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&a.value);
    return inner && reads_structure(**inner);
  };
  const auto structured = [&](const std::string& name) {
    const ValueId id = name.empty() ? no_value : stage_.find(*stage_.scope_, name);
    return id != no_value && value(id).structure;
  };
  return std::ranges::any_of(graph.nodes, [&](const Node& node) {
    return std::ranges::any_of(node.inputs, structured) || std::ranges::any_of(node.attributes, nested);
  });
}

void InferContext::settle(int k, Structure structure) {
  if (!wants(k)) return;
  ValueId& output = node_.outputs[static_cast<std::size_t>(k)];
  value(output).structure = std::move(structure);
  output = no_value;
}

void InferContext::reads(std::vector<ValueId> inputs) { node_.inputs = std::move(inputs); }

void InferContext::gives(const std::vector<ValueId>& values) {
  for (const ValueId id : values) std::ranges::copy(tensors(id), std::back_inserter(node_.outputs));
}

ValueId InferContext::make(std::string name, std::optional<Known> known) const {
  TypedValue made{.name = std::move(name), .origin = TypedValue::Origin::node, .type = {}, .known = {}, .data = nullptr};
  if (known) {
    made.type = TensorType{known->dtype, {}};
    for (const std::int64_t extent : known->dims) made.type->axes.push_back(fresh(extent));
  }
  made.known = std::move(known);
  return stage_.add(std::move(made));
}

ValueId InferContext::make_like(ValueId like, const std::string& name, std::vector<ValueId>& tensors) const {
  const ValueId id = make(name);
  if (const std::optional<Structure> pattern = value(like).structure) {
    Structure structure{pattern->kind, {}, pattern->dtype};
    for (std::size_t i = 0; i < pattern->items.size(); ++i)
      structure.items.push_back(make_like(pattern->items[i], name + "_" + std::to_string(i), tensors));
    value(id).structure = std::move(structure);
  } else {
    tensors.push_back(id);
  }
  return id;
}

std::vector<ValueId> InferContext::tensors(ValueId id) const { return stage_.tensors(id); }

bool InferContext::alike(ValueId a, ValueId b) const {
  const auto &left = value(a).structure, &right = value(b).structure;
  if (!left || !right) return !left && !right;
  return left->kind == right->kind && std::ranges::equal(left->items, right->items, [&](ValueId x, ValueId y) { return alike(x, y); });
}

std::string InferContext::describe(ValueId id) const { return stage_.describe(id); }

}  // namespace loam
