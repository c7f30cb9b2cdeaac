// Expand and Tile (ai.onnx): elements repeated, by stretching axes of one element or by laying copies side by side.
#include <algorithm>

#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

// ---- Expand: the operand and the shape broadcast each other, aligned at the end. -----------------------------------

std::optional<Axis> expanded(const InferContext& c, int k, const Polynomial& to) {
  const std::string place = "axis " + std::to_string(k) + " of the shape is " + c.spell(to);
  if (k < 0 || c.extent(0, k).is(1)) {
    if (k >= 0 && to.is(1)) return c.axis(0, k);
    if (!c.owe(to, place + ", which must not be negative")) return std::nullopt;
    return c.fresh(to);
  }
  const Axis& axis = c.axis(0, k);
  const Polynomial own = c.extent(0, k);
  if (to.is(1)) return axis;
  if (own.is_constant() && !to.is_constant()) {
    // The result is as long as the operand whichever of the two lengths the shape turns out to give.
    const Polynomial fits = c.symbols().eq(to, 1) + c.symbols().eq(to, own);
    if (!c.owe(fits - 1, c.spell(axis) + " is " + c.spell(own) + " and is expanded to " + c.spell(to) +
                             ", which must be 1 or that"))
      return std::nullopt;
    return axis;
  }
  if (!c.equate(own, to, c.spell(axis) + " is " + c.spell(own) + " and is expanded to " + c.spell(to)))
    return std::nullopt;
  return axis;
}

void infer_expand(InferContext& c) {
  if (!expect_rank(c, 1, 1) || !bind_unknown(c, {1}, length_range)) return;
  bool failed = false;
  const auto shape = BoundInputs(c).integers(1, "a shape", failed);
  if (failed) return;
  const int to = static_cast<int>(shape->size()), rank = std::max(c.rank(0), to);
  std::vector<Axis> axes;
  for (int i = 0; i < rank; ++i) {
    const int own = i - (rank - c.rank(0)), given = i - (rank - to);
    auto axis = expanded(c, own, given < 0 ? Polynomial(1) : (*shape)[static_cast<std::size_t>(given)]);
    if (!axis) return;
    axes.push_back(std::move(*axis));
  }
  c.output(0, c.dtype(0), std::move(axes));
}

void fold_expand(InferContext& c) {
  const auto dims = known_dims(c, 0);
  if (!dims) return;
  const Known& from = *c.known(0);
  Places strides = dense_strides(from.dims);
  for (std::size_t k = 0; k < strides.size(); ++k)
    if (from.dims[k] == 1) strides[k] = 0;
  strides.insert(strides.begin(), dims->size() - strides.size(), 0);
  c.fold(0, moved(from, *dims, [&](const Places& index) { return offset_of(index, strides); }));
}

// A view: the same elements read again.
TensorId stretched(LowerContext& c) {
  const std::vector<Axis>& axes = c.output_type(0).axes;
  bool same = axes.size() == c.axes(0).size();
  for (std::size_t k = 0; same && k < axes.size(); ++k)
    same = c.symbols().simplify(axes[k].extent()) == c.extent(0, static_cast<int>(k));
  return same ? c.in(0) : c.expand(c.in(0), axes);
}

void lower_expand(LowerContext& c) {
  bind_unknown(c, {1}, length_range);
  c.alias(0, stretched(c));
}

// ---- Tile ----------------------------------------------------------------------------------------------------------

// How often each axis is repeated; nullopt where that was reported.
std::optional<std::vector<Polynomial>> repeats(NodeContext& c) {
  bool failed = false;
  BoundInputs bound(c);
  const auto given = bound.integers(1, "repeats", failed);
  if (failed) return std::nullopt;
  if (static_cast<int>(given->size()) == c.rank(0)) return given;
  c.error(Code::bad_attribute, "repeats holds " + std::to_string(given->size()) + " counts, and " + c.input_name(0) +
                                   " has " + std::to_string(c.rank(0)) + " axes");
  return std::nullopt;
}

void infer_tile(InferContext& c) {
  if (c.opset() < 6) return c.error(Code::operator_form, "is Tile of opset 1, which counts in floats");
  if (!bind_unknown(c, {1}, length_range)) return;
  const auto times = repeats(c);
  if (!times) return;
  std::vector<Axis> axes;
  for (int k = 0; k < c.rank(0); ++k) {
    const Polynomial& n = (*times)[static_cast<std::size_t>(k)];
    if (!c.owe(n, c.spell(c.axis(0, k)) + " is repeated " + c.spell(n) + " times, which must not be negative")) return;
    axes.push_back(n.is(1) ? c.axis(0, k) : c.fresh(c.extent(0, k) * n));
  }
  c.output(0, c.dtype(0), std::move(axes));
}

void fold_tile(InferContext& c) {
  const auto dims = known_dims(c, 0);
  if (!dims) return;
  const Known& from = *c.known(0);
  const Places strides = dense_strides(from.dims);
  c.fold(0, moved(from, *dims, [&](const Places& index) {
           Places at = index;
           for (std::size_t k = 0; k < at.size(); ++k) at[k] %= from.dims[k];
           return offset_of(at, strides);
         }));
}

void lower_tile(LowerContext& c) {
  bind_unknown(c, {1}, length_range);
  const auto times = *repeats(c);
  bool stretches = true;
  for (int k = 0; k < c.rank(0); ++k)
    stretches = stretches && (times[static_cast<std::size_t>(k)].is(1) || c.extent(0, k).is(1));
  if (stretches) return c.alias(0, stretched(c));
  // Padding that goes round and round the operand.
  std::vector<Argument> arguments{Literal{"loam::pad_mode::Wrap{}"},
                                  ExtentList{std::vector<Polynomial>(times.size(), 0)}};
  c.call("pad", "pad", {c.out(0)}, std::move(arguments), {c.in(0)});
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Expand", .infer = infer_expand, .lower = lower_expand, .fold = fold_expand, .min_inputs = 2,
     .max_inputs = 2},
    {.domain = "", .name = "Tile", .infer = infer_tile, .lower = lower_tile, .fold = fold_tile, .min_inputs = 2,
     .max_inputs = 3},
};

}  // namespace

std::span<const Operator> expand_operators() { return rows; }

}  // namespace loam
