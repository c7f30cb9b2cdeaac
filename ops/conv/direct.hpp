// Windows over more than one place as a product whose right side is read where it lies: the input with its padding, so
// that what neighbouring outputs see under one element of the window are neighbours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "ops/conv/bias.hpp"
#include "ops/conv/geometry.hpp"
#include "ops/matmul/gemm.hpp"
#include "ops/matmul/tile.hpp"
#include "runtime/cpu.hpp"
#include "runtime/loops.hpp"
#include "runtime/threads.hpp"
#include "runtime/walk.hpp"
#include "runtime/widen.hpp"

namespace loam {

namespace detail {

// A channel with its padding, split along each axis into `phases` by the place within the window's stride: phase p's
// element i is place i * stride + p - pad. Every phase is a box of `length`. Output place (z, y, x) has the number
// (z * length[1] + y) * length[2] + x, and sees its window's elements at that number plus an offset that is the window
// element's own: numbers run on from row to row, those between a row's end and the next row's start being computed in
// vain (2 of 58 in a 3 x 3 over rows of 56).
struct PaddedChannel {
  Three phases, length;
  std::int64_t box, elements;

  explicit PaddedChannel(const Geometry& g) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t reach = (g.kernel[i] - 1) * g.dilation[i];
      phases[i] = std::min(g.stride[i], reach + 1);
      length[i] = g.out[i] + reach / g.stride[i];
    }
    box = length[0] * length[1] * length[2];
    elements = box * phases[0] * phases[1] * phases[2];
  }
  std::int64_t offset(const Geometry& g, const Three& kernel) const {
    std::int64_t phase = 0, place = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      phase = phase * phases[i] + kernel[i] * g.dilation[i] % g.stride[i];
      place = place * length[i] + kernel[i] * g.dilation[i] / g.stride[i];
    }
    return phase * box + place;
  }
  // Numbers of a slice of output rows, the last row's tail left out.
  std::int64_t numbers(const Geometry& g) const { return (g.out[1] - 1) * length[2] + g.out[2]; }
  // The number of an output place, and how many outputs of the slice come before a number.
  std::int64_t number(const Geometry& g, std::int64_t place) const {
    return (place / (g.out[2] * g.out[1]) * length[1] + place / g.out[2] % g.out[1]) * length[2] + place % g.out[2];
  }
  std::int64_t outputs(const Geometry& g, std::int64_t number) const {
    return number / length[2] * g.out[2] + std::min(number % length[2], g.out[2]);
  }
};

// All channels of an image with their padding, in planes that threads share.
template <class S, class TX>
void pad_channels(Cpu& cpu, const Geometry& g, const PaddedChannel& p, const TX* image, std::int64_t channel_stride,
                  std::int64_t channels, S* padded) {
  const std::int64_t plane = p.length[1] * p.length[2], planes = plane == 0 ? 0 : p.elements / plane;  // of a channel
  cpu.parallel(channels * planes, grain_of(plane), [&](std::int64_t begin, std::int64_t end) {
    S* to = padded + begin * plane;
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t rest = i % planes;
      const auto next = [&](std::int64_t extent) {
        const std::int64_t place = rest % extent;
        rest /= extent;
        return place;
      };
      const std::int64_t iz = next(p.length[0]), px = next(p.phases[2]), py = next(p.phases[1]);
      const std::int64_t z = iz * g.stride[0] + rest - g.pad[0], shift = px - g.pad[2];
      const auto [first, last] = inside_of(g, shift, p.length[2]);
      const std::int64_t from = i / planes * channel_stride + z * g.in_stride[0] + (first * g.stride[2] + shift) * g.in_stride[2];
      for (std::int64_t iy = 0; iy < p.length[1]; ++iy, to += p.length[2]) {
        const std::int64_t y = iy * g.stride[1] + py - g.pad[1];
        if (!g.inside(0, z) || !g.inside(1, y)) {
          std::fill_n(to, p.length[2], S{0});
          continue;
        }
        std::fill_n(to, first, S{0});
        widen_strided(image + from + y * g.in_stride[1], g.stride[2] * g.in_stride[2], last - first, to + first);
        std::fill_n(to + last, p.length[2] - last, S{0});
      }
    }
  });
}

// held[i * tile_columns + j] = sum over k of w[i, k] * x[offsets[k] + j], Count rows of it.
template <int Count, class S>
void window_tile(std::int64_t depth, const Rows<S>& w, const S* x, const std::int64_t* offsets, S* held) {
  using V = typename Vector<S>::type;
  using U = typename Vector<S>::unaligned;
  constexpr int lanes = Vector<S>::lanes;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    V left[Count] = {}, right[Count] = {};
    const S* a[Count] = {w.data + static_cast<std::int64_t>(I) * w.row...};
    for (std::int64_t k = 0; k < depth; ++k) {
      const V x0 = *reinterpret_cast<const U*>(x + offsets[k]);
      const V x1 = *reinterpret_cast<const U*>(x + offsets[k] + lanes);
      ((left[I] = multiply_add(*a[I], x0, left[I]), right[I] = multiply_add(*a[I], x1, right[I]), ++a[I]), ...);
    }
    ((*reinterpret_cast<V*>(held + I * tile_columns<S>) = left[I],
      *reinterpret_cast<V*>(held + I * tile_columns<S> + lanes) = right[I]), ...);
  }(std::make_index_sequence<static_cast<std::size_t>(Count)>{});
}
// Whether it pays: a plain product is a product, and of numbers that are mostly computed in vain packing is the less.
inline bool is_direct(const Geometry& g) {
  return !is_plain(g) && 2 * g.out[1] * g.out[2] > PaddedChannel(g).numbers(g);
}

template <class T, class TX, class TW, class Bias, class Then>
void conv_direct(Cpu& cpu, const View<T>& out, const Geometry& g, std::int64_t groups, const View<TX>& x,
                 const View<TW>& w, const Bias& bias, const Then& then) {
  using S = sum_t<T>;
  constexpr std::int64_t strip = tile_columns<S>;
  const PaddedChannel p(g);
  const std::int64_t channels = w.extent(1), rows = w.extent(0) / groups, taps = g.kernel[0] * g.kernel[1] * g.kernel[2];
  const std::int64_t depth = channels * taps;
  Walk<1> inner;
  for (int i = 1; i < w.rank(); ++i) inner.add(w.extent(i), {w.stride(i)});
  const bool as_they_lie = lies_as<S, TW>() && inner.rank() <= 1 &&
                           (inner.rank() == 0 || inner.strides(0)[0] == 1);

  // The input, a tile's width beyond its end; the weights where they are not such sums already; the offsets.
  const std::int64_t padded = groups * channels * p.elements + strip, widened = as_they_lie ? 0 : w.extent(0) * depth;
  const std::int64_t bytes = (padded + widened) * static_cast<std::int64_t>(sizeof(S));
  const std::int64_t aligned = (bytes + 63) / 64 * 64;
  std::byte* const room = cpu.scratch(aligned + depth * static_cast<std::int64_t>(sizeof(std::int64_t)));
  S* const input = reinterpret_cast<S*>(room);
  S* const weights = input + padded;
  std::int64_t* const offsets = reinterpret_cast<std::int64_t*>(room + aligned);
  std::fill_n(input + padded - strip, strip, S{0});
  for (std::int64_t k = 0; k < depth; ++k) offsets[k] = k / taps * p.elements + p.offset(g, g.tap(k % taps));
  if (!as_they_lie)
    cpu.parallel(w.extent(0), grain_of(depth), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t m = begin; m < end; ++m) {
        S* to = weights + m * depth;
        inner.each([&](const auto& at) { *to++ = static_cast<S>(load(w.data[m * w.stride(0) + at[0]])); });
      }
    });

  // A block of numbers is as many as keep what they see in the second-level cache while all weights pass.
  constexpr std::int64_t held_elements = 96 << 10;
  const std::int64_t numbers = p.numbers(g), strips = (numbers + strip - 1) / strip;
  const std::int64_t per_block = std::clamp<std::int64_t>(held_elements * p.box / (channels * p.elements * strip), std::min<std::int64_t>(4, strips), strips);
  const std::int64_t blocks = (strips + per_block - 1) / per_block, row_blocks = (rows + tile_rows - 1) / tile_rows;
  const std::int64_t products = tile_rows * per_block * strip * depth;
  for (std::int64_t n = 0; n < out.extent(0); ++n) {
    const TX* const image = x.data + n * x.stride(0);
    pad_channels(cpu, g, p, image, x.stride(1), groups * channels, input);
    cpu.parallel(groups * g.out[0] * blocks * row_blocks, grain_of(products / products_an_element), [&](std::int64_t begin, std::int64_t end) {
      alignas(64) S held[tile_rows * strip];
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t block = i / row_blocks % blocks, z = i / (row_blocks * blocks) % g.out[0];
        const std::int64_t group = i / (row_blocks * blocks * g.out[0]), m = group * rows + i % row_blocks * tile_rows;
        const std::int64_t count = std::min<std::int64_t>(tile_rows, (group + 1) * rows - m);
        const S* seen = input + group * channels * p.elements + z * p.length[1] * p.length[2];
        Rows<S> left{weights + m * depth, depth, 1};
        if constexpr (lies_as<S, TW>())
          if (as_they_lie) left = {reinterpret_cast<const S*>(w.data + m * w.stride(0)), w.stride(0), 1};
        T* const slice = out.data + (n * out.extent(1) + m) * g.places() + z * g.out[1] * g.out[2];
        const std::int64_t first = block * per_block * strip, last = std::min(numbers, first + per_block * strip);
        for (std::int64_t number = first; number < last; number += strip) {
          with_rows(count, [&](auto constant) { window_tile<constant>(depth, left, seen + number, offsets, held); });
          // Row by row, what is not in vain.
          for (std::int64_t at = number, end_of_strip = std::min(last, number + strip); at < end_of_strip;) {
            const std::int64_t column = at % p.length[2];
            const std::int64_t run = std::min(end_of_strip - at, g.out[2] - column);
            T* const to = slice + p.outputs(g, at);
            for (std::int64_t r = 0; r < count && run > 0; ++r) {
              const S* const sums = held + r * strip + (at - number);
              const S offset = bias_of<S>(bias, m + r);
              fill(to + r * g.places(), run, [=](std::int64_t t) { return store<T>(static_cast<S>(sums[t] + offset)); });
            }
            at += p.length[2] - column;
          }
        }
        const std::int64_t from = p.outputs(g, first), until = p.outputs(g, last);
        for (std::int64_t r = 0; r < count; ++r) then(slice + r * g.places() + from - out.data, until - from);
      }
    });
  }
}

}  // namespace detail

}  // namespace loam
