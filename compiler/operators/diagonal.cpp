// Trilu, EyeLike, OneHot (ai.onnx): what a place holds depends on its coordinates.
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

// ---- Trilu: the elements on and above the k-th diagonal, or on and below it. ---------------------------------------

void infer_trilu(InferContext& c) {
  if (c.rank(0) < 2)
    return c.error(Code::rank_mismatch,
                   c.input_name(0) + " has " + std::to_string(c.rank(0)) + " axes, and a triangle takes 2");
  if (c.has(1) && !c.elements(1).is(1))
    return c.error(Code::rank_mismatch, c.input_name(1) + " is no scalar, and the operator takes one diagonal");
  if (c.has(1) && !expect_dtype(c, 1, {DType::int64})) return;
  c.output(0, c.dtype(0), c.axes(0));
}

bool upper(const NodeContext& c) { return c.integer("upper", 1) != 0; }

void fold_trilu(InferContext& c) {
  const Known& x = *c.known(0);
  const auto diagonal = c.has(1) ? known_integer(c, 1)->constant() : 0;
  if (!diagonal) return;
  Known out = x;
  const auto columns = static_cast<std::size_t>(x.dims.back()),
             rows = static_cast<std::size_t>(x.dims[x.dims.size() - 2]);
  for (std::size_t i = 0; i < out.elements.size(); ++i) {
    const std::int64_t above = static_cast<std::int64_t>(i % columns) - static_cast<std::int64_t>(i / columns % rows);
    if (upper(c) ? above < *diagonal : above > *diagonal)
      out.elements[i] = x.integral() ? Scalar(Polynomial(0)) : Scalar(0.0);
  }
  c.fold(0, std::move(out));
}

void lower_trilu(LowerContext& c) {
  Formula f(c);
  const Term x = f(c.in(0));
  const Term above = f.coordinate(c.rank(0) - 1) - f.coordinate(c.rank(0) - 2);
  const Term diagonal = c.has(1) ? f.in(1) : f.integer(0, DType::int64);
  f.into(c.out(0), where(upper(c) ? above >= diagonal : above <= diagonal, x, x.constant(0)));
}

// ---- EyeLike -------------------------------------------------------------------------------------------------------

void infer_eye_like(InferContext& c) {
  const auto type = expect_rank(c, 0, 2) ? stated_number(c, "dtype", c.dtype(0)) : std::nullopt;
  if (type) c.output(0, *type, c.axes(0));
}

void lower_eye_like(LowerContext& c) {
  Formula f(c);
  f.into(c.out(0), equal(f.coordinate(1) - f.coordinate(0), f.integer(c.integer("k", 0), DType::int64)));
}

// ---- OneHot: an axis of `depth` inserted, on where the index stands. -----------------------------------------------

std::optional<int> hot_axis(const NodeContext& c) { return c.axis_index(c.integer("axis", -1), c.rank(0) + 1); }

std::optional<Polynomial> depth(NodeContext& c) {
  if (const Known* known = c.known(1); known && !known->integral() && known->elements.size() == 1) {
    const double number = known->number(0);  // ONNX takes a depth of any number's type
    if (number >= 0 && number <= static_cast<double>(longest_length)) return static_cast<std::int64_t>(number);
  }
  bool failed = false;
  const auto list = BoundInputs(c).integers(1, "depth", failed);
  if (failed) return std::nullopt;
  if (list->size() == 1) return list->front();
  c.error(Code::rank_mismatch, c.input_name(1) + " is no scalar, and the operator takes one depth");
  return std::nullopt;
}

void infer_one_hot(InferContext& c) {
  const auto axis = hot_axis(c);
  if (!axis || !bind_unknown(c, {1}, length_range)) return;
  const auto n = depth(c);
  if (!n || !c.owe(*n, "the depth " + c.spell(*n) + " must not be negative")) return;
  if (!expect_rank(c, 2, 1) ||
      !c.equate(c.extent(2, 0), 2,
                c.input_name(2) + " holds " + c.spell(c.extent(2, 0)) + " values, and the operator takes off and on"))
    return;
  std::vector<Axis> axes = c.axes(0);
  axes.insert(axes.begin() + *axis, c.fresh(*n));
  c.output(0, c.dtype(2), std::move(axes));
}

// One element of the values, as a number or as a view of no axis.
Term picked(LowerContext& c, Formula& f, std::size_t i) {
  if (const Known* known = c.known(2)) {
    const DType type = compute_type(known->dtype);
    if (!known->integral()) return f.number(known->number(i), type);
    if (const auto constant = known->integer(i).constant()) return f.integer(*constant, type);
  }
  return f(c.units(c.slice(c.in(2), {c.unit()}, {static_cast<std::int64_t>(i)}, {1}), {}, {}));
}

void lower_one_hot(LowerContext& c) {
  bind_unknown(c, {1}, length_range);
  const int axis = *hot_axis(c);
  std::vector<int> source;
  std::vector<Axis> axes;
  for (int k = 0; k < c.rank(0); ++k) {
    if (k == axis) source.push_back(-1), axes.push_back(c.unit());
    source.push_back(k), axes.push_back(c.axis(0, k));
  }
  if (axis == c.rank(0)) source.push_back(-1), axes.push_back(c.unit());
  Formula f(c);
  const Term index = f(c.units(c.in(0), source, std::move(axes))).as(DType::int64);
  const Term from_end = where(index < index.constant(0), index + f.value(*depth(c), DType::int64), index);
  f.into(c.out(0), where(equal(f.coordinate(axis), from_end), picked(c, f, 1), picked(c, f, 0)));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Trilu", .infer = infer_trilu, .lower = lower_trilu, .fold = fold_trilu, .max_inputs = 2},
    {.domain = "", .name = "EyeLike", .infer = infer_eye_like, .lower = lower_eye_like},
    {.domain = "", .name = "OneHot", .infer = infer_one_hot, .lower = lower_one_hot, .min_inputs = 3, .max_inputs = 3},
};

}  // namespace

std::span<const Operator> diagonal_operators() { return rows; }

}  // namespace loam
