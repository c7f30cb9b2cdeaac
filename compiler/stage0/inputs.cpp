// The graph's inputs: what each is, what the options settle of it, and the lengths that its dimensions name.
//
// A sequence or an optional is, once settled, the tensors it holds: forward takes NAME_0, NAME_1, ... in its place.
#include <algorithm>

#include "compiler/shape/binding.hpp"
#include "compiler/shape/dim_param.hpp"
#include "compiler/stage0/names.hpp"
#include "compiler/stage0/stage0.hpp"

namespace loam {

namespace {

constexpr std::int64_t most_elements = 4096;  // each is an argument of forward
constexpr std::int64_t most_axes = 8;         // that a kernel takes

bool is_tensor(const ValueInfo& input) { return input.type.kind == ValueType::Kind::tensor; }

// The names in a dimension that is spelled in words: "N", or those of "N + 1".
std::vector<std::string> names_in(const Dimension& d) {
  const auto* word = std::get_if<std::string>(&d);
  if (!word) return {};
  const auto e = parse_dim_expression(*word);
  return e ? std::vector<std::string>(e->names().begin(), e->names().end()) : std::vector{*word};
}

bool holds(DType type, std::int64_t n) {
  if (type == DType::boolean) return n == 0 || n == 1;
  const int bits = dtype_bits(type);
  const bool is_unsigned = dtype_name(type).starts_with('u');
  if (is_unsigned && n < 0) return false;
  if (bits >= 64) return true;
  return is_unsigned ? n < std::int64_t{1} << bits
                     : n >= -(std::int64_t{1} << (bits - 1)) && n < std::int64_t{1} << (bits - 1);
}

}  // namespace

std::optional<Polynomial> StageZero::dim_extent(const std::string& dim_param) {
  if (const auto it = options_.dims.find(dim_param); it != options_.dims.end()) return Polynomial(it->second);
  auto p = parse_dim_param(dim_param, graph_.symbols, [&](std::string_view name) { return given_names_.contains(name); });
  if (!p) return std::nullopt;
  for (const auto& [name, extent] : options_.dims)
    if (const auto id = graph_.symbols.find_input(name)) p = p->substitute(*id, extent);
  return p;
}

// The names that inputs give: some axis is the name alone, or its length is linear in it once the others are known. A
// spelling over any other name is one opaque name, so "batch * seq" on an input alone names one symbol.
void StageZero::find_given_names() {
  std::vector<std::string> spellings;
  for (const auto& [id, input] : listed_) {
    if (!input.type.shape) continue;
    for (const Dimension& d : *input.type.shape)
      if (const auto* word = std::get_if<std::string>(&d)) spellings.push_back(*word);
  }
  for (const std::string& word : spellings)
    if (const auto e = parse_dim_expression(word))
      for (const std::string& name : e->names()) given_names_.insert(name);
  for (bool again = true; again;) {
    Symbols symbols;
    std::vector<Polynomial> lengths;
    for (const std::string& word : spellings) {
      auto p = parse_dim_param(word, symbols, [&](std::string_view name) { return given_names_.contains(name); });
      for (const auto& [name, extent] : options_.dims)
        if (const auto id = symbols.find_input(name); id && p) p = p->substitute(*id, extent);
      if (p) lengths.push_back(*p);
    }
    again = false;
    for (const SymbolId id : bind_symbols(symbols, lengths).unbound) again = given_names_.erase(symbols[id].name) > 0 || again;
  }
}

// A value of a sequence, or of an optional. A length that a tensor among the inputs names too is that one, and so is one
// that an option gives; any other is the value's own, since a sequence's tensors may be of different lengths.
ValueInfo StageZero::element_of(const ValueInfo& structure, std::int64_t place) const {
  const std::string suffix = "_" + std::to_string(place);
  ValueInfo element{structure.name + suffix, *structure.type.element};
  if (structure.type.kind != ValueType::Kind::sequence || !element.type.shape) return element;
  for (Dimension& d : *element.type.shape) {
    const std::vector<std::string> names = names_in(d);
    if (std::ranges::all_of(names, [&](const std::string& n) { return given_names_.contains(n) || options_.dims.contains(n); }))
      continue;
    if (names.size() == 1 && names[0] == std::get<std::string>(d)) d = names[0] + suffix;
    else d = std::monostate();
  }
  return element;
}

ValueId StageZero::list_input(ValueInfo input) {
  const ValueId id = add({.name = input.name, .origin = TypedValue::Origin::input, .type = {}, .known = {}, .data = nullptr});
  if (is_tensor(input)) {
    if (const auto rank = options_.ranks.find(input.name); rank != options_.ranks.end()) {
      if (input.type.shape) refuse_option("--rank " + input.name, "the graph declares it");
      else if (rank->second < 0 || rank->second > most_axes) refuse_option("--rank " + input.name, "is from 0 to " + std::to_string(most_axes));
      else input.type.shape.emplace(static_cast<std::size_t>(rank->second));
    }
    listed_.emplace_back(id, std::move(input));
    return id;
  }
  const bool optional = input.type.kind == ValueType::Kind::optional;
  if ((!optional && input.type.kind != ValueType::Kind::sequence) || !input.type.element) {
    diagnostics_.error(Code::operator_form, input.name, "is an input that is no tensor, sequence or optional");
    return id;
  }
  const auto given = options_.elements.find(input.name);
  if (given == options_.elements.end()) {
    diagnostics_.error(Code::structure_unsettled, input.name,
                       optional ? "is an optional, and the build must know whether it holds a value"
                                : "is a sequence, and the build must know how many values it holds",
                       "--elements " + input.name + (optional ? "=0 or =1 says it" : "=N says it"));
    return id;
  }
  Structure structure{optional ? Structure::Kind::optional : Structure::Kind::sequence, {}, {}};
  if (input.type.element->kind == ValueType::Kind::tensor) structure.dtype = input.type.element->dtype;
  const std::int64_t most = optional ? 1 : most_elements;
  if (given->second < 0 || given->second > most) refuse_option("--elements " + input.name, "is from 0 to " + std::to_string(most));
  else
    for (std::int64_t i = 0; i < given->second; ++i) structure.items.push_back(list_input(element_of(input, i)));
  graph_.values[id].structure = std::move(structure);
  return id;
}

// An input whose elements an option gives is a constant, which forward does not take.
bool StageZero::settle_value(ValueId id, const ValueInfo& input) {
  const auto given = options_.values.find(input.name);
  if (given == options_.values.end()) return false;
  const auto& elements = given->second;
  const auto refuse = [&](std::string what) {
    refuse_option("--value " + input.name, std::move(what));
    return true;
  };
  const DType dtype = input.type.dtype;
  if (!is_integer(dtype) && dtype != DType::boolean)
    return refuse("the input is " + std::string(dtype_name(dtype)) + ", and a value is of integers or bools");
  Known known{dtype, {}, {}};
  std::int64_t n = 1;
  for (const Dimension& d : *input.type.shape) {
    // One axis whose length is open is as long as the list; of several, the list does not say which is.
    const auto* extent = std::get_if<std::int64_t>(&d);
    if (!extent && input.type.shape->size() > 1) return refuse("the input has axes whose lengths the graph leaves open");
    known.dims.push_back(extent ? *extent : static_cast<std::int64_t>(elements.size()));
    n *= known.dims.back();
  }
  if (n != static_cast<std::int64_t>(elements.size()))
    return refuse("gives " + std::to_string(elements.size()) + " elements, and the input has " + std::to_string(n));
  for (const std::int64_t e : elements) {
    if (!holds(dtype, e)) return refuse(std::to_string(e) + " is no " + std::string(dtype_name(dtype)));
    known.elements.emplace_back(Polynomial(e));
  }
  TensorType type{dtype, {}};
  for (std::size_t i = 0; i < known.dims.size(); ++i)
    type.axes.push_back(graph_.axes.fresh_axis(known.dims[i], "axis " + std::to_string(i) + " of " + input.name));
  graph_.values[id].type = std::move(type);
  graph_.values[id].known = std::move(known);
  return true;
}

void StageZero::declare_tensor(ValueId id, const ValueInfo& input) {
  if (!input.type.shape) {
    diagnostics_.error(Code::rank_mismatch, input.name, "the graph declares no rank for this input",
                       "--rank " + input.name + "=N says how many axes it has");
    return;
  }
  if (dtype_cpp(input.type.dtype).empty()) {
    diagnostics_.error(Code::element_type, input.name,
                       input.type.dtype == DType::undefined
                           ? "the graph declares no element type for this input"
                           : "is " + std::string(dtype_name(input.type.dtype)) + ", which no kernel computes with");
    return;
  }
  if (settle_value(id, input)) return;
  DeclaredInput declared{id, {}};
  TensorType type{input.type.dtype, {}};
  for (std::size_t i = 0; i < input.type.shape->size(); ++i) {
    const Dimension& d = (*input.type.shape)[i];
    const std::string origin = "axis " + std::to_string(i) + " of " + input.name;
    Polynomial extent;
    std::string proposal;
    if (const auto* n = std::get_if<std::int64_t>(&d)) {
      extent = *n;
    } else if (const auto* word = std::get_if<std::string>(&d)) {
      extent = *dim_extent(*word);
      proposal = pascal_case(*word);
    } else {
      extent = graph_.symbols.input(input.name + "_dim" + std::to_string(i));
      proposal = pascal_case(input.name + " dim" + std::to_string(i));
    }
    Axis axis = graph_.axes.fresh_axis(extent, origin);
    if (!proposal.empty() && !extent.is(1)) graph_.axes.propose(axis, proposal);
    declared.declared.push_back(extent);
    type.axes.push_back(std::move(axis));
  }
  graph_.values[id].type = std::move(type);
  inputs_.push_back(std::move(declared));
  graph_.body.inputs.push_back(id);
  apply_layout(id, model_.graph, true);
}

void StageZero::declare_inputs() {
  for (const ValueInfo& input : model_.graph.inputs)
    if (is_tensor(input) && input.type.shape)
      for (const Dimension& d : *input.type.shape)
        for (std::string& name : names_in(d)) given_names_.insert(std::move(name));
  for (const ValueInfo& input : model_.graph.inputs) scope_->names.emplace(input.name, list_input(input));
  find_given_names();
  for (const auto& [id, input] : listed_) declare_tensor(id, input);
  check_input_options();
}

void StageZero::refuse_option(std::string option, std::string what) const {
  diagnostics_.error(Code::bad_option, std::move(option), std::move(what));
}

// An option that no input has asked for names none.
void StageZero::check_input_options() {
  for (const auto& [name, extent] : options_.dims) {
    const bool used = std::ranges::any_of(listed_, [&](const auto& listed) {
      const auto& shape = listed.second.type.shape;
      return shape && std::ranges::any_of(*shape, [&](const Dimension& d) {
        const auto* word = std::get_if<std::string>(&d);
        const std::vector<std::string> names = names_in(d);
        return word && (*word == name || std::ranges::find(names, name) != names.end());
      });
    });
    if (extent < 0) refuse_option("--dim " + name, "an extent is not negative");
    if (!used) refuse_option("--dim " + name, "the graph has no such dimension");
  }
  const auto has_tensor = [&](const std::string& name) {
    return std::ranges::any_of(listed_, [&](const auto& listed) { return listed.second.name == name; });
  };
  for (const auto& [name, n] : options_.elements)
    if (std::ranges::none_of(graph_.values, [&](const TypedValue& v) { return v.name == name && v.structure; }))
      refuse_option("--elements " + name, "the graph has no such input that is a sequence or an optional");
  for (const auto& [name, rank] : options_.ranks)
    if (!has_tensor(name)) refuse_option("--rank " + name, "the graph has no such input that is a tensor");
  for (const auto& [name, elements] : options_.values)
    if (!has_tensor(name)) refuse_option("--value " + name, "the graph has no such input that is a tensor");
}

}  // namespace loam
