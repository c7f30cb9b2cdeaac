// The normalizations. LayerNormalization and RMSNormalization are kernels of their own; where a graph also asks for
// their statistics, and in the forms over other axes, reductions and maps compute them, in float whatever is stored.
#include <algorithm>
#include <numeric>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"

namespace loam {

namespace {

using Axes = std::vector<Axis>;

std::vector<int> axes_from(int first, int rank) {
  std::vector<int> axes(static_cast<std::size_t>(rank - first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

Axes with_units(const Axes& axes, const std::vector<int>& reduced, const auto& unit) {
  Axes kept = axes;
  for (const int k : reduced) kept[static_cast<std::size_t>(k)] = unit();
  return kept;
}

Polynomial count(const NodeContext& c, const std::vector<int>& axes) {
  Polynomial n = 1;
  for (const int k : axes) n = n * c.extent(0, k);
  return n;
}

// x's statistics over some axes, those kept as units. `mean` and `inverse` are written where they are given.
struct Statistics {
  TensorId centred;   // x - mean, or x itself
  TensorId inverse;   // 1 / sqrt(mean square of centred + epsilon)
};

Statistics statistics(LowerContext& c, TensorId x, const std::vector<int>& axes, double epsilon, bool centre,
                      TensorId mean = no_tensor, TensorId inverse = no_tensor) {
  const Axes all = c.tensor(x).axes, kept = with_units(all, axes, [&] { return c.unit(); });
  const DType type = compute_type(c.tensor(x).dtype);
  if (centre) {
    if (mean == no_tensor) mean = c.temporary(type, kept, "mean");
    call_reduce(c, mean, "Mean", axes, x);
    Formula f(c);
    const Term value = f(x);
    x = f.make(all, value - f(mean).as(type), "centred");
  }
  const TensorId squares = call_reduce(c, c.temporary(type, kept, "squares"), "SumSquare", axes, x);
  Formula f(c);
  const Term result = 1 / sqrt(f(squares) / f.value(count(c, axes), type) + epsilon);
  if (inverse == no_tensor) inverse = f.make(kept, result, "inverse");
  else f.into(inverse, result);
  return {x, inverse};
}

// A vector of channels, or in old forms a tensor of all but the batch, against an input whose axis 1 is the channels.
TensorId per_channel(LowerContext& c, int i) { return c.rank(i) == 1 ? along(c, c.in(i), 1, c.rank(0)) : c.in(i); }

// ---- LayerNormalization, RMSNormalization and their com.microsoft forms --------------------------------------------

enum class Norm : std::uint8_t { layer, rms };

constexpr double layer_epsilon = 1e-5f, skip_epsilon = 1e-12f;

DType stash_type(const NodeContext& c) {
  return c.integer("stash_type", 1) == static_cast<std::int64_t>(DType::float64) || c.dtype(0) == DType::float64
             ? DType::float64
             : DType::float32;
}

void infer_norm(InferContext& c) {
  if (!expect_float(c, 0) || !expect_float(c, 1) || (c.has(2) && !expect_float(c, 2))) return;
  const auto axis = c.axis_index(c.integer("axis", -1), c.rank(0));
  if (!axis) return;
  expect_stretches(c, 1, c.axes(0));
  if (c.has(2)) expect_stretches(c, 2, c.axes(0));
  c.output(0, c.node().op_type == "SimplifiedLayerNormalization" ? c.dtype(1) : c.dtype(0), c.axes(0));
  const Axes kept = with_units(c.axes(0), axes_from(*axis, c.rank(0)), [&] { return c.unit(); });
  c.output(1, stash_type(c), kept);
  c.output(2, stash_type(c), kept);
}

// out = norm(x) * scale (+ bias), the statistics into `mean` and `inverse` where they are given.
void lower_norm(LowerContext& c, Norm norm, int axis, double epsilon, TensorId out, TensorId x, TensorId scale,
                TensorId bias, TensorId mean, TensorId inverse) {
  if (mean == no_tensor && inverse == no_tensor) {
    if (norm == Norm::layer)
      c.call("layer_norm", "layer_norm", {out}, {integer_literal(axis), number_literal(epsilon)}, {x, scale, bias});
    else
      c.call("rms_norm", "rms_norm", {out}, {integer_literal(axis), number_literal(epsilon)}, {x, scale});
    return;
  }
  const Statistics s = statistics(c, x, axes_from(axis, c.rank(0)), epsilon, norm == Norm::layer, mean, inverse);
  Formula f(c);
  const Term value = f(s.centred);
  Term y = value * f(s.inverse).as(value.type()) * f(scale).as(value.type());
  if (bias != no_tensor) y = y + f(bias).as(value.type());
  f.into(out, y);
}

template <Norm Kind>
void lower_plain_norm(LowerContext& c) {
  const int axis = *c.axis_index(c.integer("axis", -1), c.rank(0));
  const int inverse = Kind == Norm::layer ? 2 : 1;
  const TensorId out = c.wants(0) ? c.out(0) : c.temporary(c.dtype(0), c.axes(0), "normalized");
  lower_norm(c, Kind, axis, c.number("epsilon", layer_epsilon), out, c.in(0), c.in(1),
             Kind == Norm::layer ? c.optional_in(2) : no_tensor,
             Kind == Norm::layer && c.wants(1) ? c.out(1) : no_tensor, c.wants(inverse) ? c.out(inverse) : no_tensor);
}

// input, skip, gamma, beta (of the layer form), bias: normalizes input + skip + bias over the last axis.
constexpr int skip_bias(Norm norm) { return norm == Norm::layer ? 4 : 3; }

template <Norm Kind>
void infer_skip_norm(InferContext& c) {
  if (!expect_float(c, 0) || !expect_least_rank(c, 0, 1)) return;
  for (int i = 1; i < c.inputs(); ++i)
    if (c.has(i) && expect_one_dtype(c, 0, i)) expect_stretches(c, i, c.axes(0));
  const int last = c.rank(0) - 1;
  const Axes kept = with_units(c.axes(0), {last}, [&] { return c.unit(); });
  c.output(0, c.dtype(0), c.axes(0));
  c.output(1, stash_type(c), kept);
  c.output(2, stash_type(c), kept);
  c.output(3, c.dtype(0), c.axes(0));
}

template <Norm Kind>
void lower_skip_norm(LowerContext& c) {
  Formula f(c);
  const Term x = f(c.in(0));
  Term sum = x + f(c.in(1));
  if (c.has(skip_bias(Kind))) sum = sum + f(c.in(skip_bias(Kind)));
  TensorId joined;
  if (c.wants(3)) f.into(joined = c.out(3), sum);
  else joined = f.make(c.axes(0), sum, "sum");
  const TensorId out = c.wants(0) ? c.out(0) : c.temporary(c.dtype(0), c.axes(0), "normalized");
  lower_norm(c, Kind, c.rank(0) - 1, c.number("epsilon", skip_epsilon), out, joined, c.in(2),
             Kind == Norm::layer ? c.optional_in(3) : no_tensor,
             Kind == Norm::layer && c.wants(1) ? c.out(1) : no_tensor, c.wants(2) ? c.out(2) : no_tensor);
}

// ---- BatchNormalization --------------------------------------------------------------------------------------------

bool trains(const NodeContext& c) {
  return c.opset() < 14 ? c.wants(1) || c.wants(2) || c.wants(3) || c.wants(4) : c.integer("training_mode", 0) != 0;
}

void infer_batch_norm(InferContext& c) {
  bool types = expect_float(c, 0);
  for (int i = 1; i < 5; ++i) types = types && expect_float(c, i);
  if (!types || !expect_least_rank(c, 0, 2)) return;
  if (trains(c) && c.opset() < 14) {
    c.error(Code::operator_form,
            "asks for the statistics of a training step, whose form before opset 14 no kernel computes");
    return;
  }
  for (int i = 1; i < 5; ++i) {
    if (c.integer("spatial", 1) != 0) expect_along(c, i, c.axis(0, 1), "the channels");
    else if (expect_rank(c, i, c.rank(0) - 1)) expect_stretches(c, i, c.axes(0));
  }
  c.output(0, c.dtype(0), c.axes(0));
  c.output(1, c.dtype(3), c.axes(3));
  c.output(2, c.dtype(4), c.axes(4));
}

void lower_batch_norm(LowerContext& c) {
  const double epsilon = c.number("epsilon", 1e-5f);
  if (!trains(c)) {
    Formula f(c);
    const Term x = f(c.in(0));
    const auto channel = [&](int i) { return f(per_channel(c, i)).as(x.type()); };
    f.into(c.out(0), (x - channel(3)) / sqrt(channel(4) + epsilon) * channel(1) + channel(2));
    return;
  }
  const DType type = compute_type(c.dtype(0));
  std::vector<int> axes = axes_from(0, c.rank(0));
  std::erase(axes, 1);
  const TensorId mean = call_reduce(c, c.temporary(type, {c.axis(0, 1)}, "mean"), "Mean", axes, c.in(0));
  Formula centre(c);
  const Term x = centre(c.in(0));
  const TensorId centred = centre.make(c.axes(0), x - centre(along(c, mean, 1, c.rank(0))), "centred");
  const TensorId squares = call_reduce(c, c.temporary(type, {c.axis(0, 1)}, "squares"), "SumSquare", axes, centred);
  const Polynomial n = count(c, axes);
  if (c.wants(0)) {
    Formula f(c);
    const Term value = f(centred);
    const auto channel = [&](TensorId t) { return f(along(c, t, 1, c.rank(0))).as(type); };
    f.into(c.out(0), value / sqrt(channel(squares) / f.value(n, type) + epsilon) * channel(c.in(1)) + channel(c.in(2)));
  }
  const double momentum = c.number("momentum", 0.9f);
  if (c.wants(1)) {
    Formula f(c);
    f.into(c.out(1), f(c.in(3)).as(type) * momentum + f(mean) * (1 - momentum));
  }
  if (c.wants(2)) {
    Formula f(c);
    const Term variance = f(squares) / f.value(n, type);
    f.into(c.out(2), f(c.in(4)).as(type) * momentum + variance * (1 - momentum));
  }
}

// ---- InstanceNormalization and GroupNormalization ------------------------------------------------------------------

void infer_instance_norm(InferContext& c) {
  if (!expect_float(c, 0) || !expect_one_dtype(c, 0, 1) || !expect_one_dtype(c, 0, 2) || !expect_least_rank(c, 0, 3))
    return;
  for (const int i : {1, 2}) expect_along(c, i, c.axis(0, 1), "the channels");
  c.output(0, c.dtype(0), c.axes(0));
}

void lower_instance_norm(LowerContext& c) {
  lower_norm(c, Norm::layer, 2, c.number("epsilon", 1e-5f), c.out(0), c.in(0), per_channel(c, 1), per_channel(c, 2),
             no_tensor, no_tensor);
}

bool scales_groups(const NodeContext& c) { return c.opset() < 21; }

void infer_group_norm(InferContext& c) {
  if (!expect_float(c, 0) || !expect_one_dtype(c, 0, 1) || !expect_one_dtype(c, 0, 2) || !expect_least_rank(c, 0, 3))
    return;
  const std::int64_t groups = c.integer("num_groups", 0);
  const auto channels = c.extent(0, 1).constant();
  if (groups < 1 || !channels || *channels % groups != 0) {
    c.error(Code::bad_attribute, "num_groups is " + std::to_string(groups) + ", which does not divide the " +
                                     c.spell(c.extent(0, 1)) + " channels");
    return;
  }
  if (scales_groups(c) && c.rank(1) == 1 && c.rank(2) == 1)
    c.equate(c.axis(1, 0), c.axis(2, 0), "in " + c.input_name(1), "in " + c.input_name(2));
  for (const int i : {1, 2}) {
    if (!scales_groups(c)) expect_along(c, i, c.axis(0, 1), "the channels");
    else if (expect_rank(c, i, 1))
      c.equate(c.extent(i, 0), groups,
               c.input_name(i) + " has " + c.spell(c.extent(i, 0)) + " elements, and num_groups is " +
                   std::to_string(groups));
  }
  c.output(0, c.dtype(0), c.axes(0));
}

// [N, groups, channels of a group, the rest], normalized over the last two: scale and bias lie along the groups, or
// with opset 21 along both.
void lower_group_norm(LowerContext& c) {
  const std::int64_t groups = c.integer("num_groups", 1);
  const Axis group = scales_groups(c) ? c.axis(1, 0) : c.named_axis("Group", groups);
  const Axis member = c.named_axis("GroupChannel", *c.extent(0, 1).divided_by(groups));
  const Axis place = c.rank(0) == 3 ? c.axis(0, 2) : LowerContext::merge(Axes(c.axes(0).begin() + 2, c.axes(0).end()));
  const Axes grouped{c.axis(0, 0), group, member, place};
  const auto parameter = [&](int i) {
    if (scales_groups(c)) return along(c, c.in(i), 1, 4);
    return c.reshape(c.in(i), {group, member, c.unit()});
  };
  const TensorId y = c.temporary(c.dtype(0), grouped, "normalized"), x = c.reshape(c.in(0), grouped);
  const TensorId scale = parameter(1), bias = parameter(2);
  c.call("layer_norm", "layer_norm", {y}, {integer_literal(2), number_literal(c.number("epsilon", 1e-5f))},
         {x, scale, bias});
  c.alias(0, c.reshape(y, c.output_type(0).axes));
}

// ---- MeanVarianceNormalization and LpNormalization -----------------------------------------------------------------

std::optional<std::vector<int>> variance_axes(const NodeContext& c) {
  return c.axis_indices(c.integers("axes").value_or(std::vector<std::int64_t>{0, 2, 3}), c.rank(0));
}

void infer_mean_variance(InferContext& c) {
  if (expect_float(c, 0) && variance_axes(c)) c.output(0, c.dtype(0), c.axes(0));
}

void lower_mean_variance(LowerContext& c) {
  const std::vector<int> axes = *variance_axes(c);
  const Axes kept = with_units(c.axes(0), axes, [&] { return c.unit(); });
  const DType type = compute_type(c.dtype(0));
  const TensorId mean = call_reduce(c, c.temporary(type, kept, "mean"), "Mean", axes, c.in(0));
  Formula centre(c);
  const Term x = centre(c.in(0));
  const TensorId centred = centre.make(c.axes(0), x - centre(mean), "centred");
  const TensorId squares = call_reduce(c, c.temporary(type, kept, "squares"), "SumSquare", axes, centred);
  Formula f(c);
  const Term value = f(centred);
  f.into(c.out(0),
         value / (sqrt(f(squares) / f.value(count(c, axes), type)) + 1e-9));  // ONNX's function body adds 1e-9
}

void infer_lp_norm(InferContext& c) {
  const std::int64_t p = c.integer("p", 2);
  if (p != 1 && p != 2) c.error(Code::bad_attribute, "p is " + std::to_string(p) + ", and the operator takes 1 or 2");
  else if (expect_float(c, 0) && c.axis_index(c.integer("axis", -1), c.rank(0))) c.output(0, c.dtype(0), c.axes(0));
}

void lower_lp_norm(LowerContext& c) {
  const std::vector<int> axes{*c.axis_index(c.integer("axis", -1), c.rank(0))};
  const TensorId norm =
      c.temporary(compute_type(c.dtype(0)), with_units(c.axes(0), axes, [&] { return c.unit(); }), "norm");
  call_reduce(c, norm, c.integer("p", 2) == 1 ? "L1" : "L2", axes, c.in(0));
  Formula f(c);
  const Term x = f(c.in(0)), n = f(norm), zero = x.constant(0);
  f.into(c.out(0), where(equal(n, zero), zero, x / n));  // a lane of zeros stays one
}

constexpr Operator norm_row(std::string_view domain, std::string_view name, int inputs, int outputs,
                            void (*lower)(LowerContext&)) {
  return {.domain = domain,
          .name = name,
          .infer = infer_norm,
          .lower = lower,
          .min_inputs = 2,
          .max_inputs = inputs,
          .max_outputs = outputs};
}

constexpr Operator rows[] = {
    norm_row("", "LayerNormalization", 3, 3, lower_plain_norm<Norm::layer>),
    norm_row("", "RMSNormalization", 2, 1, lower_plain_norm<Norm::rms>),
    // onnxruntime's own: the graph optimizer writes it under ai.onnx.
    norm_row("", "SimplifiedLayerNormalization", 2, 2, lower_plain_norm<Norm::rms>),
    norm_row("com.microsoft", "SimplifiedLayerNormalization", 2, 2, lower_plain_norm<Norm::rms>),
    {.domain = "com.microsoft", .name = "SkipLayerNormalization", .infer = infer_skip_norm<Norm::layer>,
     .lower = lower_skip_norm<Norm::layer>, .min_inputs = 3, .max_inputs = 5, .max_outputs = 4},
    {.domain = "com.microsoft", .name = "SkipSimplifiedLayerNormalization", .infer = infer_skip_norm<Norm::rms>,
     .lower = lower_skip_norm<Norm::rms>, .min_inputs = 3, .max_inputs = 4, .max_outputs = 4},
    {.domain = "", .name = "BatchNormalization", .infer = infer_batch_norm, .lower = lower_batch_norm, .min_inputs = 5,
     .max_inputs = 5, .max_outputs = 5},
    {.domain = "", .name = "InstanceNormalization", .infer = infer_instance_norm, .lower = lower_instance_norm,
     .min_inputs = 3, .max_inputs = 3},
    {.domain = "", .name = "GroupNormalization", .infer = infer_group_norm, .lower = lower_group_norm, .min_inputs = 3,
     .max_inputs = 3},
    {.domain = "", .name = "MeanVarianceNormalization", .infer = infer_mean_variance, .lower = lower_mean_variance},
    {.domain = "", .name = "LpNormalization", .infer = infer_lp_norm, .lower = lower_lp_norm},
};

}  // namespace

std::span<const Operator> normalization_operators() { return rows; }

}  // namespace loam
