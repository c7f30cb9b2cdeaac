#include "compiler/operators/movement.hpp"

#include <algorithm>

#include "compiler/operators/formula.hpp"

namespace loam {

Places dense_strides(const Places& dims) {
  Places strides(dims.size(), 1);
  for (std::size_t k = dims.size(); k-- > 1;) strides[k - 1] = strides[k] * dims[k];
  return strides;
}

std::int64_t offset_of(const Places& index, const Places& strides) {
  std::int64_t offset = 0;
  for (std::size_t k = 0; k < index.size(); ++k) offset += index[k] * strides[k];
  return offset;
}

bool advance(Places& index, const Places& dims) {
  for (std::size_t k = dims.size(); k-- > 0;) {
    if (++index[k] < dims[k]) return true;
    index[k] = 0;
  }
  return false;
}

std::optional<Places> known_dims(const NodeContext& c, int k) {
  Places dims;
  for (const Axis& axis : c.output_type(k).axes) {
    const auto extent = c.symbols().simplify(axis.extent()).constant();
    if (!extent) return std::nullopt;
    dims.push_back(*extent);
  }
  const auto n = element_count(dims);
  return n && *n <= most_known ? std::optional(std::move(dims)) : std::nullopt;
}

void fold_regrouped(InferContext& c) {
  const auto dims = known_dims(c, 0);
  if (!dims || *element_count(*dims) != static_cast<std::int64_t>(c.known(0)->elements.size())) return;
  Known out = *c.known(0);
  out.dims = *dims;
  c.fold(0, std::move(out));
}

Axis merged(const InferContext& c, const std::vector<Axis>& axes) {
  Axis result;
  for (const Axis& axis : axes)
    for (const Part& part : axis.parts)
      if (!c.symbols().simplify(part.extent).is(1)) result.parts.push_back(part);
  return result.parts.empty() ? c.unit() : result;
}

Polynomial product(const std::vector<Polynomial>& extents) {
  Polynomial n = 1;
  for (const Polynomial& extent : extents) n = n * extent;
  return n;
}

Polynomial product(const NodeContext& c, const std::vector<Axis>& axes) {
  Polynomial n = 1;
  for (const Axis& axis : axes) n = n * c.symbols().simplify(axis.extent());
  return n;
}

std::string result_name(const NodeContext& c) { return c.wants(0) ? c.node().outputs[0] : c.node().op_type; }

std::optional<DType> stated_type(const NodeContext& c, std::string_view attribute, DType fallback) {
  const auto type = dtype_from_onnx(c.integer(attribute, static_cast<std::int64_t>(fallback)));
  if (type && !dtype_cpp(*type).empty()) return type;
  c.error(Code::element_type, std::string(attribute) + " is " + (type ? std::string(dtype_name(*type)) : "no type") +
                                  ", and no kernel holds it");
  return std::nullopt;
}

std::optional<DType> stated_number(const NodeContext& c, std::string_view attribute, DType fallback) {
  const auto type = stated_type(c, attribute, fallback);
  if (!type || (dtype_bits(*type) >= 8 && !is_narrow(*type))) return type;
  c.error(Code::element_type,
          "gives " + std::string(dtype_name(*type)) + ", and the operator gives numbers of 8 bits and more, or bools");
  return std::nullopt;
}

std::optional<Polynomial> known_integer(const NodeContext& c, int i) {
  const Known* known = c.known(i);
  if (!known || !known->integral() || known->elements.size() != 1) return std::nullopt;
  return c.symbols().simplify(known->integer(0));
}

namespace {

// Lists of axes and extents are a rank long; more elements than this are data.
constexpr std::int64_t most_bound = 64;

bool unknown(const NodeContext& c, int i) { return c.has(i) && !c.known(i); }

}  // namespace

bool bind_unknown(InferContext& c, std::initializer_list<int> inputs, Range range) {
  bool all = false;
  for (int k = 0; k < c.outputs(); ++k) all = all || c.wants(k);
  if (!all) return false;
  for (const int i : inputs) {
    if (!unknown(c, i)) continue;
    const auto n = c.elements(i).constant();
    if (!n || *n > most_bound) {
      c.error(Code::value_needed, c.input_name(i) + " is computed at run time and holds " + c.spell(c.elements(i)) +
                                      " elements, and the build reads it as a list of at most " +
                                      std::to_string(most_bound));
      all = false;
      continue;
    }
    for (std::int64_t k = 0; k < *n; ++k)
      c.bind(*n == 1 ? c.input_name(i) : c.input_name(i) + "_" + std::to_string(k), range);
  }
  return all;
}

void bind_unknown(LowerContext& c, std::initializer_list<int> inputs, Range range) {
  auto next = c.typed().bound.begin();
  for (const int i : inputs) {
    if (!unknown(c, i)) continue;
    const auto n = c.elements(i).constant().value_or(0);
    std::vector<Polynomial> symbols(next, next + n);
    next += n;
    if (n == 0) continue;
    TensorId from = c.in(i);
    if (range.low < -1 ||
        is_float(c.tensor(from).dtype)) {  // what lies beyond any axis is clamped, as the operator would
      Formula f(c);
      const Term x = f(from).as(DType::int64);
      from = f.make(c.axes(i), min(max(x, f.integer(range.low, DType::int64)), f.integer(range.high, DType::int64)),
                    "bounds");
    }
    c.bind(std::move(symbols), from);
  }
}

std::optional<std::vector<Polynomial>> BoundInputs::integers(int i, std::string_view attribute, bool& failed) {
  if (!unknown(c_, i)) return c_.extents(i, attribute, failed);
  const auto n = static_cast<std::size_t>(c_.elements(i).constant().value_or(0));
  const auto& bound = c_.typed().bound;
  if (next_ + n > bound.size()) {
    failed = true;
    return std::nullopt;
  }
  std::vector<Polynomial> values;
  for (std::size_t k = 0; k < n; ++k) values.push_back(c_.symbols().simplify(bound[next_++]));
  return values;
}

std::optional<std::vector<Polynomial>> BoundInputs::axes(int i, std::string_view attribute, int rank, bool& failed) {
  auto axes = integers(i, attribute, failed);
  if (!axes) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (Polynomial& axis : *axes) {
    if (const auto constant = axis.constant()) numbers.push_back(*constant);
    axis = c_.symbols().from_end(axis, rank);
  }
  if (c_.axis_indices(numbers, rank)) return axes;
  failed = true;
  return std::nullopt;
}

bool owe_axes(const InferContext& c, const std::vector<Polynomial>& axes, int rank) {
  bool all = true;
  for (const Polynomial& axis : axes) {
    if (axis.is_constant()) continue;
    const std::string reason = "axis " + c.spell(axis) + " must be one of " + std::to_string(rank);
    all = c.owe(axis, reason) && c.owe(Polynomial(rank - 1) - axis, reason) && all;
  }
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!axes[i].is_constant() || !axes[j].is_constant())
        all = c.owe(-c.symbols().eq(axes[i], axes[j]),
                    "axis " + c.spell(axes[i]) + " must not be listed twice") && all;
  return all;
}

Argument axis_argument(const Polynomial& axis) {
  if (const auto number = axis.constant()) return integer_literal(*number);
  return Aggregate{"static_cast<int>($)", {axis}};
}

}  // namespace loam
