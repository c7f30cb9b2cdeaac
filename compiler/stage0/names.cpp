#include "compiler/stage0/names.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "compiler/stage0/stage0.hpp"

namespace loam {

bool wildcard_matches(std::string_view pattern, std::string_view text) {
  // Greedy with one point to come back to: linear but for the last *.
  std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<std::string> layout_words(std::string_view axis) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : axis) {
    if (c == '(' || c == ')' || c == ' ') {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

std::string pascal_case(std::string_view words) {
  std::string name;
  bool start = true;
  for (const char c : words) {
    if (c == '+') {
      name += "Plus";
      start = true;
    } else if (c == '*') {
      name += "Times";
      start = true;
    } else if (std::isalnum(static_cast<unsigned char>(c))) {
      name += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      start = false;
    } else {
      start = true;
    }
  }
  if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0]))) name.insert(0, "D");
  return name;
}

namespace {

// What to call an axis that nothing names: its length where it has one.
std::string proposal_for(const Symbols& symbols, const Polynomial& extent) {
  if (const auto n = extent.constant()) return "D" + std::to_string(*n);
  const std::string name = pascal_case(symbols.text(extent));
  return name.empty() || name.size() > 40 ? "Length" : name;
}

}  // namespace

void StageZero::settle_names() {
  AxisTable& axes = graph_.axes;
  for (const AxisTable::Conflict& c : axes.settle()) {
    if (c.second_tensor.empty()) {
      diagnostics_.error(Code::axis_names_meet, c.first_tensor, "the layout names an axis " + c.first + ", and the graph makes it of " + c.second);
      continue;
    }
    std::string chain;
    for (const std::uint32_t r : c.chain) chain += (chain.empty() ? "" : ", then ") + graph_.reasons[r]->site();
    diagnostics_.error(Code::axis_names_meet, c.second_tensor,
                       "axis " + c.second + " meets axis " + c.first + ", which " + c.first_tensor + " names",
                       chain.empty() ? "" : "they are made one by " + chain);
  }
  // The classes that reach the module without a name, each with the tensors it spans, in the graph's order.
  struct Unnamed {
    std::vector<std::string> tensors;
    Polynomial extent;
    bool folded = true;  // it is met only in what the build evaluates: the shape a Reshape is given, of length 3
  };
  std::map<AtomId, Unnamed> unnamed;
  std::vector<AtomId> order;
  const auto visit = [&](ValueId id) {
    const TypedValue& value = graph_.values[id];
    if (!value.type) return;
    for (const Axis& axis : value.type->axes) {
      if (graph_.symbols.simplify(axis.extent()).is(1)) continue;
      const auto classes = axes.classes(axis);
      const auto words = axes.spelled(axis);
      const Axis resolved = axes.resolve(axis);
      for (std::size_t i = 0; i < classes.size(); ++i) {
        if (!words[i].empty()) continue;
        auto [it, is_new] = unnamed.try_emplace(classes[i]);
        if (is_new) {
          order.push_back(classes[i]);
          it->second.extent = resolved.parts.size() == classes.size() ? resolved.parts[i].extent : axis.extent();
        }
        it->second.folded = it->second.folded && value.known;
        if (it->second.tensors.empty() || it->second.tensors.back() != value.name) it->second.tensors.push_back(value.name);
      }
    }
  };
  const auto walk = [&](const auto& self, const TypedBlock& block) -> void {
    for (const ValueId id : block.inputs) visit(id);
    for (const TypedNode& node : block.nodes) {
      if (!node.reached) continue;
      for (const ValueId id : node.inputs)
        if (id != no_value) visit(id);
      for (const TypedBlock& inner : node.blocks) self(self, inner);
      for (const ValueId id : node.outputs)
        if (id != no_value) visit(id);
    }
    for (const ValueId id : block.outputs)
      if (id != no_value) visit(id);
  };
  walk(walk, graph_.body);

  std::set<std::string> taken;
  for (AtomId a = 0; a < axes.size(); ++a)
    for (const std::string& word : axes.spelled({{{a, 2}}}))
      if (!word.empty()) taken.insert(word);
  for (const AtomId atom : order) {
    const Unnamed& u = unnamed[atom];
    const std::string base = proposal_for(graph_.symbols, graph_.symbols.simplify(u.extent));
    std::string name = base;
    for (int k = 2; taken.contains(name); ++k) name = base + "_" + std::to_string(k);
    taken.insert(name);
    if (u.folded) {
      axes.give_name(atom, name);  // nobody asks for it: it stands in a module only where a kernel reads a constant
      continue;
    }
    proposed_[atom] = name;
    if (!options_.auto_layout && !diagnostics_.failed()) {
      constexpr std::size_t most_listed = 8;
      std::string list;
      for (std::size_t i = 0; i < u.tensors.size() && i < most_listed; ++i) list += (i ? ", " : "") + u.tensors[i];
      if (u.tensors.size() > most_listed) list += " and " + std::to_string(u.tensors.size() - most_listed) + " more";
      diagnostics_.error(Code::axis_unnamed, u.tensors.front(),
                         axes.origin(atom) + ", of length " + graph_.symbols.text(u.extent) + ", has no name; it runs through " + list,
                         "name it in a layout rule for any of them (`loam layout` writes one), or build with --layout auto");
    }
    axes.give_name(atom, name);
  }
  for (TypedValue& value : graph_.values)
    if (value.type)
      for (Axis& axis : value.type->axes) {
        axis = axes.resolve(axis);
        for (Part& part : axis.parts) part.extent = graph_.symbols.simplify(part.extent);
      }
}

Layout StageZero::proposed_layout() const {
  Layout layout;
  std::set<std::string> done;
  const auto propose = [&](ValueId id) {
    const TypedValue& value = graph_.values[id];
    if (!value.type || value.type->axes.empty() || !done.insert(value.name).second) return;
    LayoutRule rule{.pattern = value.name, .axes = {}, .graph = {}};
    bool says_something = false;
    for (const Axis& axis : value.type->axes) {
      std::string words;
      const auto spelled = graph_.axes.spelled(axis);
      for (const std::string& word : spelled) words += (words.empty() ? "" : " ") + word;
      const bool named = !words.empty() && std::ranges::none_of(spelled, &std::string::empty);
      says_something = says_something || named;
      rule.axes.push_back(!named ? "_" : spelled.size() > 1 ? "(" + words + ")" : words);
    }
    if (says_something) layout.rules.push_back(std::move(rule));
  };
  for (const ValueId id : graph_.body.inputs) propose(id);
  const auto walk = [&](const auto& self, const TypedBlock& block) -> void {
    for (const TypedNode& node : block.nodes) {
      if (!node.reached) continue;
      for (const ValueId id : node.inputs)
        if (id != no_value && graph_.values[id].origin == TypedValue::Origin::initializer && !graph_.values[id].known) propose(id);
      for (const TypedBlock& inner : node.blocks) self(self, inner);
    }
  };
  walk(walk, graph_.body);
  // What no input or initializer reaches is named where it appears first.
  std::set<AtomId> reached;
  for (const std::string& name : done)
    for (const TypedValue& value : graph_.values)
      if (value.name == name && value.type)
        for (const Axis& axis : value.type->axes)
          for (const AtomId atom : graph_.axes.classes(axis)) reached.insert(atom);
  for (const auto& [atom, word] : proposed_) {
    if (reached.contains(atom)) continue;
    for (ValueId id = 0; id < graph_.values.size(); ++id) {
      const TypedValue& value = graph_.values[id];
      if (!value.type || value.origin != TypedValue::Origin::node || done.contains(value.name)) continue;
      bool carries = false;
      for (const Axis& axis : value.type->axes)
        for (const AtomId a : graph_.axes.classes(axis)) carries = carries || a == atom;
      if (!carries) continue;
      propose(id);
      for (const Axis& axis : value.type->axes)
        for (const AtomId a : graph_.axes.classes(axis)) reached.insert(a);
      break;
    }
  }
  return layout;
}

}  // namespace loam
