// The poolings: MaxPool with its indices, AveragePool, LpPool, and the global ones, which are reductions.
#include <numeric>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/window.hpp"
#include "compiler/shape/integer.hpp"

namespace loam {

namespace {

constexpr int most_spatial = 3;

std::optional<Windows> pool_windows(const NodeContext& c) {
  const auto kernel = kernel_shape(c, static_cast<std::size_t>(c.rank(0) - 2));
  if (!kernel) return std::nullopt;
  return read_windows(c, spatial_extents(c, 0), *kernel, c.integer("ceil_mode", 0) != 0);
}

std::optional<std::vector<Axis>> infer_windows(const InferContext& c) {
  const int spatial = c.rank(0) - 2;
  if (spatial < 1 || spatial > most_spatial) {
    c.error(Code::rank_mismatch, c.input_name(0) + " has " + std::to_string(c.rank(0)) +
                                     " axes, and a pooling takes batch, channels and 1 to 3 more");
    return std::nullopt;
  }
  const auto windows = pool_windows(c);
  if (!windows) return std::nullopt;
  owe_reach(c, *windows);
  for (std::size_t i = 0; i < windows->size(); ++i) {
    // A window that holds nothing but padding has no maximum and no mean; auto_pad makes none.
    for (const Polynomial& pad : {windows->begin[i], windows->end[i]})
      if (pad.is_constant() &&
          !c.owe(windows->reach(i) - 1 - pad, "the padding of " + c.spell(c.axis(0, static_cast<int>(i) + 2)) + ", " +
                                                  c.spell(pad) + ", must be less than the " +
                                                  c.spell(windows->reach(i)) + " elements a window reaches over"))
        return std::nullopt;
  }
  return window_axes(c, c.axis(0, 0), c.axis(0, 1), windows->out);
}

void infer_max_pool(InferContext& c) {
  const bool type = expect_number(c, 0);
  const auto axes = infer_windows(c);
  if (!type || !axes) return;
  c.output(0, c.dtype(0), *axes);
  c.output(1, DType::int64, *axes);
}

void lower_max_pool(LowerContext& c) {
  const Aggregate window = window_argument(*pool_windows(c));
  if (!c.wants(1)) {
    c.call("max_pool", "pool", {c.out(0)}, {window}, {c.in(0)});
    return;
  }
  const TensorId values = c.wants(0) ? c.out(0) : c.temporary(c.dtype(0), c.output_type(1).axes, "values");
  c.call("max_pool_indices", "pool", {values, c.out(1)}, {window, flag_literal(c.integer("storage_order", 0) != 0)},
         {c.in(0)});
}

void infer_mean_pool(InferContext& c) {
  const bool type = expect_float(c, 0);
  const auto axes = infer_windows(c);
  if (type && axes) c.output(0, c.dtype(0), *axes);
}

void lower_average_pool(LowerContext& c) {
  const Windows w = *pool_windows(c);
  c.call("average_pool", "pool", {c.out(0)},
         {window_argument(w), flag_literal(c.integer("count_include_pad", 0) != 0), pads_end_argument(w)}, {c.in(0)});
}

// p: an integer since opset 2, a number before it.
double norm_order(const NodeContext& c) {
  return c.opset() < 2 ? c.number("p", 2) : static_cast<double>(c.integer("p", 2));
}

void lower_lp_pool(LowerContext& c) {
  const std::int64_t p = c.opset() < 2 ? saturated(c.number("p", 2)) : c.integer("p", 2);
  c.call("lp_pool", "pool", {c.out(0)}, {window_argument(*pool_windows(c)), integer_literal(p)}, {c.in(0)});
}

// ---- The global poolings -------------------------------------------------------------------------------------------

void infer_global(InferContext& c) {
  if (!expect_float(c, 0) || !expect_least_rank(c, 0, 3)) return;
  std::vector<Axis> axes{c.axis(0, 0), c.axis(0, 1)};
  while (axes.size() < c.axes(0).size()) axes.push_back(c.unit());
  c.output(0, c.dtype(0), std::move(axes));
}

std::vector<int> spatial_axes(const NodeContext& c) {
  std::vector<int> axes(static_cast<std::size_t>(c.rank(0) - 2));
  std::iota(axes.begin(), axes.end(), 2);
  return axes;
}

void lower_global_average(LowerContext& c) { call_reduce(c, c.out(0), "Mean", spatial_axes(c), c.in(0)); }
void lower_global_max(LowerContext& c) { call_reduce(c, c.out(0), "Max", spatial_axes(c), c.in(0)); }

void lower_global_lp(LowerContext& c) {
  const double p = norm_order(c);
  if (p == 1 || p == 2) {
    call_reduce(c, c.out(0), p == 1 ? "L1" : "L2", spatial_axes(c), c.in(0));
    return;
  }
  Formula powers(c);
  const TensorId raised = powers.make(c.axes(0), pow(abs(powers(c.in(0))), p), "powers");
  const TensorId sums = c.temporary(c.tensor(raised).dtype, c.output_type(0).axes, "sums");
  call_reduce(c, sums, "Sum", spatial_axes(c), raised);
  Formula root(c);
  root.into(c.out(0), pow(root(sums), 1 / p));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "MaxPool", .infer = infer_max_pool, .lower = lower_max_pool, .max_outputs = 2},
    {.domain = "", .name = "AveragePool", .infer = infer_mean_pool, .lower = lower_average_pool},
    {.domain = "", .name = "LpPool", .infer = infer_mean_pool, .lower = lower_lp_pool},
    {.domain = "", .name = "GlobalAveragePool", .infer = infer_global, .lower = lower_global_average},
    {.domain = "", .name = "GlobalMaxPool", .infer = infer_global, .lower = lower_global_max},
    {.domain = "", .name = "GlobalLpPool", .infer = infer_global, .lower = lower_global_lp},
};

}  // namespace

std::span<const Operator> pool_operators() { return rows; }

}  // namespace loam
