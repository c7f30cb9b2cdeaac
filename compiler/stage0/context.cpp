// What operators ask of their node while stage 0 reads it: inputs, attributes, and the relations they state.
#include <algorithm>

#include "compiler/operators/operator.hpp"
#include "compiler/stage0/stage0.hpp"

namespace loam {

bool NodeContext::has(int i) const {
  return i < inputs() && node_.inputs[static_cast<std::size_t>(i)] != no_value;
}

const TensorType& NodeContext::type(int i) const {
  static const TensorType none;
  if (!has(i)) return none;
  const auto& type = stage_.graph().values[node_.inputs[static_cast<std::size_t>(i)]].type;
  return type ? *type : none;
}

Polynomial NodeContext::extent(int i, int k) const { return symbols().simplify(axis(i, k).extent()); }

Polynomial NodeContext::elements(int i) const {
  Polynomial n = 1;
  for (int k = 0; k < rank(i); ++k) n = n * extent(i, k);
  return n;
}

bool NodeContext::rank_varies(int i) const {
  return has(i) && stage_.graph().values[node_.inputs[static_cast<std::size_t>(i)]].rank_varies;
}

const Known* NodeContext::known(int i) const {
  if (!has(i)) return nullptr;
  const auto& known = stage_.graph().values[node_.inputs[static_cast<std::size_t>(i)]].known;
  return known ? &*known : nullptr;
}

std::optional<Known> NodeContext::carried(int i) const {
  if (const Known* k = known(i)) return *k;
  const TensorData* data = has(i) ? stage_.graph().values[node_.inputs[static_cast<std::size_t>(i)]].data : nullptr;
  return data ? known_from(*data) : std::nullopt;
}

std::string NodeContext::input_name(int i) const {
  return has(i) ? stage_.graph().values[node_.inputs[static_cast<std::size_t>(i)]].name : std::string();
}

bool NodeContext::wants(int k) const {
  return k < outputs() && node_.outputs[static_cast<std::size_t>(k)] != no_value;
}

const TensorType& NodeContext::output_type(int k) const {
  static const TensorType none;
  if (!wants(k)) return none;
  const auto& type = stage_.graph().values[node_.outputs[static_cast<std::size_t>(k)]].type;
  return type ? *type : none;
}

Symbols& NodeContext::symbols() const { return stage_.graph().symbols; }

std::string NodeContext::spell(const Polynomial& p) const { return symbols().text(p); }

std::string NodeContext::spell(const Axis& axis) const {
  if (const auto hint = stage_.graph().axes.hint(axis)) return "axis " + *hint;
  return stage_.graph().axes.origin(axis.parts[0].atom);
}

void NodeContext::error(Code code, std::string message, std::string note) const {
  stage_.diagnostics().error(code, site(), std::move(message), std::move(note));
}

namespace {

template <class T>
const T* attribute_as(const NodeContext& c, std::string_view name, std::string_view kind) {
  const Attribute* attribute = c.node().attribute(name);
  if (!attribute) return nullptr;
  const T* value = std::get_if<T>(&attribute->value);
  if (!value) c.error(Code::bad_attribute, "attribute " + std::string(name) + " is not " + std::string(kind));
  return value;
}

}  // namespace

std::int64_t NodeContext::integer(std::string_view name, std::int64_t fallback) const {
  const auto* v = attribute_as<std::int64_t>(*this, name, "an integer");
  return v ? *v : fallback;
}

double NodeContext::number(std::string_view name, double fallback) const {
  const auto* v = attribute_as<float>(*this, name, "a number");
  return v ? static_cast<double>(*v) : fallback;
}

std::string NodeContext::text(std::string_view name, std::string_view fallback) const {
  const auto* v = attribute_as<std::string>(*this, name, "a string");
  return v ? *v : std::string(fallback);
}

std::optional<std::vector<std::int64_t>> NodeContext::integers(std::string_view name) const {
  const auto* v = attribute_as<std::vector<std::int64_t>>(*this, name, "a list of integers");
  return v ? std::optional(*v) : std::nullopt;
}

std::optional<std::vector<double>> NodeContext::numbers(std::string_view name) const {
  const auto* v = attribute_as<std::vector<float>>(*this, name, "a list of numbers");
  return v ? std::optional(std::vector<double>(v->begin(), v->end())) : std::nullopt;
}

std::optional<std::vector<std::string>> NodeContext::texts(std::string_view name) const {
  const auto* v = attribute_as<std::vector<std::string>>(*this, name, "a list of strings");
  return v ? std::optional(*v) : std::nullopt;
}

const TensorData* NodeContext::tensor(std::string_view name) const {
  return attribute_as<TensorData>(*this, name, "a tensor");
}

const Graph* NodeContext::graph(std::string_view name) const {
  const auto* v = attribute_as<std::shared_ptr<const Graph>>(*this, name, "a graph");
  return v ? v->get() : nullptr;
}

std::optional<std::vector<Polynomial>> NodeContext::extents(int i, std::string_view attribute, bool& failed) const {
  if (has(i)) {
    const Known* k = known(i);
    if (!k || !k->integral()) {
      failed = true;
      error(Code::value_needed, input_name(i) + " is computed at run time, and the build reads it as " +
                                    std::string(attribute.empty() ? "a list of extents" : attribute));
      return std::nullopt;
    }
    std::vector<Polynomial> values;
    for (std::size_t e = 0; e < k->elements.size(); ++e) values.push_back(symbols().simplify(k->integer(e)));
    return values;
  }
  if (attribute.empty() || !has_attribute(attribute)) return std::nullopt;
  if (const auto* one = std::get_if<std::int64_t>(&node().attribute(attribute)->value)) return std::vector<Polynomial>{*one};
  const auto list = integers(attribute);
  if (!list) {
    failed = true;
    return std::nullopt;
  }
  return std::vector<Polynomial>(list->begin(), list->end());
}

std::optional<std::vector<std::int64_t>> NodeContext::list(int i, std::string_view attribute, bool& failed) const {
  const auto values = extents(i, attribute, failed);
  if (!values) return std::nullopt;
  std::vector<std::int64_t> list;
  for (const Polynomial& p : *values) {
    const auto c = p.constant();
    if (!c) {
      failed = true;
      error(Code::value_needed, std::string(attribute) + " holds " + spell(p) + ", and the operator needs a number there");
      return std::nullopt;
    }
    list.push_back(*c);
  }
  return list;
}

std::optional<int> NodeContext::axis_index(std::int64_t axis, int rank) const {
  if (axis < -rank || axis >= rank) {
    error(Code::index_out_of_range, "axis " + std::to_string(axis) + " of a tensor of " + std::to_string(rank) + " axes");
    return std::nullopt;
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::optional<std::vector<int>> NodeContext::axis_indices(const std::vector<std::int64_t>& axes, int rank) const {
  std::vector<int> result;
  for (const std::int64_t axis : axes) {
    const auto index = axis_index(axis, rank);
    if (!index) return std::nullopt;
    if (std::ranges::find(result, *index) != result.end()) {
      error(Code::bad_attribute, "axis " + std::to_string(axis) + " is listed twice");
      return std::nullopt;
    }
    result.push_back(*index);
  }
  std::ranges::sort(result);
  return result;
}

void InferContext::output(int k, DType dtype, std::vector<Axis> axes) {
  if (!wants(k)) return;
  if (dtype != DType::undefined && dtype_cpp(dtype).empty())
    return error(Code::element_type, "gives " + std::string(dtype_name(dtype)) + ", which no kernel computes with");
  if (axes.size() > 8) {
    error(Code::operator_form, "gives a tensor of " + std::to_string(axes.size()) + " axes, and a kernel takes 8 at most");
    return;
  }
  for (Axis& axis : axes)
    for (Part& part : axis.parts) {
      part.extent = symbols().simplify(part.extent);
      if (part.extent.overflowed()) {
        error(Code::overflow, "an extent of the output does not fit in 64 bits");
        return;
      }
    }
  value(node_.outputs[static_cast<std::size_t>(k)]).type = TensorType{dtype, std::move(axes)};
}

void InferContext::vary_rank(int k) {
  if (wants(k)) value(node_.outputs[static_cast<std::size_t>(k)]).rank_varies = true;
}

void InferContext::fold(int k, Known known) {
  if (!wants(k)) return;
  for (const Scalar& e : known.elements)
    if (const auto* p = std::get_if<Polynomial>(&e); p && p->overflowed()) {
      error(Code::overflow, "an integer the graph computes does not fit in 64 bits");
      return;
    }
  value(node_.outputs[static_cast<std::size_t>(k)]).known = std::move(known);
}

Axis InferContext::fresh(const Polynomial& extent) const {
  return stage_.graph().axes.fresh_axis(extent, "an axis of " + (wants(0) ? stage_.graph().values[node_.outputs[0]].name : site()));
}

std::uint32_t InferContext::reason() const {
  auto& reasons = stage_.graph().reasons;
  if (reasons.empty() || reasons.back() != node_.node) reasons.push_back(node_.node);
  return static_cast<std::uint32_t>(reasons.size() - 1);
}

namespace {

Axis simplified(const Symbols& symbols, Axis axis) {
  for (Part& part : axis.parts) part.extent = symbols.simplify(part.extent);
  return axis;
}

}  // namespace

Axis InferContext::equate(const Axis& first, const Axis& second, std::string_view left, std::string_view right) const {
  Axis a = simplified(symbols(), first), b = simplified(symbols(), second);
  const Polynomial ea = a.extent(), eb = b.extent();
  if (!(ea == eb)) {
    const Axis& name = !stage_.graph().axes.hint(a) && stage_.graph().axes.hint(b) ? b : a;
    if (!stage_.equate(ea, eb, site(), spell(name) + " is " + spell(ea) + " " + std::string(left) + " and " + spell(eb) + " " + std::string(right)))
      return a;
  }
  if (ea.is(1)) return a;  // one element: nothing to make one, and each may keep its name
  a = simplified(symbols(), std::move(a)), b = simplified(symbols(), std::move(b));  // by what their being equal settles
  if (!stage_.graph().axes.unify(a, b, reason()) && !stage_.meets_by_length(node_))
    error(Code::axis_names_meet, spell(a) + " " + std::string(left) + " and " + spell(b) + " " + std::string(right) +
                                     " are made of parts that no regrouping makes one",
          "where they are to meet by their length alone, the layout's \"meets\" lists \"" + node_.node->outputs[0] + "\"");
  // The simpler spelling carries on: what was owed for a clamp to be its bound is then not owed again downstream.
  const auto derived = [&](const Polynomial& p) {
    return std::ranges::count_if(p.symbols(), [&](SymbolId id) { return symbols()[id].origin == Symbol::Origin::derived; });
  };
  if (ea.is_constant()) return a;
  return eb.is_constant() || derived(eb) < derived(ea) ? b : a;
}

bool InferContext::equate(const Polynomial& a, const Polynomial& b, const std::string& reason) const {
  return stage_.equate(symbols().simplify(a), symbols().simplify(b), site(), reason);
}

Axis InferContext::broadcast(const Axis& a, const Axis& b) const {
  const Polynomial ea = symbols().simplify(a.extent()), eb = symbols().simplify(b.extent());
  if (ea.is(1)) return eb.is(1) && stage_.graph().axes.hint(a) ? a : b;
  if (eb.is(1)) return a;
  return equate(a, b);
}

std::vector<Axis> InferContext::broadcast(const std::vector<Axis>& a, const std::vector<Axis>& b) const {
  const auto& longer = a.size() >= b.size() ? a : b;
  std::vector<Axis> result(longer.begin(), longer.end());
  const std::size_t n = std::min(a.size(), b.size());
  for (std::size_t i = 1; i <= n; ++i) result[result.size() - i] = broadcast(a[a.size() - i], b[b.size() - i]);
  return result;
}

std::vector<Axis> InferContext::regroup(const std::vector<Axis>& from, const std::vector<Polynomial>& to) const {
  const std::string origin = "an axis of " + (wants(0) ? stage_.graph().values[node_.outputs[0]].name : site());
  std::vector<Axis> simple = from;
  for (Axis& axis : simple)
    for (Part& part : axis.parts) part.extent = symbols().simplify(part.extent);
  std::vector<Polynomial> extents;
  for (const Polynomial& p : to) extents.push_back(symbols().simplify(p));
  auto axes = stage_.graph().axes.regroup(simple, extents, origin, reason());
  std::vector<Axis> result;
  for (std::size_t i = 0; i < axes.size(); ++i) result.push_back(axes[i] ? std::move(*axes[i]) : fresh(extents[i]));
  return result;
}

bool InferContext::owe(const Polynomial& slack, const std::string& reason) const { return stage_.owe(symbols().simplify(slack), site(), reason); }

Polynomial InferContext::bind(const std::string& hint, Range range) const {
  const Polynomial p = symbols().bound(hint, range);
  node_.bound.push_back(p);
  return p;
}

Axis InferContext::either(const Axis& a, const Axis& b, const Polynomial& extent) const {
  const auto left = stage_.graph().axes.hint(a), right = stage_.graph().axes.hint(b);
  const bool apart = left && right && *left != *right;
  Axis axis = fresh(extent);
  if (a.parts.size() == 1 && b.parts.size() == 1 && !apart && !a.unit() && !b.unit()) {
    // Lengths may differ, so only the identities are made one.
    stage_.graph().axes.unify({{{a.parts[0].atom, extent}}}, {{{b.parts[0].atom, extent}}}, reason());
    axis.parts[0].atom = a.parts[0].atom;
  } else if (a.parts.size() == b.parts.size() && a.extent() == b.extent() && !apart && stage_.graph().axes.unify(a, b, reason())) {
    return a;
  }
  return axis;
}

TypedBlock& InferContext::block(const Graph& graph, const std::vector<TensorType>& inputs, const std::vector<const Known*>& known) {
  return stage_.block(node_, graph, inputs, known);
}

std::size_t InferContext::mark() const { return stage_.diagnostics().list().size(); }
std::size_t InferContext::errors() const { return stage_.diagnostics().errors(); }
void InferContext::rewind(std::size_t mark) const { stage_.diagnostics().rewind(mark); }

TypedValue& InferContext::value(ValueId id) const { return stage_.graph().values[id]; }

void InferContext::constant(int k, const TensorData& data) {
  if (!wants(k)) return;
  TypedValue& output = value(node_.outputs[static_cast<std::size_t>(k)]);
  output.data = &data;
  output.known = known_from(data);
}

const TensorData& InferContext::keep(TensorData data) const { return stage_.graph().kept.emplace_back(std::move(data)); }

bool expect_dtype(const NodeContext& c, int i, std::initializer_list<DType> allowed) {
  if (std::ranges::find(allowed, c.dtype(i)) != allowed.end()) return true;
  std::string words;
  for (const DType t : allowed) words += (words.empty() ? "" : ", ") + std::string(dtype_name(t));
  c.error(Code::element_type, c.input_name(i) + " is " + std::string(dtype_name(c.dtype(i))) + ", and the operator takes " + words);
  return false;
}

bool expect_rank(const NodeContext& c, int i, int rank) {
  if (c.rank(i) == rank) return true;
  c.error(Code::rank_mismatch, c.input_name(i) + " has " + std::to_string(c.rank(i)) + " axes, and the operator takes " + std::to_string(rank));
  return false;
}

std::string spell_list(const NodeContext& c, const std::vector<Polynomial>& extents) {
  std::string text = "[";
  for (std::size_t i = 0; i < extents.size(); ++i) text += (i ? ", " : "") + c.spell(extents[i]);
  return text + "]";
}

}  // namespace loam
