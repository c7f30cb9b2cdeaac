// DeformConv (ai.onnx): a 2-D convolution that reads each tap where an offset moves it to.
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/window.hpp"

namespace loam {

namespace {

std::optional<Windows> deform_windows(const NodeContext& c) {
  return read_windows(c, spatial_extents(c, 0), spatial_extents(c, 1));
}

// X, W, offset, B, mask
void infer_deform_conv(InferContext& c) {
  bool fits = expect_float(c, 0);
  for (const int i : {1, 2, 3, 4})
    fits = (!c.has(i) || (expect_one_dtype(c, 0, i) && expect_rank(c, i, i == 3 ? 1 : 4))) && fits;
  if (!expect_rank(c, 0, 4) || !fits) return;
  const std::int64_t group = c.integer("group", 1), offsets = c.integer("offset_group", 1);
  if (group < 1 || offsets < 1) {
    c.error(Code::bad_attribute, "group and offset_group are " + std::to_string(group) + " and " +
                                     std::to_string(offsets) + ", and each is at least 1");
    return;
  }
  const auto windows = expect_kernel(c, 1) ? deform_windows(c) : std::nullopt;
  if (!windows) return;
  const Polynomial taps = windows->kernel[0] * windows->kernel[1];
  const auto channels = [&](int i, int axis, const Polynomial& wanted) {
    const Polynomial held = c.extent(i, axis);
    return c.equate(held, wanted,
                    c.input_name(i) + " has " + c.spell(held) + " channels, and the operator reads " + c.spell(wanted));
  };
  if (!channels(0, 1, c.extent(1, 1) * group) || !channels(2, 1, taps * 2 * offsets) ||
      (c.has(4) && !channels(4, 1, taps * offsets)))
    return;
  for (const auto& [name, count, of, what] :
       {std::tuple("group", group, c.extent(1, 0), "output"),
        std::tuple("offset_group", offsets, c.extent(0, 1), "input")})
    if (const auto n = of.constant(); n && *n % count != 0) {
      c.error(Code::bad_attribute, std::string(name) + " is " + std::to_string(count) + ", which does not divide the " +
                                       std::to_string(*n) + " " + what + " channels");
      return;
    }
  owe_reach(c, *windows);
  std::vector<Axis> axes = window_axes(c, c.axis(0, 0), c.axis(1, 0), windows->out);
  if (c.has(3)) expect_along(c, 3, c.axis(1, 0), "the output channels");
  for (const int i : {2, 4})
    for (const std::size_t k : {0u, 2u, 3u})
      if (c.has(i)) c.equate(axes[k], c.axis(i, static_cast<int>(k)), "in the result", "in " + c.input_name(i));
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_deform_conv(LowerContext& c) {
  const Windows w = *deform_windows(c);
  const auto pair = [](const std::vector<std::int64_t>& v) {
    return "{" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + "}";
  };
  const Aggregate how{"loam::DeformConv{.strides = " + pair(w.strides) + ", .dilations = " + pair(w.dilations) +
                          ", .begins = {$, $}, .group = " + std::to_string(c.integer("group", 1)) +
                          ", .offset_group = " + std::to_string(c.integer("offset_group", 1)) + "}",
                      w.begin};
  c.call("deform_conv", "deform_conv", {c.out(0)}, {how},
         {c.in(0), c.in(1), c.in(2), c.optional_in(3), c.optional_in(4)});
}

constexpr Operator rows[] = {{.domain = "",
                              .name = "DeformConv",
                              .infer = infer_deform_conv,
                              .lower = lower_deform_conv,
                              .min_inputs = 3,
                              .max_inputs = 5}};

}  // namespace

std::span<const Operator> deform_conv_operators() { return rows; }

}  // namespace loam
