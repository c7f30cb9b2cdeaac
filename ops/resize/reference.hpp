#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/resize/resize.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

// ONNX's formulas, in double.
inline double resize_place(const Resize& how, std::size_t axis, double j, double from, double to) {
  const double scale = how.scales[axis], begin = how.roi_begins[axis], end = how.roi_ends[axis];
  const bool crop = how.coordinates == ResizeCoordinates::TfCropAndResize;
  if (!crop && scale == 1 && from == to) return j;
  const double exact = std::abs(scale * from - to) < 1e-5 * to ? to : scale * from;
  switch (how.coordinates) {
    case ResizeCoordinates::HalfPixel: return (j + 0.5) / scale - 0.5;
    case ResizeCoordinates::HalfPixelSymmetric: return from / 2 * (1 - to / exact) + (j + 0.5) / scale - 0.5;
    case ResizeCoordinates::PytorchHalfPixel: return to > 1 ? (j + 0.5) / scale - 0.5 : 0;
    case ResizeCoordinates::AlignCorners: return exact == 1 ? 0 : j * (from - 1) / (exact - 1);
    case ResizeCoordinates::Asymmetric: return j / scale;
    case ResizeCoordinates::TfHalfPixelForNn: return (j + 0.5) / scale;
    case ResizeCoordinates::TfCropAndResize:
      return to > 1 ? begin * (from - 1) + j * (end - begin) * (from - 1) / (to - 1) : 0.5 * (begin + end) * (from - 1);
  }
  return j;
}

inline double resize_round(ResizeRounding rounding, double place) {
  const bool tie = place - std::floor(place) == 0.5;
  switch (rounding) {
    case ResizeRounding::RoundPreferFloor: return tie ? std::floor(place) : std::round(place);
    case ResizeRounding::RoundPreferCeil: return tie ? std::ceil(place) : std::round(place);
    case ResizeRounding::Floor: return std::floor(place);
    case ResizeRounding::Ceil: return std::ceil(place);
  }
  return place;
}

inline double resize_kernel(const Resize& how, double d) {
  d = std::abs(d);
  const double a = how.cubic_coeff_a;
  if (how.mode == ResizeMode::Linear) return d < 1 ? 1 - d : 0;
  if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

// The weight of every element of one axis for one output coordinate.
inline std::vector<double> resize_weights(const Resize& how, std::size_t axis, std::int64_t j, std::int64_t from,
                                          std::int64_t to) {
  std::vector<double> weights(static_cast<std::size_t>(from));
  const auto add = [&](std::int64_t i, double w) {
    weights[static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, from - 1))] += w;
  };
  const double place =
      resize_place(how, axis, static_cast<double>(j), static_cast<double>(from), static_cast<double>(to));
  if (how.mode == ResizeMode::Nearest) {
    add(static_cast<std::int64_t>(resize_round(how.rounding, place)), 1);
    return weights;
  }
  const double stretch = how.antialias ? std::min(how.scales[axis], 1.0) : 1;
  const auto middle = static_cast<std::int64_t>(std::floor(place));
  const auto reach = static_cast<std::int64_t>(std::ceil(2 / stretch)) + 2;
  double sum = 0;
  for (std::int64_t i = middle - reach; i <= middle + reach; ++i) {
    if (how.exclude_outside && (i < 0 || i >= from)) continue;
    const double w = resize_kernel(how, (static_cast<double>(i) - place) * stretch);
    sum += w;
    add(i, w);
  }
  if (how.antialias || how.exclude_outside)
    for (double& w : weights) w /= sum;
  return weights;
}

template <class T>
void resize(const View<T>& out, const Resize& how, const View<T>& x) {
  for (const Place& p : places(out.dims)) {
    bool outside = false;
    std::vector<std::vector<double>> weights;
    for (int axis = 0; axis < out.rank(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const double place = resize_place(how, a, static_cast<double>(p[a]), static_cast<double>(x.extent(axis)),
                                        static_cast<double>(out.extent(axis)));
      outside = outside || place < 0 || place > static_cast<double>(x.extent(axis) - 1);
      weights.push_back(resize_weights(how, a, p[a], x.extent(axis), out.extent(axis)));
    }
    double total = 0;
    for (const Place& q : places(x.dims)) {
      double w = 1;
      for (std::size_t a = 0; a < q.size(); ++a) w *= weights[a][static_cast<std::size_t>(q[a])];
      if (w != 0) total += w * static_cast<double>(element(x, q));
    }
    if (how.coordinates == ResizeCoordinates::TfCropAndResize && outside) total = how.extrapolation_value;
    if constexpr (std::is_integral_v<T>)
      total = std::clamp(std::nearbyint(total), static_cast<double>(std::numeric_limits<T>::min()),
                         static_cast<double>(std::numeric_limits<T>::max()));
    element(out, p) = narrow<T>(total);
  }
}

}  // namespace loam::reference
