// Names settled: what the rules say of each class of axes, which classes they leave unnamed, and what those are called.
#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "compiler/stage0/names.hpp"
#include "compiler/stage0/proposals.hpp"
#include "compiler/stage0/stage0.hpp"

namespace loam {

namespace {

// One part of an axis of a tensor: where a layout rule would name its class.
struct Place {
  std::string tensor;
  std::size_t rank = 0, axis = 0, part = 0, parts = 1;

  // "{"pattern": "*.c_fc.weight", "axes": ["_", "Inner"]}"
  std::string rule(const std::string& word) const {
    std::string text = "{\"pattern\": \"" + layered_name(tensor) + "\", \"axes\": [";
    for (std::size_t i = 0; i < rank; ++i) {
      std::string entry = i == axis ? word : "_";
      if (i == axis && parts > 1) {
        entry = "(";
        for (std::size_t k = 0; k < parts; ++k) entry += (k ? " " : "") + (k == part ? word : std::string("_"));
        entry += ")";
      }
      text += (i ? ", \"" : "\"") + entry + "\"";
    }
    return text + "]}";
  }
};

constexpr std::size_t most_listed = 8;

// The tensors that one name would run through, the first few by name.
struct Span {
  std::vector<std::string> tensors;
  std::size_t count = 0;

  void add(const std::string& tensor) {
    if (++count <= most_listed) tensors.push_back(tensor);
  }
  std::string text() const {
    std::string list;
    for (std::size_t i = 0; i < tensors.size(); ++i) list += (i ? ", " : "") + tensors[i];
    if (count > tensors.size()) list += " and " + std::to_string(count - tensors.size()) + " more";
    return list;
  }
};

struct Unnamed {
  AtomId atom = 0;
  Polynomial extent;
  Place first;             // where it appears first
  std::size_t row = ~std::size_t{0};
  std::string word;        // what the table calls it, and where
  Place named;
  bool alone = true;       // only axes of tensors that play one part share the word
  bool folded = true;      // it is met only in what the build evaluates: the shape a Reshape is given, of length 3
  Span span;
  std::vector<ValueId> values;
};

// What to call an axis that nothing names: its length where it has one.
std::string word_of_extent(const Symbols& symbols, const Polynomial& extent) {
  if (const auto n = extent.constant()) return "D" + std::to_string(*n);
  const std::string name = pascal_case(symbols.text(extent));
  return name.empty() || name.size() > 40 ? "Length" : name;
}

class Collector {
 public:
  explicit Collector(const TypedGraph& graph) : graph_(graph), seen_(graph.values.size()) { walk(graph.body); }

  // The classes that the module would show without a name, in the graph's order.
  std::vector<Unnamed> list;

 private:
  void walk(const TypedBlock& block) {
    const auto visit_all = [&](const std::vector<ValueId>& ids) {
      for (const ValueId id : ids)
        if (id != no_value && !seen_[id]) visit(id);
    };
    visit_all(block.inputs);
    for (const TypedNode& node : block.nodes) {
      if (!node.reached) continue;
      visit_all(node.inputs);
      for (const TypedBlock& inner : node.blocks) walk(inner);
      visit_all(node.outputs);
    }
    visit_all(block.outputs);
  }

  void visit(ValueId id) {
    seen_[id] = true;
    const TypedValue& value = graph_.values[id];
    if (!value.type) return;
    const auto& axes = value.type->axes;
    const auto table = value.origin == TypedValue::Origin::node ? std::nullopt : well_known(value.name, axes.size());
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (graph_.symbols.simplify(axes[k].extent()).is(1)) continue;
      const auto classes = graph_.axes.classes(axes[k]);
      const auto words = graph_.axes.spelled(axes[k]);
      std::optional<Axis> resolved;
      for (std::size_t i = 0; i < classes.size(); ++i) {
        if (!words[i].empty()) continue;
        if (!resolved) resolved = graph_.axes.resolve(axes[k]);
        const Polynomial& extent = resolved->parts.size() == classes.size() ? resolved->parts[i].extent : axes[k].extent();
        const Place place{value.name, axes.size(), k, i, classes.size()};
        const auto [it, is_new] = index_.try_emplace(classes[i], list.size());
        if (is_new) list.push_back({.atom = classes[i], .extent = graph_.symbols.simplify(extent), .first = place, .word = {}, .named = {}, .span = {}, .values = {}});
        Unnamed& u = list[it->second];
        u.folded = u.folded && value.known;
        if (u.values.empty() || u.values.back() != id) {
          u.values.push_back(id);
          u.span.add(value.name);
        }
        if (table && table->row < u.row) name_by_table(u, *table, place);
      }
    }
  }

  void name_by_table(Unnamed& u, const WellKnown& table, const Place& place) const {
    const std::string& entry = table.axes[place.axis];
    const auto extent = u.extent.constant();
    auto word = well_known_word(entry, place.part, place.parts, extent ? std::to_string(*extent) : "");
    if (!word) return;
    u.row = table.row;
    u.word = std::move(*word);
    u.named = place;
    u.alone = !entry.starts_with('=');
  }

  const TypedGraph& graph_;
  std::vector<bool> seen_;
  std::unordered_map<AtomId, std::size_t> index_;  // into list
};

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
  propose_names();
  for (TypedValue& value : graph_.values)
    if (value.type)
      for (Axis& axis : value.type->axes) {
        axis = axes.resolve(axis);
        for (Part& part : axis.parts) part.extent = graph_.symbols.simplify(part.extent);
      }
}

void StageZero::propose_names() {
  AxisTable& axes = graph_.axes;
  std::unordered_set<std::string> taken;
  for (AtomId a = 0; a < axes.size(); ++a)
    for (std::string& word : axes.spelled({{{a, 2}}}))
      if (!word.empty()) taken.insert(std::move(word));
  std::unordered_map<std::string, int> last;  // the number given last beside a word
  const auto mint = [&](const std::string& word) {
    if (taken.insert(word).second) return word;
    std::string name;
    int& k = last.try_emplace(word, 1).first->second;
    do name = word + "_" + std::to_string(++k);
    while (!taken.insert(name).second);
    return name;
  };
  // Two axes of one tensor are two, whatever part they play in their layers.
  const auto clashes = [&](const Unnamed& u, const std::string& name) {
    return std::ranges::any_of(u.values, [&](ValueId id) {
      return std::ranges::any_of(graph_.values[id].type->axes, [&](const Axis& axis) {
        const auto words = axes.spelled(axis);
        return std::ranges::find(words, name) != words.end();
      });
    });
  };
  struct Proposal {
    Place place;
    std::string origin, extent;
    Span span;
  };
  std::vector<std::pair<std::string, Proposal>> unnamed;        // by name
  std::unordered_map<std::string, std::string> shared;  // by what makes two classes one proposal
  std::unordered_map<std::string, std::size_t> listed;
  for (const Unnamed& u : Collector(graph_).list) {
    const bool table = !u.word.empty();
    const Place& place = table ? u.named : u.first;
    const std::string extent = graph_.symbols.text(u.extent);
    const std::string word = table ? u.word : word_of_extent(graph_.symbols, u.extent);
    std::string part = word + " " + extent;
    if (u.alone) part += " " + layered_name(place.tensor) + " " + std::to_string(place.axis) + " " + std::to_string(place.part);
    auto [it, is_new] = shared.try_emplace(std::move(part));
    if (is_new) it->second = mint(word);
    const std::string name = is_new || !clashes(u, it->second) ? it->second : mint(word);
    axes.give_name(u.atom, name);
    if (u.folded) continue;  // nobody asks for it: it stands in a module only where a kernel reads a constant
    proposed_[u.atom] = name;
    const auto [at, first] = listed.try_emplace(name, unnamed.size());
    if (first) unnamed.push_back({name, {place, axes.origin(u.atom), extent, {}}});
    Span& span = unnamed[at->second].second.span;
    span.count += u.span.count;
    for (const std::string& tensor : u.span.tensors)
      if (span.tensors.size() < most_listed) span.tensors.push_back(tensor);
  }
  if (options_.auto_layout || diagnostics_.failed()) return;  // a graph that is wrong may leave more unnamed than it would
  for (const auto& [name, proposal] : unnamed)
    diagnostics_.error(Code::axis_unnamed, proposal.span.tensors.front(),
                       proposal.origin + ", of length " + proposal.extent + ", has no name; it runs through " + proposal.span.text(),
                       "a layout rule for any of them names it, such as " + proposal.place.rule(name) +
                           "; `loam layout` writes one for each, and --layout auto takes them");
}

}  // namespace loam
