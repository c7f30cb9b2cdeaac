// Convolutions with outputs in a vector's lanes, over weights packed so: where there are few places, or they lie apart in
// the input, a tile of a few places by many outputs computes nothing in vain and reads its vectors where they are aligned.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "ops/conv/bias.hpp"
#include "ops/conv/direct.hpp"
#include "ops/conv/geometry.hpp"
#include "ops/conv/lanes.hpp"
#include "ops/matmul/columns.hpp"
#include "ops/matmul/tile.hpp"
#include "runtime/cpu.hpp"
#include "runtime/packed.hpp"
#include "runtime/threads.hpp"
#include "runtime/walk.hpp"

namespace loam {

namespace form {

// The weight [M, C, kernel..] as the sums of its type: element k of those an output sees, in the order of C, kernel..,
// lies for output m at (m / width * (C * kernel..) + k) * width + m % width, width = columns of a product's tile; zeros
// beyond M.
struct Outputs {
  template <class T>
  using element = detail::sum_t<T>;
  template <class T>
  static std::int64_t elements(const Dims& dims) {
    constexpr std::int64_t width = detail::tile_columns<element<T>>;
    std::int64_t depth = 1;
    for (int i = 1; i < dims.rank; ++i) depth *= dims.extent(i);
    return ceil_div(dims.extent(0), width) * width * depth;
  }
};

}  // namespace form

template <class S, class T>
void run(kernels::Pack<form::Outputs>, Cpu& cpu, const View<Packed<S, form::Outputs>>& out, const View<T>& w) {
  constexpr std::int64_t width = detail::tile_columns<S>;
  Walk<1> inner;
  for (int i = 1; i < w.rank(); ++i) inner.add(w.extent(i), {w.stride(i)});
  const std::int64_t depth = inner.count(), outputs = w.extent(0);
  cpu.parallel(ceil_div(outputs, width), detail::grain_of(depth * width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s)
      for (std::int64_t j = 0; j < width; ++j) {
        const std::int64_t m = s * width + j;
        S* to = reinterpret_cast<S*>(out.data) + s * width * depth + j;
        inner.each([&](const auto& at) {
          *to = m < outputs ? static_cast<S>(load(w.data[m * w.stride(0) + at[0]])) : S{0};
          to += width;
        });
      }
  });
}

namespace detail {

// held[i * tile_columns + j] (+)= sum over k of x[i][offsets[k]] * w[k][j], Count places by Vectors vectors of outputs.
template <int Count, int Vectors, class S>
void outputs_tile(std::int64_t depth, const S* const* x, const std::int64_t* offsets, const S* w, S* held, bool add) {
  using V = typename Vector<S>::type;
  constexpr int lanes = Vector<S>::lanes;
  V sums[Count][Vectors];
#pragma GCC unroll 8
  for (int i = 0; i < Count; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      sums[i][v] = add ? *reinterpret_cast<const V*>(held + i * tile_columns<S> + v * lanes) : V{};
  const S* a[Count];
  std::copy_n(x, Count, a);
  for (std::int64_t k = 0; k < depth; ++k, w += tile_columns<S>) {
    const std::int64_t offset = offsets[k];
    V right[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) right[v] = *reinterpret_cast<const V*>(w + v * lanes);
#pragma GCC unroll 8
    for (int i = 0; i < Count; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v) sums[i][v] = multiply_add(a[i][offset], right[v], sums[i][v]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < Count; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) *reinterpret_cast<V*>(held + i * tile_columns<S> + v * lanes) = sums[i][v];
}

// to[c * step + i] = held[i * tile_columns + c] + bias[c] for `count` places and `channels` outputs of a vector's.
template <class S, class T>
void store_outputs(const S* held, std::int64_t count, std::int64_t channels, const S* bias, T* to, std::int64_t step) {
  using V = typename Vector<S>::type;
  using U = typename Vector<S>::unaligned;
  constexpr std::int64_t lanes = Vector<S>::lanes;
  if (count == 1) {
    for (std::int64_t c = 0; c < channels; ++c) to[c * step] = store<T>(static_cast<S>(held[c] + bias[c]));
    return;
  }
  for (std::int64_t i = 0; i < count; i += lanes) {
    V square[lanes];
    for (std::int64_t j = 0; j < lanes; ++j) {
      square[j] = *reinterpret_cast<const V*>(bias);
      if (i + j < count) square[j] += *reinterpret_cast<const V*>(held + (i + j) * tile_columns<S>);
    }
    transpose<S>(square);
    const std::int64_t n = std::min(lanes, count - i);
    for (std::int64_t c = 0; c < channels; ++c) {
      T* const row = to + c * step + i;
      if constexpr (lies_as<S, T>()) {
        if (n == lanes) {
          *reinterpret_cast<U*>(row) = square[c];
          continue;
        }
      }
      const S* const from = reinterpret_cast<const S*>(&square[c]);
      for (std::int64_t j = 0; j < n; ++j) row[j] = store<T>(from[j]);
    }
  }
}

template <class T, class TX, class S, class Bias, class Then = Nothing>
void conv(Cpu& cpu, const View<T>& out, const Window& window, std::int64_t, const View<TX>& x,
          const View<Packed<S, form::Outputs>>& w, const Bias& bias, const Then& then = {}) {
  if (out.elements() == 0) return;
  // A block's sums and a panel of weights are in the first-level cache, or nearly.
  constexpr std::int64_t lanes = Vector<S>::lanes, width = tile_columns<S>, depth_step = 256, line = 64 / static_cast<std::int64_t>(sizeof(S));
  constexpr std::int64_t most_places = 128 / tile_rows * tile_rows, most_held = most_places * width;
  Geometry g(window, x.dims, out.dims);
  join_plain_axes(g);
  const PaddedChannel p(g);
  const std::int64_t outputs = w.extent(0), channels = w.extent(1), taps = g.kernel[0] * g.kernel[1] * g.kernel[2];
  const std::int64_t depth = channels * taps, places = g.places(), strips = ceil_div(outputs, width);
  const bool as_it_lies = lies_as<S, TX>() && is_plain(g) && g.rows() == 1 && g.in_stride[2] == 1;
  // The padded input, where it is not read as it lies, and the offsets.
  const std::int64_t padded = as_it_lies ? 0 : ceil_div(channels * p.elements, lanes) * lanes;
  const std::int64_t bytes = padded * static_cast<std::int64_t>(sizeof(S));
  std::byte* const room = cpu.scratch(bytes + depth * static_cast<std::int64_t>(sizeof(std::int64_t)));
  S* const input = reinterpret_cast<S*>(room);
  std::int64_t* const offsets = reinterpret_cast<std::int64_t*>(room + bytes);
  for (std::int64_t k = 0; k < depth; ++k)
    offsets[k] = as_it_lies ? k * x.stride(1) : k / taps * p.elements + p.offset(g, g.tap(k % taps));

  const std::int64_t blocks = ceil_div(places, most_places);
  const std::int64_t block = ceil_div(ceil_div(places, blocks), tile_rows) * tile_rows;
  for (std::int64_t n = 0; n < out.extent(0); ++n) {
    const TX* const image = x.data + n * x.stride(0);
    const S* seen = input;
    if constexpr (lies_as<S, TX>())
      if (as_it_lies) seen = reinterpret_cast<const S*>(image);
    if (!as_it_lies) pad_channels(cpu, g, p, image, x.stride(1), channels, input);
    const std::int64_t grain = grain_of(block * width * depth / products_an_element);
    cpu.parallel(blocks * strips, grain, [&](std::int64_t begin, std::int64_t end) {
      alignas(64) S held[most_held];
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t first = i / strips * block, count = std::min(block, places - first), m = i % strips * width;
        const std::int64_t present = std::min(width, outputs - m);
        if (count <= 0) continue;
        const S* const weights = reinterpret_cast<const S*>(w.data) + m * depth;
        if (count == 1 && as_it_lies && x.stride(1) == 1) {
          thin_strip<1>(seen + first, depth, weights, held);
        } else {
          const S* from[most_places];
          for (std::int64_t j = 0; j < count; ++j) from[j] = seen + (as_it_lies ? first + j : p.number(g, first + j));
          for (std::int64_t k = 0; k < depth; k += depth_step)
            for (std::int64_t j = 0; j < count; j += tile_rows)
              with_rows(std::min<std::int64_t>(tile_rows, count - j), [&](auto rows) {
                const std::int64_t deep = std::min(depth_step, depth - k);
                const S* const panel = weights + k * width;
                // A part of the panel that follows is fetched before each tile of the one at hand. Weights that come from
                // memory came at the first tile's pace, which reads all of a panel: 192 channels at 7 x 7 that give 1152
                // took 272 us, and take 243 (228 where the second-level cache holds them).
                const std::int64_t part = ceil_div(deep * width, ceil_div(count, std::int64_t{tile_rows}) * line) * line;
                const S* const next = panel + deep * width + j / tile_rows * part;
                for (std::int64_t e = 0; e < part; e += line) __builtin_prefetch(next + e, 0, 2);
                S* const to = held + j * width;
                if (present > lanes) outputs_tile<rows, 2>(deep, from + j, offsets + k, panel, to, k > 0);
                else outputs_tile<rows, 1>(deep, from + j, offsets + k, panel, to, k > 0);
              });
        }
        const std::int64_t plane = n * outputs + m;
        for (std::int64_t half = 0; half < present; half += lanes) {
          alignas(64) S bias_here[lanes] = {};
          const std::int64_t here = std::min(lanes, present - half);
          for (std::int64_t c = 0; c < here; ++c) bias_here[c] = bias_of<S>(bias, m + half + c);
          store_outputs(held + half, count, here, bias_here, out.data + (plane + half) * places + first, places);
        }
        if (count == places) then(plane * places, present * places);
        else
          for (std::int64_t c = 0; c < present; ++c) then((plane + c) * places + first, count);
      }
    });
  }
}

}  // namespace detail

}  // namespace loam
