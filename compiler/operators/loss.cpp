// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss (ai.onnx).
//
//   loss[n, d..] = -weight[t] * x[n, t, d..],  t = target[n, d..], and 0 where t is ignore_index
//
// The mean is over the weights of what is not ignored.
#include <numeric>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

// x [N, C, d..], target [N, d..], weight [C].
bool expect_loss_operands(const InferContext& c) {
  if (!expect_float(c, 0) || !expect_least_rank(c, 0, 2) || !expect_dtype(c, 1, {DType::int64, DType::int32}) ||
      !expect_rank(c, 1, c.rank(0) - 1) || !expect_word(c, "reduction", "mean", {"none", "sum", "mean"}))
    return false;
  for (int k = 0; k < c.rank(1); ++k)
    c.equate(c.axis(0, k == 0 ? 0 : k + 1), c.axis(1, k), "in " + c.input_name(0), "in " + c.input_name(1));
  return !c.has(2) || (expect_one_dtype(c, 0, 2) && expect_along(c, 2, c.axis(0, 1), "the classes"));
}

void infer_loss(InferContext& c) {
  if (!expect_loss_operands(c)) return;
  c.output(0, c.dtype(0), c.text("reduction", "mean") == "none" ? c.axes(1) : std::vector<Axis>());
  c.output(1, c.dtype(0), c.axes(0));  // the logarithms of SoftmaxCrossEntropyLoss
}

// The loss of logarithms x, which are input 0 or computed from it.
void lower_loss(LowerContext& c, TensorId x) {
  const int rank = c.rank(0);
  std::vector<int> source(static_cast<std::size_t>(rank)), back, all(static_cast<std::size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  std::vector<Axis> axes = c.axes(0);  // a class picked at each place
  axes[1] = c.unit();
  for (int k = 0; k < rank; ++k) {
    source[static_cast<std::size_t>(k)] = k == 1 ? -1 : k == 0 ? 0 : k - 1;
    if (k != 1) back.push_back(k);
  }
  const TensorId target = c.units(c.in(1), source, axes);
  const bool ignores = c.has_attribute("ignore_index"), weighs = c.has(2) || ignores;
  const auto ignored = [&](Formula& f) {
    return equal(f(target).as(DType::int64), f.integer(c.integer("ignore_index", 0), DType::int64));
  };
  TensorId index;
  {
    Formula f(c);
    const Term t = f(target).as(DType::int64);  // and unsigned, since no class counts from the end
    index = f.make(axes, (ignores ? where(ignored(f), t.constant(0), t) : t).as(DType::uint64), "classes");
  }
  const TensorId picked = c.temporary(c.dtype(0), axes, "picked");
  c.call("gather_elements", "gather_elements", {picked}, {integer_literal(1)}, {x, index}, true);

  TensorId weights = no_tensor;
  if (c.has(2)) {
    weights = c.temporary(c.dtype(0), axes, "weights");
    c.call("gather", "gather", {weights}, {integer_literal(0)}, {c.in(2), index}, true);
  }
  if (ignores) {
    Formula f(c);
    const DType type = compute_type(c.dtype(0));
    const Term one = c.has(2) ? f(weights) : f.integer(1, type);
    weights = f.make(axes, c.dtype(0), where(ignored(f), f.integer(0, type), one), "weights");
  }
  Formula f(c);
  const TensorId loss = f.make(axes, c.dtype(0), weighs ? -f(picked) * f(weights) : -f(picked), "each");
  const std::string reduction = c.text("reduction", "mean");
  if (reduction == "none") return c.alias(0, c.units(loss, back, c.output_type(0).axes));
  if (reduction == "sum" || !weighs) {
    call_reduce(c, c.out(0), reduction == "sum" ? "Sum" : "Mean", all, loss);
    return;
  }
  const TensorId sum = call_reduce(c, c.temporary(c.dtype(0), {}, "sum"), "Sum", all, loss);
  const TensorId weight = call_reduce(c, c.temporary(c.dtype(0), {}, "weight"), "Sum", all, weights);
  Formula g(c);
  g.into(c.out(0), g(sum) / g(weight));
}

void lower_likelihood(LowerContext& c) { lower_loss(c, c.in(0)); }

void lower_cross_entropy(LowerContext& c) {
  const TensorId logarithms = c.wants(1) ? c.out(1) : c.temporary(c.dtype(0), c.axes(0), "logarithms");
  c.call("softmax", "softmax", {logarithms}, {Literal{"loam::LogSoftmax{}"}, integer_literal(1)}, {c.in(0)});
  if (c.wants(0)) lower_loss(c, logarithms);
}

constexpr Operator rows[] = {
    {.domain = "", .name = "NegativeLogLikelihoodLoss", .infer = infer_loss, .lower = lower_likelihood, .min_inputs = 2,
     .max_inputs = 3},
    {.domain = "", .name = "SoftmaxCrossEntropyLoss", .infer = infer_loss, .lower = lower_cross_entropy,
     .min_inputs = 2, .max_inputs = 3, .max_outputs = 2},
};

}  // namespace

std::span<const Operator> loss_operators() { return rows; }

}  // namespace loam
