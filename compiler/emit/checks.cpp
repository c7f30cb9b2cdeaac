// What forward looks at before it computes: the lengths of its inputs, and sizes that the machine could not count.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/emit/writer.hpp"
#include "compiler/shape/binding.hpp"

namespace loam {

std::string ModuleWriter::input_checks() {
  std::string out;
  // Of each length what gives it, and for a message whose it is and on which axis.
  struct Place {
    std::string given, owner, axis;
  };
  std::vector<Polynomial> lengths;
  std::vector<Place> places;
  for (std::size_t i = 0; i < input_.program.inputs.size(); ++i) {
    const ProgramInput& input = input_.program.inputs[i];
    const VirtualTensor& t = tensor(input.tensor);
    for (std::size_t k = 0; k < input.declared.size(); ++k) {
      const std::string label = axis_label(t.axes[k]);
      lengths.push_back(input.declared[k]);
      places.push_back({fmt::format("{}.extent({})", input_names_[i], k), t.name, label == "1" ? std::to_string(k) : label});
    }
  }
  for (const auto& [symbol, member] : cache_members_) {
    lengths.push_back(Polynomial::symbol(symbol));
    places.push_back({"cache." + member, "cache", symbols_.text(symbol)});
  }
  const Bindings bindings = bind_symbols(symbols_, lengths);
  for (const SymbolId id : bindings.unbound)
    diagnostics_.error(Code::value_needed, symbols_.text(id), "is a length that no input gives");
  if (!bindings.bound.empty()) out += "  // The lengths the inputs bring, and what they must agree on.\n";
  for (const Binding& binding : bindings.bound) {
    if (!binding.rest.is_constant()) check_sizes(1, out);
    define_symbols(binding.rest, 1, out);
    define_symbols(binding.coefficient, 1, out);
    std::string value = places[binding.axis].given;
    if (!binding.rest.is(0)) value = fmt::format("{} - ({})", value, text(binding.rest));
    if (!binding.coefficient.is(1)) value = fmt::format("loam::floor_div({}, {})", value, text(binding.coefficient));
    out += fmt::format("  const std::int64_t {} = {};\n", symbol_name(binding.symbol), value);
    defined_.insert(binding.symbol);
  }
  for (const SymbolId id : bindings.nonnegative)
    out += fmt::format("  if ({} < 0) return loam::unmet({}, \"is a length, so it is not negative\", {});\n", symbol_name(id), cpp_string(symbols_.text(id)), symbol_name(id));
  std::string list;
  for (const Binding& binding : bindings.bound) list += (list.empty() ? "" : ", ") + symbol_name(binding.symbol);
  if (!list.empty()) out += fmt::format("  if (!loam::are_lengths({{{0}}})) return loam::too_large({1});\n", list, cpp_string(list));
  check_sizes(1, out);
  for (const AxisCheck& check : bindings.checks) {
    define_symbols(check.length, 1, out);
    const Place& place = places[check.axis];
    out += fmt::format("  if ({0} != {1}) return loam::wrong_extent({2}, {3}, {0}, {1});\n", place.given, text(check.length), cpp_string(place.owner),
                       cpp_string(place.axis));
  }
  return out;
}

// The products that must fit 64 bits, once every length in them is there and before anything is computed from it.
void ModuleWriter::check_sizes(int depth, std::string& out) {
  for (auto bound = size_bounds_.begin(); bound != size_bounds_.end();) {
    if (!std::ranges::all_of(bound->lengths, [&](SymbolId id) { return defined_.contains(id); })) {
      ++bound;
      continue;
    }
    std::string lengths, text;
    for (const SymbolId id : bound->lengths) {
      lengths += (lengths.empty() ? "" : ", ") + symbol_name(id);
      text += (text.empty() ? "" : "*") + symbols_.text(id);
    }
    out += fmt::format("{}if (!loam::fits({}, {{{}}})) return loam::too_large({});\n", indent(depth), cpp_literal(bound->coefficient, DType::float64),
                       lengths, cpp_string(text));
    bound = size_bounds_.erase(bound);
  }
}

// A length that a node gives lies where its symbol's range says.
void ModuleWriter::check_length(SymbolId id, const std::string& site, int depth, std::string& out) {
  const Range range = symbols_[id].range;
  if (!(range == Range::any()))
    out += fmt::format("{0}if (!loam::lies_within({1}, {2}, {3})) return loam::no_length({4}, {1}, {2}, {3});\n", indent(depth), symbol_name(id), range.low,
                       range.high, cpp_string(site));
  check_sizes(depth, out);
}

}  // namespace loam
