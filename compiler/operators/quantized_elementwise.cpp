// com.microsoft's operators between quantized tensors: dequantized, computed and quantized in one map where one place
// gives one place (QLinearAdd, QLinearMul, QLinearSigmoid, QLinearLeakyRelu, QLinearWhere), around a kernel in float
// where not (QLinearSoftmax, QLinearReduceMean and the poolings), and copied piece by piece (QLinearConcat).
#include <algorithm>
#include <numeric>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/quantized.hpp"
#include "compiler/operators/window.hpp"

namespace loam {

namespace {

// Input i is quantized by the scale and zero point after it.
bool expect_triple(const InferContext& c, int i) {
  return expect_present(c, {i, i + 1}) && expect_bytes(c, i) && expect_float(c, i + 1) &&
         (!c.has(i + 2) || expect_one_dtype(c, i, i + 2)) && expect_point(c, i + 1, {}, "", false) &&
         expect_point(c, i + 2, {}, "", false);
}
bool expect_target(const InferContext& c, int scale) {
  return expect_present(c, {scale}) && expect_float(c, scale) && (!c.has(scale + 1) || expect_bytes(c, scale + 1)) &&
         expect_point(c, scale, {}, "", false) && expect_point(c, scale + 1, {}, "", false);
}
Term read(LowerContext& c, Formula& f, int i) { return dequantized(c, f, f(c.in(i)), i + 1, i + 2); }
void write(LowerContext& c, Formula& f, Term y, int scale) {
  f.into(c.out(0), quantized(c, f, y, scale, scale + 1, c.output_type(0).dtype));
}

// ---- A place of the operands gives a place of the result -----------------------------------------------------------

// A, A_scale, A_zero_point, B, B_scale, B_zero_point, C_scale, C_zero_point
void infer_binary(InferContext& c) {
  const bool left = expect_triple(c, 0), right = expect_triple(c, 3);
  if (left && right && expect_target(c, 6)) c.output(0, c.dtype(0), c.broadcast(c.axes(0), c.axes(3)));
}

template <ScalarOp Op>
void lower_binary(LowerContext& c) {
  Formula f(c);
  const Term a = read(c, f, 0);
  write(c, f, apply(Op, a, read(c, f, 3)), 6);
}

// X, X_scale, X_zero_point, Y_scale, Y_zero_point
void infer_unary(InferContext& c) {
  if (expect_triple(c, 0) && expect_target(c, 3)) c.output(0, c.dtype(0), c.axes(0));
}

void lower_sigmoid(LowerContext& c) {
  Formula f(c);
  write(c, f, sigmoid(read(c, f, 0)), 3);
}

void lower_leaky_relu(LowerContext& c) {
  Formula f(c);
  const Term x = read(c, f, 0);
  write(c, f, where(x < x.constant(0), x * c.number("alpha", 0.01f), x), 3);
}

// condition, X, x_scale, x_zero_point, Y, y_scale, y_zero_point, z_scale, z_zero_point
void infer_where(InferContext& c) {
  const bool condition = expect_dtype(c, 0, {DType::boolean}), left = expect_triple(c, 1), right = expect_triple(c, 4);
  if (condition && left && right && expect_target(c, 7))
    c.output(0, c.dtype(1), c.broadcast(c.broadcast(c.axes(0), c.axes(1)), c.axes(4)));
}

void lower_where(LowerContext& c) {
  Formula f(c);
  const Term condition = f(c.in(0)), x = read(c, f, 1);
  write(c, f, where(condition, x, read(c, f, 4)), 7);
}

// ---- Around a kernel in float --------------------------------------------------------------------------------------

TensorId to_float(LowerContext& c) {
  Formula f(c);
  return f.make(c.axes(0), read(c, f, 0), "float");
}
void from_float(LowerContext& c, TensorId y) {
  Formula f(c);
  write(c, f, f(y), 3);
}

void infer_softmax(InferContext& c) {
  if (c.integer("opset", 13) < 13)
    c.error(Code::operator_form, "means Softmax before opset 13, in a form no kernel computes");
  else if (c.axis_index(c.integer("axis", -1), c.rank(0))) infer_unary(c);
}

void lower_softmax(LowerContext& c) {
  const TensorId x = to_float(c), y = c.temporary(DType::float32, c.axes(0), "softmax");
  c.call("softmax", "softmax", {y},
         {Literal{"loam::Softmax{}"}, integer_literal(*c.axis_index(c.integer("axis", -1), c.rank(0)))}, {x});
  from_float(c, y);
}

std::optional<std::vector<int>> mean_axes(const NodeContext& c) {
  if (const auto axes = c.integers("axes")) return c.axis_indices(*axes, c.rank(0));
  std::vector<int> all(static_cast<std::size_t>(c.rank(0)));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void infer_reduce_mean(InferContext& c) {
  const auto reduced = mean_axes(c);
  if (!expect_triple(c, 0) || !expect_target(c, 3) || !reduced) return;
  std::vector<Axis> axes;
  for (int k = 0; k < c.rank(0); ++k) {
    if (!std::ranges::binary_search(*reduced, k)) axes.push_back(c.axis(0, k));
    else if (c.integer("keepdims", 1) != 0) axes.push_back(c.unit());
  }
  c.output(0, c.dtype(0), std::move(axes));
}

void reduce_mean(LowerContext& c, const std::vector<int>& axes) {
  const TensorId y = c.temporary(DType::float32, c.output_type(0).axes, "mean");
  call_reduce(c, y, "Mean", axes, to_float(c));
  from_float(c, y);
}
void lower_reduce_mean(LowerContext& c) { reduce_mean(c, *mean_axes(c)); }

bool channels_last(const NodeContext& c) { return c.integer("channels_last", 0) != 0; }

std::vector<int> spatial_axes(const NodeContext& c) {
  std::vector<int> axes(static_cast<std::size_t>(c.rank(0) - 2));
  std::iota(axes.begin(), axes.end(), channels_last(c) ? 1 : 2);
  return axes;
}

void infer_global_average(InferContext& c) {
  if (!expect_triple(c, 0) || !expect_target(c, 3) || !expect_least_rank(c, 0, 3)) return;
  std::vector<Axis> axes = c.axes(0);
  for (const int k : spatial_axes(c)) axes[static_cast<std::size_t>(k)] = c.unit();
  c.output(0, c.dtype(0), std::move(axes));
}
void lower_global_average(LowerContext& c) { reduce_mean(c, spatial_axes(c)); }

std::optional<Windows> pool_windows(const NodeContext& c) {
  const auto kernel = kernel_shape(c, static_cast<std::size_t>(c.rank(0) - 2));
  if (!kernel) return std::nullopt;
  return read_windows(c, spatial_extents(c, 0), *kernel, c.integer("ceil_mode", 0) != 0);
}

void infer_average_pool(InferContext& c) {
  if (!expect_triple(c, 0) || !expect_target(c, 3) || !expect_least_rank(c, 0, 3)) return;
  if (channels_last(c)) return c.error(Code::operator_form, "pools with the channels last, which no kernel does");
  const auto windows = pool_windows(c);
  if (!windows) return;
  owe_reach(c, *windows);
  c.output(0, c.dtype(0), window_axes(c, c.axis(0, 0), c.axis(0, 1), windows->out));
}

void lower_average_pool(LowerContext& c) {
  const Windows w = *pool_windows(c);
  const TensorId x = to_float(c), y = c.temporary(DType::float32, c.output_type(0).axes, "pooled");
  c.call("average_pool", "pool", {y},
         {window_argument(w), flag_literal(c.integer("count_include_pad", 0) != 0), pads_end_argument(w)}, {x});
  from_float(c, y);
}

// ---- QLinearConcat: Y_scale, Y_zero_point, then X, scale, zero_point of each ----------------------------------------

void infer_concat(InferContext& c) {
  if (c.inputs() % 3 != 2)
    return c.error(Code::operator_form,
                   "takes a scale and a zero point, and three inputs for each tensor, and was given " +
                       std::to_string(c.inputs()));
  if (!expect_target(c, 0)) return;
  const auto axis = c.axis_index(c.integer("axis", 0), c.rank(2));
  if (!axis) return;
  std::vector<Axis> axes = c.axes(2);
  Polynomial joined = 0;
  for (int i = 2; i < c.inputs(); i += 3) {
    if (!expect_triple(c, i) || !expect_rank(c, i, c.rank(2))) return;
    for (int k = 0; k < c.rank(2); ++k)
      if (Axis& common = axes[static_cast<std::size_t>(k)]; k != *axis)
        common = c.equate(common, c.axis(i, k), "in " + c.input_name(2), "in " + c.input_name(i));
    joined = joined + c.extent(i, *axis);
  }
  axes[static_cast<std::size_t>(*axis)] = c.inputs() == 5 ? c.axis(2, *axis) : c.fresh(joined);
  c.output(0, c.dtype(1), std::move(axes));
}

void lower_concat(LowerContext& c) {
  const auto at = static_cast<std::size_t>(*c.axis_index(c.integer("axis", 0), c.rank(2)));
  const TensorId out = c.out(0);
  Polynomial start = 0;
  for (int i = 2; i < c.inputs(); i += 3) {
    std::vector<Axis> axes = c.output_type(0).axes;
    axes[at] = c.axis(i, static_cast<int>(at));
    std::vector<Polynomial> starts(axes.size(), 0);
    const std::vector<Polynomial> steps(axes.size(), 1);
    starts[at] = start;
    Formula f(c);
    f.into(c.slice(out, std::move(axes), std::move(starts), steps),
           quantized(c, f, read(c, f, i), 0, 1, c.output_type(0).dtype));
    start = start + c.extent(i, static_cast<int>(at));
  }
}

constexpr Operator row(std::string_view name, void (*infer)(InferContext&), void (*lower)(LowerContext&), int least,
                       int most) {
  return {
      .domain = "com.microsoft", .name = name, .infer = infer, .lower = lower, .min_inputs = least, .max_inputs = most};
}

constexpr Operator rows[] = {
    row("QLinearAdd", infer_binary, lower_binary<ScalarOp::add>, 1, 8),
    row("QLinearMul", infer_binary, lower_binary<ScalarOp::mul>, 1, 8),
    row("QLinearSigmoid", infer_unary, lower_sigmoid, 1, 5),
    row("QLinearLeakyRelu", infer_unary, lower_leaky_relu, 1, 5),
    row("QLinearWhere", infer_where, lower_where, 9, 9),
    row("QLinearSoftmax", infer_softmax, lower_softmax, 1, 5),
    row("QLinearReduceMean", infer_reduce_mean, lower_reduce_mean, 1, 5),
    row("QLinearGlobalAveragePool", infer_global_average, lower_global_average, 1, 5),
    row("QLinearAveragePool", infer_average_pool, lower_average_pool, 1, 5),
    row("QLinearConcat", infer_concat, lower_concat, 5, -1),
};

}  // namespace

std::span<const Operator> quantized_elementwise_operators() { return rows; }

}  // namespace loam
