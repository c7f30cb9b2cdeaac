// The products of matrices (MatMul, Gemm, com.microsoft FusedMatMul): one kernel, transposed operands as views, and a
// map after it where the result is scaled or added to.
#include <algorithm>
#include <numeric>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/product.hpp"

namespace loam {

namespace {

using Order = std::vector<int>;

bool identity(const Order& order) { return std::ranges::is_sorted(order); }

std::vector<Axis> permuted(const std::vector<Axis>& axes, const Order& order) {
  std::vector<Axis> result;
  for (const int from : order) result.push_back(axes[static_cast<std::size_t>(from)]);
  return result;
}

TensorId oriented(LowerContext& c, TensorId t, const Order& order) {
  return identity(order) ? t : c.transpose(t, order);
}

// ---- MatMul and FusedMatMul ----------------------------------------------------------------------------------------

// The order in which an operand's axes are read: FusedMatMul's trans swaps the last two, its transBatch first moves the
// leading axis to the last but one.
Order operand_order(const NodeContext& c, int i, std::string_view trans, std::string_view trans_batch) {
  Order order(static_cast<std::size_t>(c.rank(i)));
  std::iota(order.begin(), order.end(), 0);
  if (c.rank(i) < 2) return order;
  if (c.integer(trans_batch, 0) != 0) std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (c.integer(trans, 0) != 0) std::swap(order[order.size() - 1], order[order.size() - 2]);
  return order;
}
Order left_order(const NodeContext& c) { return operand_order(c, 0, "transA", "transBatchA"); }
Order right_order(const NodeContext& c) { return operand_order(c, 1, "transB", "transBatchB"); }

void infer_matmul(InferContext& c) {
  const bool types = expect_number(c, 0) && expect_one_dtype(c, 0, 1);
  const bool left = expect_least_rank(c, 0, 1), right = expect_least_rank(c, 1, 1);
  if (!types || !left || !right) return;
  c.output(0, c.dtype(0), product_axes(c, permuted(c.axes(0), left_order(c)), permuted(c.axes(1), right_order(c))));
}

void lower_matmul(LowerContext& c) {
  const double alpha = c.number("alpha", 1);
  const TensorId a = oriented(c, c.in(0), left_order(c)), b = oriented(c, c.in(1), right_order(c));
  const TensorId product = alpha == 1 ? c.out(0) : c.temporary(c.dtype(0), c.output_type(0).axes, "product");
  c.call("matmul", "matmul", {product}, {}, {a, b});
  if (alpha == 1) return;
  Formula f(c);
  f.into(c.out(0), f(product) * alpha);
}

// ---- Gemm ----------------------------------------------------------------------------------------------------------

Order gemm_order(const NodeContext& c, std::string_view trans) {
  return c.integer(trans, 0) != 0 ? Order{1, 0} : Order{0, 1};
}

void infer_gemm(InferContext& c) {
  const bool types = expect_number(c, 0) && expect_one_dtype(c, 0, 1) && (!c.has(2) || expect_one_dtype(c, 0, 2));
  const bool left = expect_rank(c, 0, 2), right = expect_rank(c, 1, 2);
  if (!types || !left || !right) return;
  const auto axes =
      product_axes(c, permuted(c.axes(0), gemm_order(c, "transA")), permuted(c.axes(1), gemm_order(c, "transB")));
  if (c.has(2)) expect_stretches(c, 2, axes);
  c.output(0, c.dtype(0), axes);
}

bool known_zero(const NodeContext& c, int i) {
  const Known* known = c.known(i);
  return known && std::ranges::all_of(known->elements, [](const Scalar& e) {
    const auto* number = std::get_if<double>(&e);
    return number ? *number == 0 : std::get<Polynomial>(e).is(0);
  });
}

void lower_gemm(LowerContext& c) {
  const double alpha = c.number("alpha", 1), beta = c.number("beta", 1);
  const bool adds = c.has(2) && beta != 0 && !known_zero(c, 2);
  const TensorId a = oriented(c, c.in(0), gemm_order(c, "transA")), b = oriented(c, c.in(1), gemm_order(c, "transB"));
  if (!adds && alpha == 1) {
    c.call("matmul", "matmul", {c.out(0)}, {}, {a, b});
    return;
  }
  // Kept in the type it is computed in: it is rounded once, at the end.
  const TensorId product = c.temporary(compute_type(c.dtype(0)), c.output_type(0).axes, "product");
  c.call("matmul", "matmul", {product}, {}, {a, b});
  Formula f(c);
  Term y = f(product);
  if (alpha != 1) y = y * alpha;
  if (adds) y = y + (beta == 1 ? f.in(2) : f.in(2) * beta);
  f.into(c.out(0), y);
}

constexpr Operator rows[] = {
    {.domain = "", .name = "MatMul", .infer = infer_matmul, .lower = lower_matmul, .min_inputs = 2, .max_inputs = 2},
    {.domain = "com.microsoft", .name = "FusedMatMul", .infer = infer_matmul, .lower = lower_matmul, .min_inputs = 2,
     .max_inputs = 2},
    {.domain = "", .name = "Gemm", .infer = infer_gemm, .lower = lower_gemm, .min_inputs = 2, .max_inputs = 3},
};

}  // namespace

std::vector<Axis> product_axes(const InferContext& c, std::vector<Axis> a, std::vector<Axis> b) {
  std::vector<Axis> rows, columns;
  const Axis left = a.back();
  a.pop_back();
  if (!a.empty()) {
    rows.push_back(a.back());
    a.pop_back();
  }
  const std::size_t at = b.size() - (b.size() > 1 ? 2 : 1);
  const Axis right = b[at];
  if (b.size() > 1) {
    columns.push_back(b.back());
    b.pop_back();
  }
  b.pop_back();
  c.equate(left, right);
  std::vector<Axis> axes = c.broadcast(a, b);
  axes.insert(axes.end(), rows.begin(), rows.end());
  axes.insert(axes.end(), columns.begin(), columns.end());
  return axes;
}

std::span<const Operator> matmul_operators() { return rows; }

}  // namespace loam
