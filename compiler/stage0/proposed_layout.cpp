// The layout that `loam layout` writes: rules that name every axis as this build does, few enough to read.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "compiler/stage0/names.hpp"
#include "compiler/stage0/proposals.hpp"
#include "compiler/stage0/stage0.hpp"

namespace loam {

namespace {

std::string entry_of(const AxisTable& axes, const Axis& axis) {
  const auto spelled = axes.spelled(axis);
  if (spelled.empty() || std::ranges::any_of(spelled, &std::string::empty)) return "_";
  if (spelled.size() == 1) return spelled[0];
  std::string words;
  for (const std::string& word : spelled) words += (words.empty() ? "(" : " ") + word;
  return words + ")";
}

class LayoutWriter {
 public:
  LayoutWriter(const TypedGraph& graph, const std::map<AtomId, std::string>& proposed) : graph_(graph), proposed_(proposed) {}

  Layout write() {
    for (const ValueId id : graph_.body.inputs) add(id, graph_.body);
    add_weights(graph_.body);
    add_rest(graph_.body);
    gather_everything(graph_.body);
    return rules();
  }

 private:
  struct Named {
    std::string tensor, graph;
    std::vector<std::string> axes;
    std::string extents;
  };

  std::optional<Named> named(ValueId id, const TypedBlock& block) const {
    const TypedValue& value = graph_.values[id];
    if (!value.type || value.type->axes.empty()) return std::nullopt;
    Named n{value.name, block.graph ? block.graph->name : "", {}, {}};
    for (const Axis& axis : value.type->axes) {
      n.axes.push_back(entry_of(graph_.axes, axis));
      n.extents += (n.extents.empty() ? "" : ", ") + graph_.symbols.text(graph_.symbols.simplify(axis.extent()));
    }
    return n;
  }

  void add(ValueId id, const TypedBlock& block) {
    if (!added_.insert(id).second) return;
    auto n = named(id, block);
    if (!n || std::ranges::all_of(n->axes, [](const std::string& entry) { return entry == "_"; })) return;
    for (const Axis& axis : graph_.values[id].type->axes)
      for (const AtomId atom : graph_.axes.classes(axis)) reached_.insert(atom);
    list_.push_back(std::move(*n));
  }

  void add_weights(const TypedBlock& block) {
    for (const TypedNode& node : block.nodes) {
      if (!node.reached) continue;
      for (const ValueId id : node.inputs)
        if (id != no_value && graph_.values[id].origin == TypedValue::Origin::initializer && !graph_.values[id].known) add(id, block);
      for (const TypedBlock& inner : node.blocks) add_weights(inner);
    }
  }

  // What no input or weight reaches is named where it appears first.
  void add_rest(const TypedBlock& block) {
    const auto consider = [&](ValueId id) {
      if (id == no_value || !graph_.values[id].type || added_.contains(id)) return;
      for (const Axis& axis : graph_.values[id].type->axes)
        for (const AtomId atom : graph_.axes.classes(axis))
          if (proposed_.contains(atom) && !reached_.contains(atom)) return add(id, block);
    };
    for (const TypedNode& node : block.nodes) {
      if (!node.reached) continue;
      for (const ValueId id : node.inputs) consider(id);
      for (const TypedBlock& inner : node.blocks) add_rest(inner);
      for (const ValueId id : node.outputs) consider(id);
    }
  }

  // Every tensor a rule could reach, as this build names it.
  void gather_everything(const TypedBlock& block) {
    const auto note = [&](ValueId id) {
      if (id == no_value || !noted_.insert(id).second) return;
      auto n = named(id, block);
      if (!n) return;
      auto& boundary = graph_.values[id].origin == TypedValue::Origin::node ? between_ : boundary_;
      boundary.push_back(std::move(*n));
    };
    for (const ValueId id : block.inputs) note(id);
    if (&block == &graph_.body)
      for (const ValueId id : graph_.initializers) note(id);
    for (const TypedNode& node : block.nodes) {
      for (const ValueId id : node.inputs) note(id);
      for (const TypedBlock& inner : node.blocks) gather_everything(inner);
      for (const ValueId id : node.outputs) note(id);
    }
  }

  // Whether a rule would say of every tensor it reaches what this build says.
  bool agrees(const LayoutRule& rule) const {
    const auto same = [&](const Named& n) {
      for (std::size_t i = 0; i < n.axes.size(); ++i)
        if (rule.axes[i] != "_" && rule.axes[i] != n.axes[i]) return false;
      return true;
    };
    const auto reaches = [&](const Named& n) {
      return (rule.graph.empty() || rule.graph == n.graph) && wildcard_matches(rule.pattern, n.tensor);
    };
    return std::ranges::all_of(boundary_, [&](const Named& n) { return !reaches(n) || (n.axes.size() == rule.axes.size() && same(n)); }) &&
           std::ranges::all_of(between_, [&](const Named& n) { return n.axes.size() != rule.axes.size() || !reaches(n) || same(n); });
  }

  Layout rules() const {
    // Tensors that play one part in every layer have one rule, where what it says of each is so.
    std::map<std::string, std::vector<const Named*>> parts;
    for (const Named& n : list_) parts[layered_name(n.tensor)].push_back(&n);
    // Two graphs, the branches of an If, may each have a tensor of one name: a rule then says whose it means.
    std::map<std::string_view, const Named*> first;
    std::set<std::string_view> apart;
    for (const Named& n : list_)
      if (const auto [it, is_new] = first.try_emplace(n.tensor, &n); !is_new && it->second->axes != n.axes) apart.insert(n.tensor);
    std::set<std::string> written;
    Layout layout;
    const auto push = [&](LayoutRule rule) {
      std::string key = rule.graph + "\n" + rule.pattern;
      for (const std::string& entry : rule.axes) key += "\n" + entry;
      if (written.insert(std::move(key)).second) layout.rules.push_back(std::move(rule));
    };
    std::map<std::string, bool> whole;
    for (const Named& n : list_) {
      const std::string pattern = layered_name(n.tensor);
      const auto& members = parts[pattern];
      auto [it, is_new] = whole.try_emplace(pattern, false);
      if (is_new && members.size() > 1) {
        LayoutRule rule{.pattern = pattern, .axes = n.axes, .graph = {}, .comment = n.extents + " in " + std::to_string(members.size()) + " tensors"};
        if ((it->second = std::ranges::all_of(members, [&](const Named* m) { return m->axes == n.axes; }) && agrees(rule))) push(std::move(rule));
      }
      if (it->second) continue;
      LayoutRule rule{.pattern = n.tensor, .axes = n.axes, .graph = {}, .comment = n.extents};
      if (apart.contains(n.tensor)) rule.graph = n.graph;
      push(std::move(rule));
    }
    return layout;
  }

  const TypedGraph& graph_;
  const std::map<AtomId, std::string>& proposed_;
  std::vector<Named> list_, boundary_, between_;
  std::unordered_set<ValueId> added_, noted_;
  std::unordered_set<AtomId> reached_;
};

}  // namespace

Layout StageZero::proposed_layout() const {
  Layout layout = LayoutWriter(graph_, proposed_).write();
  layout.meets = met_;
  return layout;
}

bool StageZero::meets_by_length(const TypedNode& node) {
  const auto listed = [&](const std::string& pattern) {
    return std::ranges::any_of(node.node->outputs, [&](const std::string& output) { return wildcard_matches(pattern, output); });
  };
  if (std::ranges::any_of(options_.layout.meets, listed)) return true;
  if (!options_.auto_layout) return false;
  if (std::ranges::find(met_, node.node->outputs[0]) == met_.end()) met_.push_back(node.node->outputs[0]);
  return true;
}

}  // namespace loam
