// CumSum and CumProd (ai.onnx): running sums and products along an axis.
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

// The axis, which only the run may know: the result is shaped alike along any.
std::optional<Polynomial> running_axis(NodeContext& c) {
  bool failed = false;
  const auto axis = BoundInputs(c).axes(1, "", c.rank(0), failed);
  if (failed) return std::nullopt;
  if (axis && axis->size() == 1) return axis->front();
  c.error(Code::rank_mismatch, c.input_name(1) + " is no scalar, and the operator takes one axis");
  return std::nullopt;
}

bool product_of(const NodeContext& c) { return c.node().op_type == "CumProd"; }

void infer_cumulative(InferContext& c) {
  if (!expect_number(c, 0) || !bind_unknown(c, {1}, index_range)) return;
  const auto axis = running_axis(c);
  if (axis && owe_axes(c, {*axis}, c.rank(0))) c.output(0, c.dtype(0), c.axes(0));
}

void fold_cumulative(InferContext& c) {
  const Known& x = *c.known(0);
  if (x.dtype != DType::int64 && x.dtype != DType::int32) return;
  const auto number = running_axis(c)->constant();
  if (!number) return;
  const auto axis = static_cast<std::size_t>(*number);
  const bool exclusive = c.integer("exclusive", 0) != 0, reverse = c.integer("reverse", 0) != 0;
  const Places strides = dense_strides(x.dims);
  Known out = x;
  for (std::size_t first = 0; first < x.elements.size(); ++first) {
    const auto stride = static_cast<std::size_t>(strides[axis]), length = static_cast<std::size_t>(x.dims[axis]);
    if (first / stride % length != 0) continue;
    Polynomial running = product_of(c) ? 1 : 0;
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t at = first + (reverse ? length - 1 - i : i) * stride;
      const Polynomial before = running;
      running = product_of(c) ? running * x.integer(at) : running + x.integer(at);
      if (x.dtype == DType::int32) running = c.symbols().wrap32(running);
      out.elements[at] = exclusive ? before : running;
    }
  }
  c.fold(0, std::move(out));
}

void lower_cumulative(LowerContext& c) {
  bind_unknown(c, {1}, index_range);
  c.call("cumulative", "cumulative", {c.out(0)},
         {Literal{product_of(c) ? "loam::CumProd{}" : "loam::CumSum{}"}, axis_argument(*running_axis(c)),
          flag_literal(c.integer("exclusive", 0) != 0), flag_literal(c.integer("reverse", 0) != 0)},
         {c.in(0)});
}

constexpr Operator cumulative(std::string_view name) {
  return {.domain = "",
          .name = name,
          .infer = infer_cumulative,
          .lower = lower_cumulative,
          .fold = fold_cumulative,
          .min_inputs = 2,
          .max_inputs = 2};
}

constexpr Operator rows[] = {cumulative("CumSum"), cumulative("CumProd")};

}  // namespace

std::span<const Operator> cumulative_operators() { return rows; }

}  // namespace loam
