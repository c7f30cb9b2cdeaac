// NonZero, Compress, Unique, NonMaxSuppression (ai.onnx): results as long as the data says.
//
// Each kernel has two phases: one counts, forward binds the count to a symbol, and the other fills outputs made
// exactly.
#include <algorithm>

#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

// The count as a symbol, of which the build knows that it is at most `most`.
Polynomial counted(InferContext& c, const Polynomial& most) {
  const std::int64_t high = std::min(c.symbols().range(most).high, longest_length);
  return c.bind(result_name(c) + "_count", {0, high});
}

TensorId count_tensor(LowerContext& c) { return c.temporary(DType::int64, {}, "count"); }

// The places of true or nonzero elements, where the build knows all of them.
std::optional<Places> known_places(const NodeContext& c, int i) {
  const Known* known = c.known(i);
  if (!known || !known->constant()) return std::nullopt;
  Places places;
  for (std::size_t k = 0; k < known->elements.size(); ++k)
    if (known->integral() ? !known->integer(k).is(0) : known->number(k) != 0)
      places.push_back(static_cast<std::int64_t>(k));
  return places;
}

// ---- NonZero: a row of coordinates for each axis. ------------------------------------------------------------------

void infer_nonzero(InferContext& c) {
  if (!c.wants(0)) return;
  const auto places = known_places(c, 0);
  const Polynomial n = places ? Polynomial(static_cast<std::int64_t>(places->size())) : counted(c, c.elements(0));
  c.output(0, DType::int64, {c.fresh(c.rank(0)), c.fresh(n)});
}

void fold_nonzero(InferContext& c) {
  const auto places = known_places(c, 0);
  if (!places || !known_dims(c, 0)) return;
  const Places& dims = c.known(0)->dims;
  Known out{DType::int64, {c.rank(0), static_cast<std::int64_t>(places->size())}, {}};
  const Places strides = dense_strides(dims);
  for (std::size_t k = 0; k < dims.size(); ++k)
    for (const std::int64_t place : *places) out.elements.emplace_back(Polynomial(place / strides[k] % dims[k]));
  c.fold(0, std::move(out));
}

void lower_nonzero(LowerContext& c) {
  if (!c.typed().bound.empty()) {
    const TensorId count = count_tensor(c);
    c.call("nonzero_count", "select", {count}, {}, {c.in(0)});
    c.bind(c.typed().bound, count);
  }
  c.call("nonzero", "select", {c.out(0)}, {}, {c.in(0)});
}

// ---- Compress: the slices along an axis, or the elements, where a condition holds. ---------------------------------

struct Compressed {
  std::optional<int> axis;  // none: the elements, as they lie
  Polynomial extent;        // what the condition is over, which it may stop short of
};

std::optional<Compressed> compressed(const NodeContext& c) {
  if (!c.has_attribute("axis")) return Compressed{{}, c.elements(0)};
  const auto axis = c.axis_index(c.integer("axis", 0), c.rank(0));
  if (!axis) return std::nullopt;
  return Compressed{axis, c.extent(0, *axis)};
}

void infer_compress(InferContext& c) {
  if (!c.wants(0) || !expect_dtype(c, 1, {DType::boolean}) || !expect_rank(c, 1, 1)) return;
  const auto from = compressed(c);
  if (!from) return;
  const Polynomial given = c.extent(1, 0);
  auto places = from->extent.is_constant() ? known_places(c, 1) : std::nullopt;
  if (places) std::erase_if(*places, [&](std::int64_t place) { return place >= *from->extent.constant(); });
  const Polynomial n =
      places ? Polynomial(static_cast<std::int64_t>(places->size())) : counted(c, c.symbols().min(given, from->extent));
  std::vector<Axis> axes;
  if (from->axis)
    axes = c.axes(0);
  else
    axes.resize(1);
  axes[static_cast<std::size_t>(from->axis.value_or(0))] = c.fresh(n);
  c.output(0, c.dtype(0), std::move(axes));
}

void fold_compress(InferContext& c) {
  const auto dims = known_dims(c, 0);
  const auto places = known_places(c, 1);
  if (!dims || !places) return;
  const auto from = *compressed(c);
  const Places strides = dense_strides(c.known(0)->dims);
  c.fold(0, moved(*c.known(0), *dims, [&](const Places& index) {
           if (!from.axis) return (*places)[static_cast<std::size_t>(index[0])];
           Places at = index;
           auto& k = at[static_cast<std::size_t>(*from.axis)];
           k = (*places)[static_cast<std::size_t>(k)];
           return offset_of(at, strides);
         }));
}

void lower_compress(LowerContext& c) {
  const auto from = *compressed(c);
  if (!c.typed().bound.empty()) {
    const TensorId count = count_tensor(c);
    c.call("compress_count", "select", {count}, {from.extent}, {c.in(1)});
    c.bind(c.typed().bound, count);
  }
  c.call("compress", "select", {c.out(0)}, {integer_literal(from.axis.value_or(-1))}, {c.in(0), c.in(1)});
}

// ---- Unique: the different elements, or slices along an axis. ------------------------------------------------------

std::optional<std::optional<int>> unique_axis(const NodeContext& c) {
  if (!c.has_attribute("axis")) return std::optional<int>();
  const auto axis = c.axis_index(c.integer("axis", 0), c.rank(0));
  return axis ? std::optional(axis) : std::nullopt;
}

void infer_unique(InferContext& c) {
  const auto axis = unique_axis(c);
  if (!axis || !bind_unknown(c, {}, length_range)) return;
  const Axis places = *axis ? c.axis(0, **axis) : merged(c, c.axes(0));
  const Axis found = c.fresh(counted(c, places.extent()));
  std::vector<Axis> axes{found};
  if (*axis) {
    axes = c.axes(0);
    axes[static_cast<std::size_t>(**axis)] = found;
  }
  c.output(0, c.dtype(0), std::move(axes));
  c.output(1, DType::int64, {found});
  c.output(2, DType::int64, {places});
  c.output(3, DType::int64, {found});
}

void lower_unique(LowerContext& c) {
  const Literal axis = integer_literal(unique_axis(c)->value_or(-1));
  const TensorId count = count_tensor(c);
  c.call("unique_count", "unique", {count}, {axis}, {c.in(0)});
  c.bind(c.typed().bound, count);
  std::vector<TensorId> outputs;
  for (int k = 0; k < 4; ++k) outputs.push_back(c.wants(k) ? c.out(k) : no_tensor);
  c.call("unique", "unique", std::move(outputs), {axis, flag_literal(c.integer("sorted", 1) != 0)}, {c.in(0)});
}

// ---- NonMaxSuppression: rows of batch, class and box. --------------------------------------------------------------

constexpr double no_threshold = -std::numeric_limits<double>::infinity();

// A threshold: a number where the build knows it, else the tensor that holds it.
bool known_threshold(const NodeContext& c, int i) {
  return !c.has(i) || (c.known(i) && c.known(i)->elements.size() == 1);
}
double threshold(const NodeContext& c, int i, double absent) { return c.has(i) ? c.known(i)->number(0) : absent; }

bool expect_threshold(const NodeContext& c, int i) {
  if (!c.has(i)) return true;
  if (!expect_dtype(c, i, {DType::float32})) return false;
  if (c.elements(i).is(1)) return true;
  c.error(Code::rank_mismatch, c.input_name(i) + " is no scalar, and the operator takes one threshold");
  return false;
}

// How many boxes of a class to keep; none where nothing says so.
std::optional<Polynomial> most_boxes(NodeContext& c) {
  bool failed = false;
  const auto most = BoundInputs(c).integers(2, "", failed);
  if (failed || !most) return failed ? std::nullopt : std::optional(Polynomial(0));
  if (most->size() == 1) return most->front();
  c.error(Code::rank_mismatch, c.input_name(2) + " is no scalar, and the operator takes one count");
  return std::nullopt;
}

void infer_non_max_suppression(InferContext& c) {
  if (!expect_rank(c, 0, 3) || !expect_rank(c, 1, 3)) return;
  c.equate(c.axis(0, 0), c.axis(1, 0), "in the boxes", "in the scores");
  c.equate(c.axis(0, 1), c.axis(1, 2), "in the boxes", "in the scores");
  if (!c.equate(c.extent(0, 2), 4, "a box is " + c.spell(c.extent(0, 2)) + " numbers, and the operator takes 4"))
    return;
  if (!expect_threshold(c, 3) || !expect_threshold(c, 4) || !bind_unknown(c, {2}, length_range)) return;
  if (most_boxes(c)) c.output(0, DType::int64, {c.fresh(counted(c, c.elements(1))), c.fresh(3)});
}

void lower_non_max_suppression(LowerContext& c) {
  bind_unknown(c, {2}, length_range);
  const auto most = most_boxes(c);
  std::vector<Argument> arguments{flag_literal(c.integer("center_point_box", 0) != 0), *most};
  std::vector<OperandRef> operands;
  const bool numbers = known_threshold(c, 3) && known_threshold(c, 4);
  for (const auto& [i, absent] : {std::pair(3, 0.0), std::pair(4, no_threshold)}) {
    if (numbers)
      arguments.emplace_back(number_literal(threshold(c, i, absent)));
    else
      operands.emplace_back(c.has(i) ? c.reshape(c.in(i), {}) : c.constant({DType::float32, {}, {Scalar(absent)}}, {}));
  }
  operands.emplace_back(c.in(0));
  operands.emplace_back(c.in(1));
  const TensorId count = count_tensor(c);
  c.call("non_max_suppression_count", "non_max_suppression", {count}, arguments, operands);
  c.bind({c.typed().bound.back()}, count);
  c.call("non_max_suppression", "non_max_suppression", {c.out(0)}, std::move(arguments), std::move(operands));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "NonZero", .infer = infer_nonzero, .lower = lower_nonzero, .fold = fold_nonzero},
    {.domain = "", .name = "Compress", .infer = infer_compress, .lower = lower_compress, .fold = fold_compress,
     .min_inputs = 2, .max_inputs = 2},
    {.domain = "", .name = "Unique", .infer = infer_unique, .lower = lower_unique, .max_outputs = 4},
    {.domain = "", .name = "NonMaxSuppression", .infer = infer_non_max_suppression, .lower = lower_non_max_suppression,
     .min_inputs = 2, .max_inputs = 5},
};

}  // namespace

std::span<const Operator> select_operators() { return rows; }

}  // namespace loam
