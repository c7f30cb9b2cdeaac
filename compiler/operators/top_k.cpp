// TopK (ai.onnx): the k largest or smallest along an axis, and where they are.
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

std::optional<int> top_axis(const NodeContext& c) { return c.axis_index(c.integer("axis", -1), c.rank(0)); }

// An attribute before opset 10, an input from it on.
std::optional<Polynomial> top_count(NodeContext& c) {
  bool failed = false;
  const auto k = BoundInputs(c).integers(1, "k", failed);
  if (failed) return std::nullopt;
  if (k && k->size() == 1) return k->front();
  c.error(Code::operator_form, "takes one count of elements");
  return std::nullopt;
}

void infer_top_k(InferContext& c) {
  const auto axis = top_axis(c);
  if (!expect_number(c, 0) || !axis || !bind_unknown(c, {1}, length_range)) return;
  const auto k = top_count(c);
  if (!k) return;
  const Polynomial whole = c.extent(0, *axis);
  const std::string found =
      "takes " + c.spell(*k) + " of " + c.spell(c.axis(0, *axis)) + ", which is " + c.spell(whole);
  if (!c.owe(whole - *k, found + ", and must take no more than there are") ||
      !c.owe(*k, found + ", and must not take a negative count"))
    return;
  std::vector<Axis> axes = c.axes(0);
  axes[static_cast<std::size_t>(*axis)] = c.fresh(*k);
  c.output(0, c.dtype(0), axes);
  c.output(1, DType::int64, std::move(axes));
}

void lower_top_k(LowerContext& c) {
  bind_unknown(c, {1}, length_range);
  // Both are computed; the one nobody names goes nowhere.
  const std::vector<Axis> axes = c.output_type(c.wants(0) ? 0 : 1).axes;
  const TensorId values = c.wants(0) ? c.out(0) : c.temporary(c.dtype(0), axes, "values");
  const TensorId indices = c.wants(1) ? c.out(1) : c.temporary(DType::int64, axes, "indices");
  c.call("top_k", "top_k", {values, indices},
         {integer_literal(*top_axis(c)), flag_literal(c.integer("largest", 1) != 0),
          flag_literal(c.integer("sorted", 1) != 0)},
         {c.in(0)});
}

constexpr Operator rows[] = {
    {.domain = "", .name = "TopK", .infer = infer_top_k, .lower = lower_top_k, .max_inputs = 2, .max_outputs = 2},
};

}  // namespace

std::span<const Operator> top_k_operators() { return rows; }

}  // namespace loam
