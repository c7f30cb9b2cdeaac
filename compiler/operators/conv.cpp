// Convolutions: Conv, com.microsoft FusedConv, ConvInteger, QLinearConv and ConvTranspose, over any number of spatial
// axes a kernel has (1 to 3).
//
// The output's channels are the weight's axis M, and each spatial axis is new: a window places its output on a grid of
// its own. With one group the input's channels and the weight's are one axis; a group's share of the channels is an
// axis of its own, so with several they meet by length.
#include <algorithm>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/quantized.hpp"
#include "compiler/operators/window.hpp"

namespace loam {

namespace {

constexpr int most_spatial = 3;

// ---- What the convolutions share -----------------------------------------------------------------------------------

bool expect_image(const NodeContext& c, int i) {
  const int spatial = c.rank(i) - 2;
  if (spatial >= 1 && spatial <= most_spatial) return true;
  c.error(Code::rank_mismatch, c.input_name(i) + " has " + std::to_string(c.rank(i)) +
                                   " axes, and a convolution takes batch, channels and 1 to 3 more");
  return false;
}

std::int64_t groups_of(const NodeContext& c) { return c.integer("group", 1); }

std::optional<Windows> conv_windows(const NodeContext& c, int weight) {
  return read_windows(c, spatial_extents(c, 0), spatial_extents(c, weight));
}

// Output channels times a group's share of input channels must be what the weight says; reports what is not.
bool infer_channels(const InferContext& c, int weight) {
  const std::int64_t groups = groups_of(c);
  if (groups < 1) {
    c.error(Code::bad_attribute, "group is " + std::to_string(groups) + ", and the least it may be is 1");
    return false;
  }
  if (groups == 1) {
    c.equate(c.axis(0, 1), c.axis(weight, 1), "in " + c.input_name(0), "in " + c.input_name(weight));
    return true;
  }
  const Polynomial share = c.extent(weight, 1), out = c.extent(weight, 0);
  c.equate(c.extent(0, 1), share * groups,
           c.input_name(0) + " has " + c.spell(c.extent(0, 1)) + " channels, and " + std::to_string(groups) +
               " groups of " + c.spell(share) + " are " + c.spell(share * groups));
  if (const auto m = out.constant(); m && *m % groups != 0) {
    c.error(Code::bad_attribute, "group is " + std::to_string(groups) + ", which does not divide the " +
                                     std::to_string(*m) + " output channels");
    return false;
  }
  return true;
}

// The axes of a convolution of input 0 with input `weight`; nullopt where it is reported.
std::optional<std::vector<Axis>> infer_windows(InferContext& c, int weight) {
  if (!expect_image(c, 0) || !expect_rank(c, weight, c.rank(0))) return std::nullopt;
  if (!infer_channels(c, weight) || !expect_kernel(c, weight)) return std::nullopt;
  const auto windows = conv_windows(c, weight);
  if (!windows) return std::nullopt;
  owe_reach(c, *windows);
  return window_axes(c, c.axis(0, 0), c.axis(weight, 0), windows->out);
}

void call_conv(LowerContext& c, TensorId out, const Windows& windows, TensorId x, TensorId w, TensorId bias) {
  c.call("conv", "conv", {out}, {window_argument(windows), integer_literal(groups_of(c))}, {x, w, bias});
}

// ---- Conv and FusedConv --------------------------------------------------------------------------------------------

void infer_conv(InferContext& c) {
  const bool types = expect_float(c, 0) && expect_one_dtype(c, 0, 1) && (!c.has(2) || expect_one_dtype(c, 0, 2));
  auto axes = infer_windows(c, 1);
  if (!types || !axes) return;
  if (c.has(2)) expect_along(c, 2, c.axis(1, 0), "the output channels");
  if (c.has(3) && expect_one_dtype(c, 0, 3) && expect_rank(c, 3, c.rank(0))) expect_stretches(c, 3, *axes);
  c.output(0, c.dtype(0), std::move(*axes));
}

void lower_conv(LowerContext& c) { call_conv(c, c.out(0), *conv_windows(c, 1), c.in(0), c.in(1), c.optional_in(2)); }

void infer_fused_conv(InferContext& c) {
  infer_conv(c);
  expect_word(c, "activation", "", {"", "Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid"});
}

Term activated(const NodeContext& c, Term x) {
  const std::string kind = c.text("activation", "");
  auto p = c.numbers("activation_params").value_or(std::vector<double>{});
  p.resize(2);
  if (kind == "Relu") return max(x, x.constant(0));
  if (kind == "Sigmoid") return sigmoid(x);
  if (kind == "Tanh") return tanh(x);
  if (kind == "LeakyRelu") return where(x < x.constant(0), x * p[0], x);
  if (kind == "Clip") return min(max(x, x.constant(p[0])), x.constant(p[1]));
  if (kind == "HardSigmoid") return max(x.constant(0), min(x.constant(1), x * p[0] + p[1]));
  return x;
}

void lower_fused_conv(LowerContext& c) {
  if (c.text("activation", "").empty() && !c.has(3)) return lower_conv(c);
  const TensorId y = c.temporary(compute_type(c.dtype(0)), c.output_type(0).axes, "convolution");
  call_conv(c, y, *conv_windows(c, 1), c.in(0), c.in(1), c.optional_in(2));
  Formula f(c);
  Term sum = f(y);
  if (c.has(3)) sum = sum + f(c.in(3));
  f.into(c.out(0), activated(c, sum));
}

// ---- The integer forms ---------------------------------------------------------------------------------------------

void infer_conv_integer(InferContext& c) {
  const bool types = expect_bytes(c, 0) && expect_bytes(c, 1) && (!c.has(2) || expect_one_dtype(c, 0, 2)) &&
                     (!c.has(3) || expect_one_dtype(c, 1, 3));
  auto axes = infer_windows(c, 1);
  if (!types || !axes) return;
  expect_point(c, 2, c.axis(0, 1), "the channels", false);
  expect_point(c, 3, c.axis(1, 0), "the output channels", true);
  c.output(0, DType::int32, std::move(*axes));
}

void lower_conv_integer(LowerContext& c) {
  call_conv(c, c.out(0), *conv_windows(c, 1), centred(c, 0, 2, 1), centred(c, 1, 3, 0), no_tensor);
}

// x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B
void infer_qlinear_conv(InferContext& c) {
  const bool types = expect_bytes(c, 0) && expect_bytes(c, 3) && expect_one_dtype(c, 0, 2) &&
                     expect_one_dtype(c, 3, 5) && expect_bytes(c, 7) &&
                     (!c.has(8) || expect_dtype(c, 8, {DType::int32}));
  auto axes = infer_windows(c, 3);
  if (!types || !axes) return;
  for (const int i : {1, 2, 6, 7}) expect_point(c, i, c.axis(0, 1), "the channels", false);
  for (const int i : {4, 5}) expect_point(c, i, c.axis(3, 0), "the output channels", true);
  if (c.has(8)) expect_along(c, 8, c.axis(3, 0), "the output channels");
  c.output(0, c.dtype(7), std::move(*axes));
}

void lower_qlinear_conv(LowerContext& c) {
  const std::vector<Axis>& axes = c.output_type(0).axes;
  const int rank = c.rank(0);
  const TensorId sums = c.temporary(DType::int32, axes, "sums");
  call_conv(c, sums, *conv_windows(c, 3), centred(c, 0, 2, 1), centred(c, 3, 5, 0), c.optional_in(8));
  Formula f(c);
  const Term y =
      round(f(sums).as(DType::float32) * (f.in(1) * point(c, f, 4, 1, rank) / f.in(6))) + f.in(7).as(DType::float32);
  f.into(c.out(0), y.saturated(c.dtype(7)));
}

// ---- ConvTranspose -------------------------------------------------------------------------------------------------

// Where each input element's window lands: `out` elements an axis, of which `begin` and `end` are cropped.
std::optional<Windows> transposed_windows(const NodeContext& c) {
  const std::size_t n = static_cast<std::size_t>(c.rank(0)) - 2;
  auto strides = window_numbers(c, "strides", n, 1, 1);
  auto dilations = window_numbers(c, "dilations", n, 1, 1);
  const auto pads = window_numbers(c, "pads", 2 * n, 0, 0);
  const auto longer = window_numbers(c, "output_padding", n, 0, 0);
  const auto stated = window_numbers(c, "output_shape", n, 0, 0);
  if (!strides || !dilations || !pads || !longer || !stated ||
      !expect_word(c, "auto_pad", "NOTSET", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}))
    return std::nullopt;
  const std::string auto_pad = c.text("auto_pad", "NOTSET");
  const bool sized = c.integers("output_shape") && !c.integers("output_shape")->empty(),
             same = auto_pad.starts_with("SAME");
  Symbols& symbols = c.symbols();
  Windows w{.in = spatial_extents(c, 0), .kernel = spatial_extents(c, 1), .begin = {}, .end = {}, .out = {},
            .strides = std::move(*strides), .dilations = std::move(*dilations)};
  for (std::size_t i = 0; i < n; ++i) {
    const Polynomial whole = (w.in[i] - 1) * w.strides[i] + w.reach(i) + (*longer)[i];
    if (sized || same) {
      const Polynomial target = sized ? Polynomial((*stated)[i]) : w.in[i] * w.strides[i];
      const Polynomial total = symbols.max(whole - target, 0), less = symbols.floor_div(total, 2);
      w.begin.push_back(auto_pad == "SAME_UPPER" ? less : total - less);
      w.end.push_back(total - w.begin.back());
      w.out.push_back(sized ? target : whole - total);
    } else {
      const bool padded = auto_pad == "NOTSET";
      w.begin.push_back(padded ? (*pads)[i] : 0);
      w.end.push_back(padded ? (*pads)[i + n] : 0);
      w.out.push_back(whole - w.begin[i] - w.end[i]);
    }
  }
  return w;
}

void infer_conv_transpose(InferContext& c) {
  const bool types = expect_float(c, 0) && expect_one_dtype(c, 0, 1) && (!c.has(2) || expect_one_dtype(c, 0, 2));
  if (!expect_image(c, 0) || !expect_rank(c, 1, c.rank(0)) || !types) return;
  const std::int64_t groups = groups_of(c);
  c.equate(c.axis(0, 1), c.axis(1, 0), "in " + c.input_name(0), "in " + c.input_name(1));
  const auto channels = c.extent(0, 1).constant();
  if (groups < 1 || (channels && *channels % groups != 0)) {
    c.error(Code::bad_attribute,
            "group is " + std::to_string(groups) + ", which does not divide the " + c.spell(c.extent(0, 1)) +
                " channels of " + c.input_name(0));
    return;
  }
  const auto windows = expect_kernel(c, 1) ? transposed_windows(c) : std::nullopt;
  if (!windows) return;
  for (std::size_t i = 0; i < windows->size(); ++i)
    c.owe(windows->out[i], c.spell(c.axis(0, static_cast<int>(i) + 2)) + " gives " + c.spell(windows->out[i]) +
                               " elements once its padding is cropped, and a length is not negative");
  // With groups the weight has a group's share of the output channels, and only a bias carries them all.
  Axis out = groups == 1 ? c.axis(1, 1) : c.has(2) && c.rank(2) == 1 ? c.axis(2, 0) : c.fresh(c.extent(1, 1) * groups);
  if (c.has(2)) {
    if (groups == 1) expect_along(c, 2, out, "the output channels");
    else if (expect_rank(c, 2, 1))
      c.equate(c.extent(2, 0), c.extent(1, 1) * groups,
               c.input_name(2) + " has " + c.spell(c.extent(2, 0)) + " elements, and the output has " +
                   c.spell(c.extent(1, 1) * groups) + " channels");
  }
  c.output(0, c.dtype(0), window_axes(c, c.axis(0, 0), out, windows->out));
}

void lower_conv_transpose(LowerContext& c) {
  c.call("conv_transpose", "conv_transpose", {c.out(0)},
         {window_argument(*transposed_windows(c)), integer_literal(groups_of(c))},
         {c.in(0), c.in(1), c.optional_in(2)});
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Conv", .infer = infer_conv, .lower = lower_conv, .min_inputs = 2, .max_inputs = 3},
    {.domain = "com.microsoft", .name = "FusedConv", .infer = infer_fused_conv, .lower = lower_fused_conv,
     .min_inputs = 2, .max_inputs = 4},
    {.domain = "", .name = "ConvInteger", .infer = infer_conv_integer, .lower = lower_conv_integer, .min_inputs = 2,
     .max_inputs = 4},
    {.domain = "", .name = "QLinearConv", .infer = infer_qlinear_conv, .lower = lower_qlinear_conv, .min_inputs = 8,
     .max_inputs = 9},
    {.domain = "", .name = "ConvTranspose", .infer = infer_conv_transpose, .lower = lower_conv_transpose,
     .min_inputs = 2, .max_inputs = 3},
};

}  // namespace

std::span<const Operator> conv_operators() { return rows; }

}  // namespace loam
