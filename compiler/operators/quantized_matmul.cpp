// Products of quantized matrices: each operand less its zero point, multiplied in int32, and one map that scales the
// sums. MatMulInteger, QLinearMatMul; com.microsoft MatMulIntegerToFloat, DynamicQuantizeMatMul and QGemm.
#include <numeric>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/product.hpp"
#include "compiler/operators/quantized.hpp"

namespace loam {

namespace {

// ---- What they share -----------------------------------------------------------------------------------------------

// The product of inputs a [.., M, K] and b [.., K, N]; `least` is their ranks' least.
std::optional<std::vector<Axis>> product_axes(InferContext& c, int a, int b, int least) {
  const bool left = expect_least_rank(c, a, least), right = expect_least_rank(c, b, least);
  if (!left || !right) return std::nullopt;
  return product_axes(c, c.axes(a), c.axes(b));
}

// A scale or zero point of an operand: one element, one a row of a (one a column of b), or the operand's own rank. An
// operand of one axis has neither rows nor columns.
void expect_operand_point(const InferContext& c, int i, int operand, bool rows) {
  if (!c.has(i) || c.elements(i).is(1)) return;
  const int rank = c.rank(operand);
  if (rank == 1) {
    expect_point(c, i, c.axis(operand, 0), {}, false);
    return;
  }
  if (c.rank(i) == 1) expect_along(c, i, c.axis(operand, rank - (rows ? 2 : 1)), rows ? "the rows" : "the columns");
  else expect_stretches(c, i, c.axes(operand));
}

constexpr int back = 1;  // the columns' axis from the end; rows are one before

Term operand_point(LowerContext& c, Formula& f, int i, int rank, bool rows) {
  return point(c, f, i, rank - (rows ? back + 1 : back), rank);
}

TensorId sums(LowerContext& c, TensorId out, int a, int a_zero, int b, int b_zero) {
  const TensorId left = centred(c, a, a_zero, c.rank(a) - 2), right = centred(c, b, b_zero, c.rank(b) - 1);
  c.call("matmul", "matmul", {out}, {}, {left, right});
  return out;
}

// ---- MatMulInteger: A, B, a_zero_point, b_zero_point ---------------------------------------------------------------

void infer_matmul_integer(InferContext& c) {
  const bool types = expect_bytes(c, 0) && expect_bytes(c, 1) && (!c.has(2) || expect_one_dtype(c, 0, 2)) &&
                     (!c.has(3) || expect_one_dtype(c, 1, 3));
  const auto axes = product_axes(c, 0, 1, 1);
  if (!types || !axes) return;
  expect_operand_point(c, 2, 0, true);
  expect_operand_point(c, 3, 1, false);
  c.output(0, DType::int32, *axes);
}

void lower_matmul_integer(LowerContext& c) { sums(c, c.out(0), 0, 2, 1, 3); }

// ---- QLinearMatMul: a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point
// ------------------------

void infer_qlinear_matmul(InferContext& c) {
  const bool types = expect_bytes(c, 0) && expect_bytes(c, 3) && expect_bytes(c, 7) && expect_one_dtype(c, 0, 2) &&
                     expect_one_dtype(c, 3, 5);
  const auto axes = product_axes(c, 0, 3, 1);
  if (!types || !axes) return;
  for (const int i : {1, 2}) expect_operand_point(c, i, 0, true);
  for (const int i : {4, 5}) expect_operand_point(c, i, 3, false);
  c.output(0, c.dtype(7), *axes);
}

void lower_qlinear_matmul(LowerContext& c) {
  const std::vector<Axis>& axes = c.output_type(0).axes;
  const auto rank = static_cast<int>(axes.size());
  const TensorId product = sums(c, c.temporary(DType::int32, axes, "sums"), 0, 2, 3, 5);
  Formula f(c);
  const Term scale =
      operand_point(c, f, 1, rank, true).as(DType::float32) * operand_point(c, f, 4, rank, false).as(DType::float32);
  const Term y = round(f(product).as(DType::float32) * (scale / f.in(6).as(DType::float32)));
  f.into(c.out(0), (y + f.in(7).as(DType::float32)).saturated(c.dtype(7)));
}

// ---- com.microsoft MatMulIntegerToFloat: A, B, a_scale, b_scale, a_zero_point, b_zero_point, bias
// --------------------

void infer_to_float(InferContext& c) {
  const bool types = expect_bytes(c, 0) && expect_bytes(c, 1) && expect_float(c, 2) && expect_float(c, 3) &&
                     (!c.has(4) || expect_one_dtype(c, 0, 4)) && (!c.has(5) || expect_one_dtype(c, 1, 5));
  const auto axes = product_axes(c, 0, 1, 2);
  if (!types || !axes) return;
  for (const int i : {2, 4}) expect_operand_point(c, i, 0, true);
  for (const int i : {3, 5}) expect_operand_point(c, i, 1, false);
  if (c.has(6)) expect_along(c, 6, axes->back(), "the columns");
  c.output(0, c.dtype(2), *axes);
}

void lower_to_float(LowerContext& c) {
  const std::vector<Axis>& axes = c.output_type(0).axes;
  const auto rank = static_cast<int>(axes.size());
  const TensorId product = sums(c, c.temporary(DType::int32, axes, "sums"), 0, 4, 1, 5);
  Formula f(c);
  Term y = f(product).as(DType::float32) * (operand_point(c, f, 2, rank, true) * operand_point(c, f, 3, rank, false));
  if (c.has(6)) y = y + f(c.in(6));
  f.into(c.out(0), y);
}

// ---- com.microsoft DynamicQuantizeMatMul: A, B, b_scale, b_zero_point, bias
// ------------------------------------------

void infer_dynamic_matmul(InferContext& c) {
  const bool types = expect_dtype(c, 0, {DType::float32}) && expect_bytes(c, 1) && expect_float(c, 2) &&
                     (!c.has(3) || expect_one_dtype(c, 1, 3));
  const auto axes = product_axes(c, 0, 1, 2);
  if (!types || !axes) return;
  for (const int i : {2, 3}) expect_operand_point(c, i, 1, false);
  if (c.has(4)) expect_along(c, 4, axes->back(), "the columns");
  c.output(0, DType::float32, *axes);
}

// A is quantized to uint8 over all of it, as DynamicQuantizeLinear does; what it is multiplied as is q - zero point.
void lower_dynamic_matmul(LowerContext& c) {
  const std::vector<Axis>& axes = c.output_type(0).axes;
  const auto rank = static_cast<int>(axes.size());
  std::vector<int> all(static_cast<std::size_t>(c.rank(0)));
  std::iota(all.begin(), all.end(), 0);
  const TensorId greatest = call_reduce(c, c.temporary(DType::float32, {}, "greatest"), "Max", all, c.in(0));
  const TensorId least = call_reduce(c, c.temporary(DType::float32, {}, "least"), "Min", all, c.in(0));
  const auto scale = [&](Formula& f) {
    const Term nothing = f.number(0, DType::float32),
               range = (max(f(greatest), nothing) - min(f(least), nothing)) / 255;
    return where(equal(range, nothing), f.number(1, DType::float32), range);
  };
  Formula point_formula(c);
  const TensorId a_scale = point_formula.make({}, scale(point_formula), "scale");
  Formula quantize(c);
  const Term x = quantize(c.in(0)), step = quantize(a_scale), nothing = quantize.number(0, DType::float32);
  const Term zero = round((nothing - min(quantize(least), nothing)) / step).saturated(DType::uint8).as(DType::float32);
  const Term q = (round(x / step) + zero).saturated(DType::uint8).as(DType::int32) - zero.as(DType::int32);
  const TensorId left = quantize.make(c.axes(0), q, "centred");
  const TensorId right = centred(c, 1, 3, c.rank(1) - 1), product = c.temporary(DType::int32, axes, "sums");
  c.call("matmul", "matmul", {product}, {}, {left, right});
  Formula f(c);
  Term y = f(product).as(DType::float32) * (f(a_scale) * operand_point(c, f, 2, rank, false));
  if (c.has(4)) y = y + f(c.in(4));
  f.into(c.out(0), y);
}

// ---- com.microsoft QGemm: A, a_scale, a_zero_point, B, b_scale, b_zero_point, C, y_scale, y_zero_point
// ---------------

void infer_qgemm(InferContext& c) {
  const bool types = expect_bytes(c, 0) && expect_bytes(c, 3) && expect_one_dtype(c, 0, 2) &&
                     expect_one_dtype(c, 3, 5) && (!c.has(6) || expect_dtype(c, 6, {DType::int32})) &&
                     expect_dtype(c, 1, {DType::float32}) && expect_dtype(c, 4, {DType::float32}) &&
                     (!c.has(7) || expect_dtype(c, 7, {DType::float32}));
  const bool ranks = expect_rank(c, 0, 2) && expect_rank(c, 3, 2);
  if (!types || !ranks) return;
  const bool ta = c.integer("transA", 0) != 0, tb = c.integer("transB", 0) != 0;
  c.equate(c.axis(0, ta ? 0 : 1), c.axis(3, tb ? 1 : 0));
  const std::vector<Axis> axes{c.axis(0, ta ? 1 : 0), c.axis(3, tb ? 0 : 1)};
  for (const int i : {1, 2, 7, 8}) expect_point(c, i, axes[0], "the rows", false);
  for (const int i : {4, 5}) expect_point(c, i, axes[1], "the columns", true);
  if (c.has(6)) expect_stretches(c, 6, axes);
  c.output(0, c.has(7) ? (c.has(8) ? c.dtype(8) : DType::uint8) : DType::float32, axes);
}

void lower_qgemm(LowerContext& c) {
  const std::vector<Axis>& axes = c.output_type(0).axes;
  const bool ta = c.integer("transA", 0) != 0, tb = c.integer("transB", 0) != 0;
  TensorId a = centred(c, 0, 2, 0), b = centred(c, 3, 5, tb ? 0 : 1);
  if (ta) a = c.transpose(a, {1, 0});
  if (tb) b = c.transpose(b, {1, 0});
  const TensorId product = c.temporary(DType::int32, axes, "sums");
  c.call("matmul", "matmul", {product}, {}, {a, b});
  Formula f(c);
  Term sum = f(product);
  if (c.has(6)) sum = sum + f(c.in(6));  // C is scaled as the product is
  const Term y = sum.as(DType::float32) * (f.in(1) * point(c, f, 4, 1, 2) * c.number("alpha", 1));
  f.into(c.out(0), c.has(7) ? quantized(c, f, y, 7, 8, c.output_type(0).dtype) : y);
}

constexpr Operator row(std::string_view domain, std::string_view name, void (*infer)(InferContext&),
                       void (*lower)(LowerContext&), int least, int most) {
  return {.domain = domain, .name = name, .infer = infer, .lower = lower, .min_inputs = least, .max_inputs = most};
}

constexpr Operator rows[] = {
    row("", "MatMulInteger", infer_matmul_integer, lower_matmul_integer, 2, 4),
    row("", "QLinearMatMul", infer_qlinear_matmul, lower_qlinear_matmul, 8, 8),
    row("com.microsoft", "MatMulIntegerToFloat", infer_to_float, lower_to_float, 4, 7),
    row("com.microsoft", "DynamicQuantizeMatMul", infer_dynamic_matmul, lower_dynamic_matmul, 3, 5),
    row("com.microsoft", "QGemm", infer_qgemm, lower_qgemm, 6, 9),
};

}  // namespace

std::span<const Operator> quantized_matmul_operators() { return rows; }

}  // namespace loam
