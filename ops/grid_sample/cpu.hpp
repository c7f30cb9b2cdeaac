#pragma once

#include <cmath>

#include "ops/grid_sample/grid_sample.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

// The elements of one axis that a coordinate reads, and their weights. Those beyond x under Zeros are left out.
template <class C>
struct GridTaps {
  int count = 0;
  std::array<std::int64_t, 4> offsets;
  std::array<C, 4> weights;
};

// A place outside of [low, high] mirrored at its ends.
template <class C>
C grid_reflect(C place, C low, C high) {
  const C range = high - low;
  if (!(range > 0)) return low;
  if (place >= low && place <= high) return place;
  const C distance = place < low ? low - place : place - high;
  const C rest = std::fmod(distance, range);
  const bool even = std::fmod(std::floor(distance / range), C{2}) == 0;
  return (place < low) == even ? low + rest : high - rest;
}

// Keys' cubic at a distance, a = -0.75.
template <class C>
C grid_cubic(C d) {
  constexpr C a = static_cast<C>(-0.75);
  d = std::abs(d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

template <class C>
GridTaps<C> grid_taps(GridMode mode, GridPadding padding, bool align_corners, C coordinate, std::int64_t extent,
                      std::int64_t stride) {
  const C size = static_cast<C>(extent), half = static_cast<C>(0.5);
  const C low = align_corners ? C{0} : -half, high = align_corners ? size - 1 : size - half;
  C place = align_corners ? (coordinate + 1) / 2 * (size - 1) : ((coordinate + 1) * size - 1) / 2;
  if (mode == GridMode::Nearest) place = std::nearbyint(place);
  if (padding == GridPadding::Reflection) place = grid_reflect(place, low, high);
  // Far outside and NaN become a place outside, which an index can hold.
  if (!(place >= -4)) place = -4;
  if (place > size + 4) place = size + 4;

  GridTaps<C> taps;
  const auto add = [&](std::int64_t i, C weight) {
    if (i < 0 || i >= extent) {
      if (padding == GridPadding::Zeros) return;
      if (padding == GridPadding::Reflection)
        i = static_cast<std::int64_t>(grid_reflect(static_cast<C>(i), low, high));
      i = std::clamp<std::int64_t>(i, 0, extent - 1);
    }
    taps.offsets[at(taps.count)] = i * stride;
    taps.weights[at(taps.count++)] = weight;
  };
  const C below = std::floor(place), fraction = place - below;
  const auto i = static_cast<std::int64_t>(below);
  if (mode == GridMode::Nearest) {
    add(static_cast<std::int64_t>(place), 1);
  } else if (mode == GridMode::Linear) {
    add(i, 1 - fraction);
    add(i + 1, fraction);
  } else {
    for (int k = -1; k <= 2; ++k) add(i + k, grid_cubic(fraction - static_cast<C>(k)));
  }
  return taps;
}

}  // namespace detail

template <class T, class G>
void run(kernels::GridSample, Cpu& cpu, const View<T>& out, GridMode mode, GridPadding padding, bool align_corners,
         const View<T>& x, const View<G>& grid) {
  using C = std::common_type_t<compute_t<T>, compute_t<G>>;
  const int axes = out.rank() - 2;
  const std::int64_t channels = out.extent(1), places = detail::trailing(out.dims, axes).elements();
  if (out.elements() == 0) return;
  const bool empty = detail::trailing(x.dims, axes).elements() == 0;
  const Dims points = detail::without(grid.dims, axes + 1);  // [N, o1, .., ok]
  cpu.parallel(points.elements(), detail::grain_of(channels * 8), [&](std::int64_t begin, std::int64_t end) {
    std::array<std::int64_t, 64> offsets;
    std::array<C, 64> weights;
    detail::walk(
        begin, end,
        [&](std::int64_t index, std::int64_t from) {
          const std::int64_t n = index / places, place = index % places;
          std::size_t count = empty ? 0 : 1;
          offsets[0] = n * x.stride(0), weights[0] = 1;
          for (int axis = 0; axis < axes && !empty; ++axis) {  // the list times the axis's taps
            const auto c = static_cast<C>(load(grid.data[from + (axes - 1 - axis) * grid.stride(axes + 1)]));
            const auto taps =
                detail::grid_taps<C>(mode, padding, align_corners, c, x.extent(axis + 2), x.stride(axis + 2));
            const auto before_offsets = offsets;
            const auto before_weights = weights;
            std::size_t next = 0;
            for (std::size_t i = 0; i < count; ++i)
              for (std::size_t t = 0; t < detail::at(taps.count); ++t, ++next) {
                offsets[next] = before_offsets[i] + taps.offsets[t];
                weights[next] = before_weights[i] * taps.weights[t];
              }
            count = next;
          }
          for (std::int64_t c = 0; c < channels; ++c) {
            const T* const channel = x.data + c * x.stride(1);
            C sum = 0;
            for (std::size_t i = 0; i < count; ++i) sum += weights[i] * static_cast<C>(load(channel[offsets[i]]));
            out.data[(n * channels + c) * places + place] = store<T>(static_cast<compute_t<T>>(sum));
          }
        },
        points);
  });
}

}  // namespace loam
