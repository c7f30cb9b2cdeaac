// Softmax, LogSoftmax and Hardmax: along one axis since opset 13; before it, over all axes from `axis` on as one lane.
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"

namespace loam {

namespace {

bool flattens(const NodeContext& c) { return c.opset() < 13; }

std::optional<int> softmax_axis(const NodeContext& c) {
  // A flattening may start past the last axis: lanes of one element.
  const std::int64_t axis = c.integer("axis", flattens(c) ? 1 : -1);
  if (flattens(c) && axis == c.rank(0)) return c.rank(0);
  return c.axis_index(axis, c.rank(0));
}

void infer_softmax(InferContext& c) {
  if (expect_float(c, 0) && softmax_axis(c)) c.output(0, c.dtype(0), c.axes(0));
}

template <char Kind>
void lower_softmax(LowerContext& c) {
  const Literal kind{Kind == 'S' ? "loam::Softmax{}" : Kind == 'L' ? "loam::LogSoftmax{}" : "loam::Hardmax{}"};
  const int axis = *softmax_axis(c), rank = c.rank(0);
  bool one_axis = !flattens(c);
  if (!one_axis && axis < rank) {
    one_axis = true;
    for (int k = axis + 1; k < rank; ++k) one_axis = one_axis && c.extent(0, k).is(1);
  }
  if (one_axis) {
    c.call("softmax", "softmax", {c.out(0)}, {kind, integer_literal(axis)}, {c.in(0)});
    return;
  }
  const std::vector<Axis>& axes = c.axes(0);
  const std::vector<Axis> rows(axes.begin(), axes.begin() + axis), lane(axes.begin() + axis, axes.end());
  const std::vector<Axis> flat{rows.empty() ? c.unit() : LowerContext::merge(rows),
                               lane.empty() ? c.unit() : LowerContext::merge(lane)};
  const TensorId y = c.temporary(c.dtype(0), flat, "lanes");
  c.call("softmax", "softmax", {y}, {kind, integer_literal(1)}, {c.reshape(c.in(0), flat)});
  c.alias(0, c.reshape(y, c.output_type(0).axes));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Softmax", .infer = infer_softmax, .lower = lower_softmax<'S'>},
    {.domain = "", .name = "LogSoftmax", .infer = infer_softmax, .lower = lower_softmax<'L'>},
    {.domain = "", .name = "Hardmax", .infer = infer_softmax, .lower = lower_softmax<'H'>},
};

}  // namespace

std::span<const Operator> softmax_operators() { return rows; }

}  // namespace loam
