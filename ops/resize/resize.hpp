// resize: x sampled on another grid, axis by axis (ONNX Resize, and Upsample).
//
//   out[j0, j1, ..] = sum over taps t0, t1, .. of w0(j0, t0) * w1(j1, t1) * .. * x[i0(j0, t0), i1(j1, t1), ..]
//
// Where an output coordinate stands in x is `coordinates`' formula, from the axis's scale; nearest then takes one
// element, linear two and cubic four, or with antialias as many as the widened filter covers where the axis shrinks.
// Taps beyond x read its edge, or with exclude_outside go and the others are scaled up. ONNX gives the formulas; where
// its texts disagree: align_corners divides by (scale * x's extent) - 1, fractional where the product is, as ONNX's
// test data does (onnxruntime divides by out's extent - 1); pytorch_half_pixel maps a lone output to 0, as the text and
// onnxruntime do. Nearest computes coordinates in float, as onnxruntime does, so that ties fall as they do there.
// An axis whose scale is 1 keeps its elements under every formula. Integers are rounded half to even and saturate.
#pragma once

#include <array>

#include "runtime/backend.hpp"
#include "runtime/relations.hpp"

namespace loam {

enum class ResizeMode { Nearest, Linear, Cubic };
enum class ResizeRounding { RoundPreferFloor, RoundPreferCeil, Floor, Ceil };
enum class ResizeCoordinates {
  HalfPixel,
  HalfPixelSymmetric,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  TfHalfPixelForNn,
  TfCropAndResize,
};

namespace detail {
constexpr std::array<double, max_rank> each_axis(double value) {
  std::array<double, max_rank> all{};
  for (double& v : all) v = value;
  return all;
}
}  // namespace detail

struct Resize {
  ResizeMode mode = ResizeMode::Nearest;
  ResizeCoordinates coordinates = ResizeCoordinates::HalfPixel;
  ResizeRounding rounding = ResizeRounding::RoundPreferFloor;  // of nearest
  bool antialias = false;
  bool exclude_outside = false;
  double cubic_coeff_a = -0.75;
  double extrapolation_value = 0;  // of tf_crop_and_resize, where a coordinate falls outside of x
  std::array<double, max_rank> scales = detail::each_axis(1);
  std::array<double, max_rank> roi_begins = detail::each_axis(0);  // normalised to x's extents
  std::array<double, max_rank> roi_ends = detail::each_axis(1);
};

namespace kernels {
struct Resize {};
}  // namespace kernels

template <class B, class T, class... Axes, class... AX>
  requires same_rank<List<Axes...>, List<AX...>>
void resize(B& b, const Value<B, T, Axes...>& out, const Resize& how, const Value<B, T, AX...>& x) {
  b.call(kernels::Resize{}, out.operand(), how, x.operand());
}

}  // namespace loam
