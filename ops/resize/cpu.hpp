#pragma once

#include <algorithm>
#include <cmath>

#include "ops/resize/resize.hpp"
#include "runtime/loops.hpp"
#include "runtime/tables.hpp"
#include "runtime/threads.hpp"

namespace loam {

namespace detail {

// One axis of a resize: lengths, scale and region.
struct ResizeAxis {
  std::int64_t from, to;
  double scale, begin, end;

  // Where output coordinate j stands in x; `inside` is false where tf_crop_and_resize leaves x.
  template <class F>
  F source(ResizeCoordinates coordinates, std::int64_t j, bool& inside) const {
    const F x = static_cast<F>(j), s = static_cast<F>(scale), last = static_cast<F>(from - 1);
    const F half = static_cast<F>(0.5);
    switch (coordinates) {
      case ResizeCoordinates::HalfPixel: return (x + half) / s - half;
      case ResizeCoordinates::HalfPixelSymmetric: {
        const F adjustment = static_cast<F>(to) / static_cast<F>(length());
        return static_cast<F>(from) / 2 * (1 - adjustment) + (x + half) / s - half;
      }
      case ResizeCoordinates::PytorchHalfPixel: return to > 1 ? (x + half) / s - half : F{};
      case ResizeCoordinates::AlignCorners: return length() == 1 ? F{} : x * last / static_cast<F>(length() - 1);
      case ResizeCoordinates::Asymmetric: return x / s;
      case ResizeCoordinates::TfHalfPixelForNn: return (x + half) / s;
      case ResizeCoordinates::TfCropAndResize: {
        const F a = static_cast<F>(begin), b = static_cast<F>(end);
        const F place = to > 1 ? a * last + x * (b - a) * last / static_cast<F>(to - 1) : half * (a + b) * last;
        inside = place >= 0 && place <= last;
        return place;
      }
    }
    return x;
  }
  // The output's length before it is cut to a whole number; a product that a scale in float makes inexact is whole.
  double length() const {
    const double exact = scale * static_cast<double>(from);
    return std::abs(exact - static_cast<double>(to)) < 1e-5 * exact ? static_cast<double>(to) : exact;
  }
  bool identity(ResizeCoordinates coordinates) const {
    return from == to && scale == 1 &&
           (coordinates != ResizeCoordinates::TfCropAndResize || (begin == 0 && end == 1));
  }
};

inline ResizeAxis resize_axis(const Resize& how, const Dims& out, const Dims& x, int axis) {
  const auto a = at(axis);
  return {x.extent(axis), out.extent(axis), how.scales[a], how.roi_begins[a], how.roi_ends[a]};
}

// A coordinate as an index, whatever it is: NaN and what lies far outside become a place just outside.
template <class F>
F within_reach(F place, std::int64_t low, std::int64_t high) {
  if (!(place >= static_cast<F>(low))) return static_cast<F>(low);
  return std::min(place, static_cast<F>(high));
}

inline std::int64_t nearest_index(float place, ResizeRounding rounding, std::int64_t extent) {
  place = within_reach(place, -1, extent);
  float r = 0;
  switch (rounding) {
    case ResizeRounding::RoundPreferFloor: r = std::ceil(place - 0.5f); break;
    case ResizeRounding::RoundPreferCeil: r = std::floor(place + 0.5f); break;
    case ResizeRounding::Floor: r = std::floor(place); break;
    case ResizeRounding::Ceil: r = std::ceil(place); break;
  }
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(r), 0, extent - 1);
}

template <class T>
void resize_nearest(Cpu& cpu, const View<T>& out, const Resize& how, const View<T>& x) {
  std::int64_t entries = 0;
  for (int axis = 0; axis < out.rank(); ++axis) entries += out.extent(axis);
  Scratch scratch(cpu, Scratch::bytes<std::int64_t>(entries));
  if (!scratch) return;
  auto* next = scratch.take<std::int64_t>(entries);
  std::array<const std::int64_t*, max_rank> tables{};
  for (int axis = 0; axis < out.rank(); ++axis) {
    const ResizeAxis a = resize_axis(how, out.dims, x.dims, axis);
    const bool identity = a.identity(how.coordinates);
    tables[at(axis)] = next;
    for (std::int64_t j = 0; j < a.to; ++j) {
      bool inside = true;
      const float place = a.source<float>(how.coordinates, j, inside);
      const std::int64_t i = identity ? j : nearest_index(place, how.rounding, a.from);
      *next++ = inside || identity ? i * x.stride(axis) : outside;
    }
  }
  const auto otherwise = store<T>(static_cast<compute_t<T>>(how.extrapolation_value));
  gather_by_tables(cpu, out, static_cast<const T*>(x.data), tables, otherwise);
}

// The filter at a distance of d elements.
inline double resize_filter(const Resize& how, double d) {
  d = std::abs(d);
  if (how.mode == ResizeMode::Linear) return std::max(0.0, 1 - d);
  const double a = how.cubic_coeff_a;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// The filter's stretch on an axis: below 1 where it is widened.
inline double resize_stretch(const Resize& how, const ResizeAxis& a) {
  if (!how.antialias) return 1;
  return std::max(std::min(a.scale, 1.0), 0.25 / static_cast<double>(a.from));
}
// Taps lie at base + first .. base - first + 1, base being the last element before the place.
inline std::int64_t resize_first_tap(const Resize& how, const ResizeAxis& a) {
  const double reach = how.mode == ResizeMode::Linear ? 1 : 2;
  return static_cast<std::int64_t>(std::floor(-reach / resize_stretch(how, a))) + 1;
}

// The taps of output coordinate j: indices into the axis and weights, `2 - 2 * first` of them.
template <class C>
void resize_taps(const Resize& how, const ResizeAxis& a, std::int64_t j, std::int64_t* indices, C* weights) {
  const std::int64_t first = resize_first_tap(how, a), taps = 2 - 2 * first;
  const double stretch = resize_stretch(how, a);
  bool inside = true;
  const double place = within_reach(a.source<double>(how.coordinates, j, inside), -taps, a.from + taps);
  const double base = std::ceil(place) - 1;
  // In double; where the weights are to sum to one, they are made to before they are rounded.
  double sum = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (std::int64_t t = 0; t < taps; ++t) {
      const std::int64_t index = static_cast<std::int64_t>(base) + first + t;
      double w = resize_filter(how, (base + static_cast<double>(first + t) - place) * stretch);
      if (how.exclude_outside && (index < 0 || index >= a.from)) w = 0;
      if (pass == 0) {
        sum += w;
        continue;
      }
      indices[t] = std::clamp<std::int64_t>(index, 0, a.from - 1);
      weights[t] = static_cast<C>((how.exclude_outside || how.antialias) && sum != 0 ? w / sum : w);
    }
}

template <class T, class C>
T resize_store(C value) {
  if constexpr (std::is_integral_v<T>) {
    const C low = static_cast<C>(std::numeric_limits<T>::min()), high = static_cast<C>(std::numeric_limits<T>::max());
    if (!(value > low)) return std::numeric_limits<T>::min();
    return value >= high ? std::numeric_limits<T>::max() : static_cast<T>(std::nearbyint(value));
  } else {
    return store<T>(value);
  }
}

// One axis: [outer, from, inner] to [outer, to, inner]. There are two taps or more, and an even number.
template <class C>
void resize_pass(Cpu& cpu, C* to, const C* from, std::int64_t outer, std::int64_t inner, const ResizeAxis& a,
                 std::int64_t taps, const std::int64_t* indices, const C* weights) {
  if (inner == 1) {
    cpu.parallel(outer, grain_of(a.to * taps), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const C* const source = from + row * a.from;
        C* const target = to + row * a.to;
        const std::int64_t* i = indices;
        const C* w = weights;
        for (std::int64_t j = 0; j < a.to; ++j, i += taps, w += taps) {
          C sum = w[0] * source[i[0]] + w[1] * source[i[1]];
          for (std::int64_t t = 2; t < taps; ++t) sum += w[t] * source[i[t]];
          target[j] = sum;
        }
      }
    });
    return;
  }
  cpu.parallel(outer * a.to, grain_of(inner * taps), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const C* const source = from + row / a.to * a.from * inner;
      C* const target = to + row * inner;
      for (std::int64_t t = row % a.to * taps, last = t + taps, first = t; t < last; t += 2) {
        const C w0 = weights[t], w1 = weights[t + 1];
        const C* const line0 = source + indices[t] * inner;
        const C* const line1 = source + indices[t + 1] * inner;
        if (t == first) fill(target, inner, [=](std::int64_t i) { return w0 * line0[i] + w1 * line1[i]; });
        else fill(target, inner, [=](std::int64_t i) { return target[i] + w0 * line0[i] + w1 * line1[i]; });
      }
    }
  });
}

template <class T>
void resize_weighted(Cpu& cpu, const View<T>& out, const Resize& how, const View<T>& x) {
  using Wide = std::conditional_t<(sizeof(T) > 2), double, float>;  // of an integer type
  using C = std::conditional_t<std::is_integral_v<T>, Wide, compute_t<T>>;
  constexpr bool as_it_lies = std::is_same_v<T, C>;
  // Axes are resized in order, but the last one, whose elements are picked one by one, before there are more of them. The
  // widest tensor between two bounds both buffers.
  std::array<int, max_rank> order{};
  int axes = 0;
  for (int axis = 0; axis < out.rank(); ++axis)
    if (!resize_axis(how, out.dims, x.dims, axis).identity(how.coordinates)) order[at(axes++)] = axis;
  if (axes > 0 && order[at(axes - 1)] == out.rank() - 1 && out.extent(out.rank() - 1) > x.extent(out.rank() - 1))
    std::rotate(order.begin(), order.begin() + axes - 1, order.begin() + axes);
  std::int64_t widest = x.elements(), size = widest, table = 0;
  for (int i = 0; i < axes; ++i) {
    const ResizeAxis a = resize_axis(how, out.dims, x.dims, order[at(i)]);
    size = size / a.from * a.to;
    widest = std::max(widest, size);
    table = std::max(table, a.to * (2 - 2 * resize_first_tap(how, a)));
  }
  Scratch scratch(cpu, 2 * Scratch::bytes<C>(widest) + Scratch::bytes<std::int64_t>(table) + Scratch::bytes<C>(table));
  if (!scratch) return;
  C* const buffers[] = {scratch.take<C>(widest), scratch.take<C>(widest)};
  auto* const indices = scratch.take<std::int64_t>(table);
  C* const weights = scratch.take<C>(table);
  const C* from = buffers[1];
  if constexpr (as_it_lies)
    if (x.dims.dense() && axes > 0) from = x.data;
  if (from == buffers[1]) copy_to(buffers[1], x);
  Dims dims = x.dims;
  for (int i = 0; i < axes; ++i) {
    const int axis = order[at(i)];
    const ResizeAxis a = resize_axis(how, out.dims, x.dims, axis);
    std::int64_t outer = 1, inner = 1;
    for (int k = 0; k < axis; ++k) outer *= dims.extent(k);
    for (int k = axis + 1; k < out.rank(); ++k) inner *= dims.extent(k);
    const std::int64_t taps = 2 - 2 * resize_first_tap(how, a);
    for (std::int64_t j = 0; j < a.to; ++j) resize_taps(how, a, j, indices + j * taps, weights + j * taps);
    C* to = buffers[i % 2];
    if constexpr (as_it_lies)
      if (i + 1 == axes) to = out.data;
    resize_pass(cpu, to, from, outer, inner, a, taps, indices, weights);
    from = to;
    dims.extents[at(axis)] = a.to;
  }
  if (!as_it_lies || axes == 0)
    cpu.parallel(out.elements(), grain_elements, [&](std::int64_t begin, std::int64_t end) {
      fill(out.data + begin, end - begin, [=](std::int64_t i) { return resize_store<T>(from[begin + i]); });
    });
  if (how.coordinates != ResizeCoordinates::TfCropAndResize) return;
  std::int64_t outer = 1, inner = out.elements();
  for (int axis = 0; axis < out.rank(); ++axis) {
    const ResizeAxis a = resize_axis(how, out.dims, x.dims, axis);
    inner /= a.to;
    for (std::int64_t j = 0; j < a.to; ++j) {
      bool inside = true;
      (void)a.source<double>(how.coordinates, j, inside);
      for (std::int64_t o = 0; o < outer && !inside; ++o)
        std::fill_n(out.data + (o * a.to + j) * inner, inner, resize_store<T>(static_cast<C>(how.extrapolation_value)));
    }
    outer *= a.to;
  }
}

}  // namespace detail

template <class T>
void run(kernels::Resize, Cpu& cpu, const View<T>& out, const Resize& how, const View<T>& x) {
  if (out.elements() == 0) return;
  if (x.elements() == 0) {
    detail::fill_elements(out, T{});
    return cpu.fail(Site{"Resize"}, "there is no element to sample");
  }
  if (how.mode == ResizeMode::Nearest) detail::resize_nearest(cpu, out, how, x);
  else detail::resize_weighted(cpu, out, how, x);
}

}  // namespace loam
