#pragma once

#include <algorithm>
#include <type_traits>

#include "ops/conv/bias.hpp"
#include "ops/conv/conv.hpp"
#include "ops/conv/depthwise.hpp"
#include "ops/conv/direct.hpp"
#include "ops/conv/geometry.hpp"
#include "ops/conv/outputs.hpp"
#include "ops/conv/winograd.hpp"
#include "ops/matmul/gemm.hpp"
#include "runtime/loops.hpp"
#include "runtime/threads.hpp"
#include "runtime/walk.hpp"

namespace loam {

namespace detail {

// The matrix whose column is an output place and whose row an element of the window in a channel, packed without ever
// being written down. `plane` is the first of the group's channels.
template <class S, class TX>
void pack_windows(const Geometry& g, const TX* plane, std::int64_t channel_stride, std::int64_t first,
                  std::int64_t columns, std::int64_t k, std::int64_t depth, S* to) {
  constexpr std::int64_t strip = tile_columns<S>;
  const std::int64_t taps = g.kernel[0] * g.kernel[1] * g.kernel[2];
  for (std::int64_t row = k; row < k + depth; ++row, to += strip) {
    const std::int64_t channel = row / taps, tap_number = row % taps;
    const Three kernel = g.tap(tap_number);
    const TX* const from = plane + channel * channel_stride;
    // A strip of columns runs through one or more rows of the output.
    for (std::int64_t j = 0; j < columns;) {
      const std::int64_t place = first + j, ox = place % g.out[2], oy = place / g.out[2] % g.out[1];
      const std::int64_t run = std::min(columns - j, g.out[2] - ox);
      const Tap tap = tap_of(g, kernel, place / (g.out[2] * g.out[1]), oy, ox, run);
      if (tap.step == 1 && tap.begin == 0 && tap.end == strip) {
        widen<strip>(from + tap.offset, to);
      } else {
        std::fill_n(to + j, tap.begin, S{0});
        for (std::int64_t t = tap.begin; t < tap.end; ++t)
          to[j + t] = static_cast<S>(load(from[tap.offset + (t - tap.begin) * tap.step]));
        std::fill_n(to + j + tap.end, run - tap.end, S{0});
      }
      j += run;
    }
    std::fill_n(to + columns, strip - columns, S{0});
  }
}

template <class T, class TX, class TW, class Bias, class Then>
void conv_by_product(Cpu& cpu, const View<T>& out, const Geometry& g, std::int64_t groups, const View<TX>& x,
                     const View<TW>& w, const Bias& bias, const Then& then) {
  using S = sum_t<T>;
  const std::int64_t channels = w.extent(1), rows = w.extent(0) / groups;
  Walk<1> inner;
  for (int i = 1; i < w.rank(); ++i) inner.add(w.extent(i), {w.stride(i)});
  const Problem p{x.extent(0) * groups, rows, g.places(), inner.count()};
  constexpr bool biased = !std::is_same_v<Bias, None>;
  if constexpr (biased)
    cpu.parallel(out.extent(0) * out.extent(1), grain_of(p.columns), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        std::fill_n(out.data + i * p.columns, p.columns, store<T>(bias_of<compute_t<T>>(bias, i % out.extent(1))));
    });
  gemm(
      cpu, p, out.data, biased,
      [&](std::int64_t batch, std::int64_t m, std::int64_t count, std::int64_t k, std::int64_t depth, S* room) -> Rows<S> {
        const TW* const from = w.data + (batch % groups * rows + m) * w.stride(0);
        if (inner.rank() == 1) return rows_of(from + k * inner.strides(0)[0], w.stride(0), inner.strides(0)[0], count, depth, room);
        S* to = room;
        inner.each(k, k + depth, [&](const auto& at) {
          for (std::int64_t i = 0; i < tile_rows; ++i)
            *to++ = i < count ? static_cast<S>(load(from[i * w.stride(0) + at[0]])) : S{0};
        });
        return {room, 1, tile_rows};
      },
      [&](std::int64_t batch, std::int64_t first, std::int64_t columns, std::int64_t k, std::int64_t depth, S* to) {
        const TX* const plane = x.data + batch / groups * x.stride(0) + batch % groups * channels * x.stride(1);
        pack_windows(g, plane, x.stride(1), first, columns, k, depth, to);
      },
      then);
}

// Few outputs of each group: a stretch of an output row at a time, one element of the window after another.
template <class T, class TX, class TW, class Bias, class Then>
void conv_by_rows(Cpu& cpu, const View<T>& out, const Geometry& g, const Window& window, std::int64_t groups,
                  const View<TX>& x, const View<TW>& w, const Bias& bias, const Then& then) {
  using S = sum_t<T>;
  constexpr std::int64_t stretch = 256;
  const std::int64_t channels = w.extent(1), per_group = w.extent(0) / groups, m_count = out.extent(1);
  const Three w_strides = weight_strides(window, w.dims);
  const std::int64_t products = g.places() * channels * g.kernel[0] * g.kernel[1] * g.kernel[2];
  cpu.parallel(out.extent(0) * m_count, grain_of(products / products_an_element), [&](std::int64_t begin, std::int64_t end) {
    S sums[stretch];
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const std::int64_t m = plane % m_count;
      const TX* const from = x.data + plane / m_count * x.stride(0) + m / per_group * channels * x.stride(1);
      const TW* const weights = w.data + m * w.stride(0);
      for (std::int64_t row = 0; row < g.rows(); ++row)
        for (std::int64_t first = 0; first < g.out[2]; first += stretch) {
          const std::int64_t count = std::min(stretch, g.out[2] - first);
          std::fill_n(sums, count, bias_of<S>(bias, m));
          for (std::int64_t c = 0; c < channels; ++c)
            each_tap(g, row / g.out[1], row % g.out[1], first, count, [&](const Three& kernel, const Tap& tap) {
              const S weight = static_cast<S>(load(weights[c * w.stride(1) + at(w_strides, kernel)]));
              const TX* const seen = from + c * x.stride(1) + tap.offset;
              S* const to = sums + tap.begin;
              const std::int64_t n = tap.end - tap.begin;
              if (tap.step == 1) {
                fill(to, n, [=](std::int64_t t) { return to[t] + weight * static_cast<S>(load(seen[t])); });
              } else {
                for (std::int64_t t = 0; t < n; ++t) to[t] += weight * static_cast<S>(load(seen[t * tap.step]));
              }
            });
          T* const result = out.data + plane * g.places() + row * g.out[2] + first;
          for (std::int64_t t = 0; t < count; ++t) result[t] = store<T>(sums[t]);
          then(result - out.data, count);
        }
    }
  });
}

template <class T, class TX, class TW, class Bias, class Then = Nothing>
void conv(Cpu& cpu, const View<T>& out, const Window& window, std::int64_t groups, const View<TX>& x,
          const View<TW>& w, const Bias& bias, const Then& then = {}) {
  if (out.elements() == 0) return;
  Geometry g(window, x.dims, out.dims);
  join_plain_axes(g);
  if (is_depthwise<sum_t<T>>(g, w.extent(1)))
    conv_depthwise(cpu, out, g, weight_strides(window, w.dims), groups, x, w, bias, then);
  else if (w.extent(0) / groups < 4) conv_by_rows(cpu, out, g, window, groups, x, w, bias, then);
  else if (is_direct(g)) conv_direct(cpu, out, g, groups, x, w, bias, then);
  else conv_by_product(cpu, out, g, groups, x, w, bias, then);
}

}  // namespace detail

template <class T, class TX, class TW, class Bias>
void run(kernels::Conv, Cpu& cpu, const View<T>& out, const Window& window, std::int64_t groups, const View<TX>& x,
         const View<TW>& w, const Bias& bias) {
  detail::conv(cpu, out, window, groups, x, w, bias);
}

}  // namespace loam
