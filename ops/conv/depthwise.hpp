// Convolutions that see one channel each (depthwise ones, of any multiplier): a product has nothing to reuse there, so
// sums stay in registers while the window's elements pass.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/conv/bias.hpp"
#include "ops/conv/geometry.hpp"
#include "ops/matmul/tile.hpp"
#include "runtime/cpu.hpp"
#include "runtime/threads.hpp"
#include "runtime/widen.hpp"

namespace loam {

namespace detail {

// The input rows that a block of output rows sees, as sums, with their padding. A row is laid out in `phases`, one for
// each place within the window's stride: phase p's element i is place i * stride + p - pad, so that the places neighbouring
// outputs see under one element of the window are neighbours whatever the stride.
struct PaddedRows {
  static constexpr std::int64_t room = 8192;  // 32 KiB of floats: in the first-level cache
  std::int64_t phases, phase_length, length;  // elements of a phase and of a row
  std::int64_t rows;                          // output rows of a block; 0 where not even one's input fits

  template <class S>
  static PaddedRows of(const Geometry& g) {
    constexpr std::int64_t lanes = Vector<S>::lanes;
    PaddedRows p{};
    p.phases = std::min(g.stride[2], (g.kernel[2] - 1) * g.dilation[2] + 1);
    // A tile's last vectors reach beyond the row's end; it is 1, 2 or 4 of them wide.
    const std::int64_t wide = (g.out[2] <= lanes ? 1 : g.out[2] <= 2 * lanes ? 2 : 4) * lanes;
    p.phase_length = ceil_div(g.out[2], wide) * wide + (g.kernel[2] - 1) * g.dilation[2] / g.stride[2];
    p.length = p.phases * p.phase_length;
    const std::int64_t reach = (g.kernel[1] - 1) * g.dilation[1] + 1;
    const std::int64_t fit = room / std::max<std::int64_t>(1, p.length) - reach;
    p.rows = fit < 0 ? 0 : std::min(g.out[1], fit / g.stride[1] + 1);
    return p;
  }
};

// Writes what lies inside the plane of the rows that output rows [first, ..) see; the columns of the padding are as they
// were, the same in every row and every plane.
template <class S, class TX>
void fill_rows(const Geometry& g, const PaddedRows& p, const TX* plane, std::int64_t first, std::int64_t rows, S* to) {
  const std::int64_t top = first * g.stride[1] - g.pad[1];
  const std::int64_t begin_row = std::clamp<std::int64_t>(-top, 0, rows);
  const std::int64_t end_row = std::clamp<std::int64_t>(g.in[1] - top, begin_row, rows);
  std::fill_n(to, begin_row * p.length, S{0});
  std::fill_n(to + end_row * p.length, (rows - end_row) * p.length, S{0});
  for (std::int64_t phase = 0; phase < p.phases; ++phase) {
    const std::int64_t shift = phase - g.pad[2], step = g.stride[2] * g.in_stride[2];
    const auto [begin, end] = inside_of(g, shift, p.phase_length);
    const TX* const from = plane + (begin * g.stride[2] + shift) * g.in_stride[2];
    for (std::int64_t r = begin_row; r < end_row; ++r)
      widen_strided(from + (top + r) * g.in_stride[1], step, end - begin, to + r * p.length + phase * p.phase_length + begin);
  }
}

// One element of the window: where a row of outputs first sees it from where its window begins, and its weight.
template <class S>
struct DepthwiseTap {
  std::int64_t place;
  S weight;
};
inline constexpr std::int64_t depthwise_taps = 256;  // an 11 x 11 window and more

// A tile of Rows rows by Columns vectors of sums. `rows` is where the first output row's window begins. Up to `room`
// elements from `out` on may be written, those past a row's columns with anything.
template <int Rows, int Columns, class S, class T>
void depthwise_tile(const Geometry& g, std::int64_t row_step, const S* rows, const DepthwiseTap<S>* taps, S bias, T* out,
                    std::int64_t columns, std::int64_t room) {
  using V = typename Vector<S>::type;
  using U = typename Vector<S>::unaligned;
  constexpr std::int64_t lanes = Vector<S>::lanes;
  V sums[Rows][Columns];
  for (auto& row : sums)
    for (V& sum : row) sum = V{} + bias;
  for (std::int64_t k = g.kernel[1] * g.kernel[2]; k > 0; --k, ++taps) {
    const S* const from = rows + taps->place;
    const S weight = taps->weight;
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c)
        sums[r][c] = multiply_add(weight, V(*reinterpret_cast<const U*>(from + r * row_step + c * lanes)), sums[r][c]);
  }
  for (int r = 0; r < Rows; ++r) {
    T* const to = out + r * g.out[2];
    if constexpr (lies_as<S, T>()) {
      if (columns == Columns * lanes || r * g.out[2] + Columns * lanes <= room) {
        for (int c = 0; c < Columns; ++c) *reinterpret_cast<U*>(to + c * lanes) = sums[r][c];
        continue;
      }
    }
    alignas(64) S held[Columns * lanes];
    for (int c = 0; c < Columns; ++c) *reinterpret_cast<V*>(held + c * lanes) = sums[r][c];
    for (std::int64_t i = 0; i < columns; ++i) to[i] = store<T>(held[i]);
  }
}

template <int Rows, int Columns, class S, class T>
void depthwise_rows(const Geometry& g, std::int64_t row_step, const S* rows, const DepthwiseTap<S>* taps, S bias, T* out,
                    std::int64_t count) {
  constexpr std::int64_t step = Columns * Vector<S>::lanes;
  std::int64_t r = 0;
  for (; r + Rows <= count; r += Rows)
    for (std::int64_t j = 0; j < g.out[2]; j += step) {
      // Where a tile is as wide as a row, what it writes past that is written again by the next.
      const std::int64_t room = g.out[2] <= step ? (count - r) * g.out[2] : 0;
      depthwise_tile<Rows, Columns>(g, row_step, rows + r * row_step + j, taps, bias, out + r * g.out[2] + j,
                                    std::min(step, g.out[2] - j), room);
    }
  if constexpr (Rows > 1)
    depthwise_rows<1, Columns>(g, row_step, rows + r * row_step, taps, bias, out + r * g.out[2], count - r);
}

// Rows rows of one vector under a window of Kernel rows that moves down by Stride: what a column of the window sees is
// loaded once for all rows. `row` is a row's length.
template <int Kernel, int Stride, int Rows, class S, class T>
void depthwise_column(const Geometry& g, std::int64_t row, const S* rows, const DepthwiseTap<S>* taps, S bias, T* out,
                      std::int64_t room) {
  using V = typename Vector<S>::type;
  using U = typename Vector<S>::unaligned;
  constexpr std::int64_t lanes = Vector<S>::lanes;
  constexpr int reach = (Rows - 1) * Stride + Kernel;
  V sums[Rows];
  for (V& sum : sums) sum = V{} + bias;
  for (std::int64_t kx = 0; kx < g.kernel[2]; ++kx, ++taps) {
    V seen[reach];
    const S* from = rows + taps->place;
#pragma GCC unroll 12
    for (int y = 0; y < reach; ++y, from += row) seen[y] = *reinterpret_cast<const U*>(from);
#pragma GCC unroll 5
    for (int ky = 0; ky < Kernel; ++ky) {
      const S weight = taps[ky * g.kernel[2]].weight;
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r) sums[r] = multiply_add(weight, seen[r * Stride + ky], sums[r]);
    }
  }
  const std::int64_t columns = std::min(lanes, g.out[2]);
  for (int r = 0; r < Rows; ++r) {
    T* const to = out + r * g.out[2];
    if constexpr (lies_as<S, T>()) {
      if (r * g.out[2] + lanes <= room) {
        *reinterpret_cast<U*>(to) = sums[r];
        continue;
      }
    }
    for (std::int64_t i = 0; i < columns; ++i) to[i] = store<T>(static_cast<S>(sums[r][i]));
  }
}

template <int Kernel, int Stride, class S, class T>
void depthwise_columns(const Geometry& g, std::int64_t row, const S* rows, const DepthwiseTap<S>* taps, S bias, T* out,
                       std::int64_t count) {
  constexpr std::int64_t lanes = Vector<S>::lanes, most = 4;
  for (std::int64_t r = 0; r < count; r += most)
    with_rows<most>(std::min(most, count - r), [&](auto n) {
      T* const to = out + r * g.out[2];
      const S* const from = rows + r * Stride * row;
      // The last vector of a row begins so that it ends there; what it writes past a shorter row the next one writes again.
      for (std::int64_t j = 0;; j = std::min(j + lanes, g.out[2] - lanes)) {
        depthwise_column<Kernel, Stride, n>(g, row, from + j, taps, bias, to + j, (count - r) * g.out[2] - j);
        if (j + lanes >= g.out[2]) return;
      }
    });
}

// Whether conv_depthwise computes it: one channel to an output, planes, a kernel that the buffers hold.
template <class S>
bool is_depthwise(const Geometry& g, std::int64_t channels) {
  return channels == 1 && g.in[0] == 1 && g.out[0] == 1 && g.kernel[0] == 1 && g.pad[0] == 0 &&
         g.kernel[1] * g.kernel[2] <= depthwise_taps && PaddedRows::of<S>(g).rows > 0;
}

template <class T, class TX, class TW, class Bias, class Then>
void conv_depthwise(Cpu& cpu, const View<T>& out, const Geometry& g, const Three& w_strides, std::int64_t groups,
                    const View<TX>& x, const View<TW>& w, const Bias& bias, const Then& then) {
  using S = sum_t<T>;
  constexpr std::int64_t lanes = Vector<S>::lanes;
  const PaddedRows p = PaddedRows::of<S>(g);
  const std::int64_t per_group = w.extent(0) / groups, m_count = out.extent(1);
  const std::int64_t products = g.places() * g.kernel[1] * g.kernel[2];
  cpu.parallel(out.extent(0) * m_count, grain_of(products / products_an_element), [&](std::int64_t begin, std::int64_t end) {
    alignas(64) S rows[PaddedRows::room];
    DepthwiseTap<S> taps[depthwise_taps];
    std::fill_n(rows, PaddedRows::room, S{0});
    for (std::int64_t ky = 0; ky < g.kernel[1]; ++ky)
      for (std::int64_t kx = 0; kx < g.kernel[2]; ++kx) {
        const std::int64_t column = kx * g.dilation[2];
        taps[ky * g.kernel[2] + kx].place =
            ky * g.dilation[1] * p.length + column % g.stride[2] * p.phase_length + column / g.stride[2];
      }
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const std::int64_t m = plane % m_count;
      const TX* const from = x.data + plane / m_count * x.stride(0) + m / per_group * x.stride(1);
      for (std::int64_t ky = 0; ky < g.kernel[1]; ++ky)
        for (std::int64_t kx = 0; kx < g.kernel[2]; ++kx)
          taps[ky * g.kernel[2] + kx].weight = static_cast<S>(load(w.data[m * w.stride(0) + at(w_strides, {0, ky, kx})]));
      for (std::int64_t first = 0; first < g.out[1]; first += p.rows) {
        const std::int64_t count = std::min(p.rows, g.out[1] - first);
        fill_rows(g, p, from, first, (count - 1) * g.stride[1] + (g.kernel[1] - 1) * g.dilation[1] + 1, rows);
        T* const result = out.data + (plane * g.out[1] + first) * g.out[2];
        const S offset = bias_of<S>(bias, m);
        const std::int64_t row_step = g.stride[1] * p.length;
        const auto lies = [&](std::int64_t kernel, std::int64_t stride) {
          return g.kernel[1] == kernel && g.stride[1] == stride && g.dilation[1] == 1;
        };
        if (lies(3, 1)) depthwise_columns<3, 1>(g, p.length, rows, taps, offset, result, count);
        else if (lies(3, 2)) depthwise_columns<3, 2>(g, p.length, rows, taps, offset, result, count);
        else if (lies(5, 1)) depthwise_columns<5, 1>(g, p.length, rows, taps, offset, result, count);
        else if (lies(5, 2)) depthwise_columns<5, 2>(g, p.length, rows, taps, offset, result, count);
        else if (g.out[2] <= lanes) depthwise_rows<4, 1>(g, row_step, rows, taps, offset, result, count);
        else if (g.out[2] <= 2 * lanes) depthwise_rows<2, 2>(g, row_step, rows, taps, offset, result, count);
        else depthwise_rows<1, 4>(g, row_step, rows, taps, offset, result, count);
        then(result - out.data, count * g.out[2]);
      }
    }
  });
}

}  // namespace detail

}  // namespace loam
