// CausalConvWithState (ai.onnx): a depthwise convolution over positions that sees no later one, with the positions it
// carries from one step to the next. And SwiGLU, the gate that stands beside it in the models that use both.
#include "compiler/operators/attention.hpp"
#include "compiler/operators/checks.hpp"
#include "compiler/operators/window.hpp"

namespace loam {

namespace {

enum : int { input, weight, bias, past_state };

void infer_causal_conv(InferContext& c) {
  const bool types = expect_float(c, input) && expect_one_dtype(c, input, weight) &&
                     (!c.has(bias) || expect_one_dtype(c, input, bias)) &&
                     (!c.has(past_state) || expect_one_dtype(c, input, past_state));
  const bool ranks =
      expect_rank(c, input, 3) && expect_rank(c, weight, 3) && (!c.has(past_state) || expect_rank(c, past_state, 3));
  if (!types || !ranks || !expect_word(c, "activation", "none", {"none", "silu", "swish"})) return;
  const Axis &batch = c.axis(input, 0), &channels = c.axis(input, 1);
  c.equate(channels, c.axis(weight, 0), "in " + c.input_name(input), "in " + c.input_name(weight));
  c.equate(c.extent(weight, 1), 1,
           c.input_name(weight) + " has " + c.spell(c.extent(weight, 1)) +
               " channels a group, and a depthwise kernel has 1");
  const Polynomial carried = c.extent(weight, 2) - 1;
  if (!c.owe(carried, "the kernel reaches over " + c.spell(c.extent(weight, 2)) + " positions and must reach over one"))
    return;
  Axis state = c.has(past_state) ? c.axis(past_state, 2) : c.fresh(carried);
  if (c.has(bias)) expect_along(c, bias, channels, "the channels");
  if (c.has(past_state)) {
    c.equate(batch, c.axis(past_state, 0), "in " + c.input_name(input), "in " + c.input_name(past_state));
    c.equate(channels, c.axis(past_state, 1), "in " + c.input_name(input), "in " + c.input_name(past_state));
    c.equate(c.extent(past_state, 2), carried,
             c.input_name(past_state) + " carries " + c.spell(c.extent(past_state, 2)) +
                 " positions, and the kernel reads " + c.spell(carried) + " before its own");
  }
  c.output(0, c.dtype(input), c.axes(input));
  c.output(1, c.dtype(input), {batch, channels, state});
}

void lower_causal_conv(LowerContext& c) {
  const Axis batch = c.axis(input, 0), channels = c.axis(input, 1), length = c.axis(input, 2);
  const Polynomial kernel = c.extent(weight, 2), carried = kernel - 1;
  const DType type = c.dtype(input);
  Windows w{.in = {c.extent(input, 2) + carried},
            .kernel = {kernel},
            .begin = {0},
            .end = {0},
            .out = {c.extent(input, 2)},
            .strides = {1},
            .dilations = {1}};
  TensorId x = c.in(input);
  if (!c.has(past_state) && !c.wants(1)) {
    w.begin = {carried};  // zeros before the first position, and nothing to hand on
  } else {
    const Axis state = c.has(past_state) ? c.axis(past_state, 2)
                       : c.wants(1)      ? c.output_type(1).axes[2]
                                         : c.named_axis("Carried", carried);
    TensorId before = c.optional_in(past_state);
    if (before == no_tensor) {
      Formula f(c);
      before = f.make({batch, channels, state}, type, f.number(0, compute_type(type)), "zeros");
    }
    const TensorId padded =
        c.temporary(type, {batch, channels, c.named_axis("CausalLength", c.extent(input, 2) + carried)}, "padded");
    lay_in_turn(c, padded, 2, before, x);
    x = padded;
    if (c.wants(1)) c.copy(c.out(1), c.slice(padded, {batch, channels, state}, {0, 0, c.extent(input, 2)}, {1, 1, 1}));
  }
  const bool activates = c.text("activation", "none") != "none";
  const TensorId y = activates ? c.temporary(compute_type(type), c.axes(input), "convolution") : c.out(0);
  const auto groups = c.extent(input, 1);
  c.call("conv", "conv", {y}, {window_argument(w), groups}, {x, c.in(weight), c.optional_in(bias)});
  if (!activates) return;
  Formula f(c);
  const Term value = f(y);
  f.into(c.out(0), value * sigmoid(value));
}

// ---- SwiGLU: a * sigmoid(alpha a) * b, of one shape
// ------------------------------------------------------------------

void infer_swiglu(InferContext& c) {
  if (!expect_float(c, 0) || !expect_one_dtype(c, 0, 1) || !expect_rank(c, 1, c.rank(0))) return;
  std::vector<Axis> axes;
  for (int k = 0; k < c.rank(0); ++k) axes.push_back(c.equate(c.axis(0, k), c.axis(1, k)));
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_swiglu(LowerContext& c) {
  Formula f(c);
  const Term a = f(c.in(0)), gate = a * sigmoid(a * c.number("alpha", 1));
  f.into(c.out(0), gate * f(c.in(1)));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "CausalConvWithState", .infer = infer_causal_conv, .lower = lower_causal_conv,
     .min_inputs = 2, .max_inputs = 4, .max_outputs = 2},
    {.domain = "", .name = "SwiGLU", .infer = infer_swiglu, .lower = lower_swiglu, .min_inputs = 2, .max_inputs = 2},
};

}  // namespace

std::span<const Operator> causal_conv_operators() { return rows; }

}  // namespace loam
