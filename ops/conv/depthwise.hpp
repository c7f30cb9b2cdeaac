// Convolutions that see one channel each (depthwise ones, of any multiplier): a product has nothing to reuse there, so
// sums stay in registers while the window's elements pass.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ops/conv/bias.hpp"
#include "ops/conv/geometry.hpp"
#include "ops/matmul/tile.hpp"
#include "runtime/cpu.hpp"
#include "runtime/threads.hpp"
#include "runtime/widen.hpp"

namespace loam {

namespace detail {

// So many rows of outputs share what they see of a column. The sizes of images' planes are multiples of 7, and AVX-512's 32
// registers hold 7 sums and the 17 places that they see under a window of 5 that moves by 2.
#if defined(__AVX512F__)
inline constexpr std::int64_t depthwise_rows_at_once = 7;
#else
inline constexpr std::int64_t depthwise_rows_at_once = 4;
#endif

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
    if (p.rows < g.out[1] && p.rows > depthwise_rows_at_once) p.rows -= p.rows % depthwise_rows_at_once;
    return p;
  }
};

// to[i] = from[i * Step], `count` of them, in whole vectors: the last one's other elements are 0. It reads Step vectors for
// each that it writes.
template <int Step, class S>
void copy_vectors(const S* from, std::int64_t count, S* to) {
  using V = typename Vector<S>::type;
  using U = typename Vector<S>::unaligned;
  constexpr std::int64_t lanes = Vector<S>::lanes;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    constexpr V numbers{static_cast<S>(I)...};
    for (std::int64_t i = 0; i < count; i += lanes) {
      V v = *reinterpret_cast<const U*>(from + i * Step);
      if constexpr (Step == 2)
        v = __builtin_shufflevector(v, V(*reinterpret_cast<const U*>(from + i * Step + lanes)), (2 * I)...);
      *reinterpret_cast<U*>(to + i) = numbers < static_cast<S>(std::min(lanes, count - i)) ? v : V{};
    }
  }(std::make_index_sequence<static_cast<std::size_t>(lanes)>{});
}

// Writes what lies inside the plane of the rows that output rows [first, ..) see; the columns of the padding are as they
// were, the same in every row and every plane, and where a plane is `whole` the rows of the padding are too. `end` is the
// end of what may be read.
template <class S, class TX>
void fill_rows(const Geometry& g, const PaddedRows& p, const TX* plane, const TX* end, std::int64_t first, std::int64_t rows,
               bool whole, S* to) {
  const std::int64_t top = first * g.stride[1] - g.pad[1];
  const std::int64_t begin_row = std::clamp<std::int64_t>(-top, 0, rows);
  const std::int64_t end_row = std::clamp<std::int64_t>(g.in[1] - top, begin_row, rows);
  if (!whole) {
    std::fill_n(to, begin_row * p.length, S{0});
    std::fill_n(to + end_row * p.length, (rows - end_row) * p.length, S{0});
  }
  for (std::int64_t phase = 0; phase < p.phases; ++phase) {
    const std::int64_t shift = phase - g.pad[2], step = g.stride[2] * g.in_stride[2];
    const auto [begin, past] = inside_of(g, shift, p.phase_length);
    const std::int64_t count = past - begin, lanes = Vector<S>::lanes, touched = ceil_div(count, lanes) * lanes;
    const TX* from = plane + (begin * g.stride[2] + shift) * g.in_stride[2] + (top + begin_row) * g.in_stride[1];
    S* row = to + begin_row * p.length + phase * p.phase_length + begin;
    for (std::int64_t r = begin_row; r < end_row; ++r, from += g.in_stride[1], row += p.length) {
      if constexpr (lies_as<S, TX>())
        if (step <= 2 && g.in_stride[2] == 1 && begin + touched <= p.phase_length && end - from >= step * touched) {
          if (step == 1) copy_vectors<1>(reinterpret_cast<const S*>(from), count, row);
          else copy_vectors<2>(reinterpret_cast<const S*>(from), count, row);
          continue;
        }
      widen_strided(from, step, count, row);
    }
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
                    std::int64_t count, std::int64_t after) {
  constexpr std::int64_t step = Columns * Vector<S>::lanes;
  std::int64_t r = 0;
  for (; r + Rows <= count; r += Rows)
    for (std::int64_t j = 0; j < g.out[2]; j += step) {
      // Where a tile is as wide as a row, what it writes past that is written again by the next.
      const std::int64_t room = g.out[2] <= step ? (count - r) * g.out[2] + after : 0;
      depthwise_tile<Rows, Columns>(g, row_step, rows + r * row_step + j, taps, bias, out + r * g.out[2] + j,
                                    std::min(step, g.out[2] - j), room);
    }
  if constexpr (Rows > 1)
    depthwise_rows<1, Columns>(g, row_step, rows + r * row_step, taps, bias, out + r * g.out[2], count - r, after);
}

// Vectors of Bytes; in WebAssembly, whose multiply_add knows whole ones alone, those.
template <class S, int Bytes>
struct VectorOf {
  static constexpr int lanes = Bytes / static_cast<int>(sizeof(S));
  typedef S type __attribute__((vector_size(Bytes)));
  typedef S unaligned __attribute__((vector_size(Bytes), aligned(alignof(S)), may_alias));
  static type multiply_add(S x, const type& y, const type& sum) {
    if constexpr (Bytes == vector_bytes) return detail::multiply_add(x, y, sum);
    else return sum + x * y;
  }
};

// Rows rows of one vector under a window of Kernel rows that moves down by Stride: what a column of the window sees is
// loaded once for all rows. `row` is a row's length.
template <int Kernel, int Stride, int Rows, int Bytes, class S, class T>
void depthwise_column(const Geometry& g, std::int64_t row, const S* rows, const DepthwiseTap<S>* taps, S bias, T* out,
                      std::int64_t room) {
  using Kind = VectorOf<S, Bytes>;
  using V = typename Kind::type;
  using U = typename Kind::unaligned;
  constexpr std::int64_t lanes = Kind::lanes;
  constexpr int reach = (Rows - 1) * Stride + Kernel;
  V sums[Rows];
#pragma GCC unroll 7
  for (int r = 0; r < Rows; ++r) sums[r] = V{} + bias;
  for (std::int64_t kx = 0; kx < g.kernel[2]; ++kx, ++taps) {
    V seen[reach];
    const S* from = rows + taps->place;
#pragma GCC unroll 17
    for (int y = 0; y < reach; ++y, from += row) seen[y] = *reinterpret_cast<const U*>(from);
#pragma GCC unroll 5
    for (int ky = 0; ky < Kernel; ++ky) {
      const S weight = taps[ky * g.kernel[2]].weight;
#pragma GCC unroll 7
      for (int r = 0; r < Rows; ++r) sums[r] = Kind::multiply_add(weight, seen[r * Stride + ky], sums[r]);
    }
  }
  const std::int64_t columns = std::min(lanes, g.out[2]);
#pragma GCC unroll 7
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

template <int Kernel, int Stride, int Bytes, class S, class T>
void depthwise_columns(const Geometry& g, std::int64_t row, const S* rows, const DepthwiseTap<S>* taps, S bias, T* out,
                       std::int64_t count, std::int64_t after) {
  constexpr std::int64_t lanes = VectorOf<S, Bytes>::lanes, most = depthwise_rows_at_once;
  const auto tile = [&]<int Rows>(std::integral_constant<int, Rows>, std::int64_t r) {
    T* const to = out + r * g.out[2];
    const S* const from = rows + r * Stride * row;
    // The last vector of a row begins so that it ends there; what it writes past a shorter row the next one writes again.
    for (std::int64_t j = 0;; j = std::min(j + lanes, g.out[2] - lanes)) {
      depthwise_column<Kernel, Stride, Rows, Bytes>(g, row, from + j, taps, bias, to + j, (count - r) * g.out[2] + after - j);
      if (j + lanes >= g.out[2]) return;
    }
  };
  if (count < most)
    for (std::int64_t r = 0; r < count; ++r) tile(std::integral_constant<int, 1>{}, r);
  else  // the last rows too begin so that they end there
    for (std::int64_t r = 0; r < count; r += most) tile(std::integral_constant<int, most>{}, std::min(r, count - most));
}
template <int Kernel, int Stride, class S, class T>
void depthwise_columns(const Geometry& g, std::int64_t row, const S* rows, const DepthwiseTap<S>* taps, S bias, T* out,
                       std::int64_t count, std::int64_t after) {
  // A row of 7 is computed in half a vector, twice as fast.
  constexpr int half = vector_bytes / 2;
  if constexpr (half >= 32)
    if (g.out[2] * static_cast<std::int64_t>(sizeof(S)) <= half)
      return depthwise_columns<Kernel, Stride, half>(g, row, rows, taps, bias, out, count, after);
  depthwise_columns<Kernel, Stride, vector_bytes>(g, row, rows, taps, bias, out, count, after);
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
  const std::int64_t products = g.places() * g.kernel[1] * g.kernel[2], reach = (g.kernel[1] - 1) * g.dilation[1] + 1;
  // Planes of one block are laid out several at a time before the first is computed: what was written in pieces and is read
  // at once as another vector would be waited for. And what stands behind them sees one long stretch.
  const bool whole = p.rows == g.out[1];
  const std::int64_t held = ((g.out[1] - 1) * g.stride[1] + reach) * p.length;
  const std::int64_t together = whole ? std::clamp<std::int64_t>(PaddedRows::room / 2 / held, 1, 8) : 1;
  const TX* const x_end = end_of(x);
  const bool dense = w_strides[2] == 1 && w_strides[1] == g.kernel[2];
  cpu.parallel(out.extent(0) * m_count, grain_of(products / products_an_element), [&](std::int64_t begin, std::int64_t end) {
    alignas(64) S rows[PaddedRows::room];
    DepthwiseTap<S> taps[depthwise_taps];
    std::fill_n(rows, whole ? together * held : PaddedRows::room, S{0});
    for (std::int64_t ky = 0; ky < g.kernel[1]; ++ky)
      for (std::int64_t kx = 0; kx < g.kernel[2]; ++kx) {
        const std::int64_t column = kx * g.dilation[2];
        taps[ky * g.kernel[2] + kx].place =
            ky * g.dilation[1] * p.length + column % g.stride[2] * p.phase_length + column / g.stride[2];
      }
    const auto weigh = [&](const TW* from) {
      DepthwiseTap<S>* tap = taps;
      if (dense) {
        for (std::int64_t k = g.kernel[1] * g.kernel[2]; k > 0; --k) tap++->weight = static_cast<S>(load(*from++));
      } else {
        for (std::int64_t ky = 0; ky < g.kernel[1]; ++ky)
          for (std::int64_t kx = 0; kx < g.kernel[2]; ++kx) tap++->weight = static_cast<S>(load(from[at(w_strides, {0, ky, kx})]));
      }
    };
    // `after`: how many elements that follow the result are written later, here.
    const auto compute = [&](const S* from, std::int64_t count, S offset, T* result, std::int64_t after) {
      const std::int64_t row_step = g.stride[1] * p.length;
      const auto lies = [&](std::int64_t kernel, std::int64_t stride) {
        return g.kernel[1] == kernel && g.stride[1] == stride && g.dilation[1] == 1;
      };
      if (lies(3, 1)) depthwise_columns<3, 1>(g, p.length, from, taps, offset, result, count, after);
      else if (lies(3, 2)) depthwise_columns<3, 2>(g, p.length, from, taps, offset, result, count, after);
      else if (lies(5, 1)) depthwise_columns<5, 1>(g, p.length, from, taps, offset, result, count, after);
      else if (lies(5, 2)) depthwise_columns<5, 2>(g, p.length, from, taps, offset, result, count, after);
      else if (g.out[2] <= lanes) depthwise_rows<4, 1>(g, row_step, from, taps, offset, result, count, after);
      else if (g.out[2] <= 2 * lanes) depthwise_rows<2, 2>(g, row_step, from, taps, offset, result, count, after);
      else depthwise_rows<1, 4>(g, row_step, from, taps, offset, result, count, after);
    };
    for (std::int64_t plane = begin; plane < end; plane += together) {
      const std::int64_t planes = std::min(together, end - plane);
      for (std::int64_t first = 0; first < g.out[1]; first += p.rows) {
        const std::int64_t count = std::min(p.rows, g.out[1] - first);
        for (std::int64_t i = 0; i < planes; ++i) {
          const std::int64_t m = (plane + i) % m_count;
          const TX* const from = x.data + (plane + i) / m_count * x.stride(0) + m / per_group * x.stride(1);
          fill_rows(g, p, from, x_end, first, (count - 1) * g.stride[1] + reach, whole, rows + i * held);
        }
        T* const result = out.data + (plane * g.out[1] + first) * g.out[2];
        for (std::int64_t i = 0; i < planes; ++i) {
          const std::int64_t m = (plane + i) % m_count;
          if (first == 0) weigh(w.data + m * w.stride(0));
          compute(rows + i * held, count, bias_of<S>(bias, m), result + i * g.places(),
                  ((end - plane - i) * g.out[1] - first - count) * g.out[2]);
        }
        then(result - out.data, planes * count * g.out[2]);
      }
    }
  });
}

}  // namespace detail

}  // namespace loam
