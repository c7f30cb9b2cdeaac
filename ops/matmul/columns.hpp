// The right side of a product, packed once: its columns in strips as wide as a tile, so that a tile's rows of it follow
// one another and nothing is packed while the product runs.
//
// By 768 x 3072 floats in strips, 16 rows take 0.69 ms, and 1.16 or 2.40 where strips are packed each time from weights that
// lay by rows or by columns; 128 rows 5.7, and 6.5 or 7.6; one row 0.117, and 0.142 (one thread, AVX-512).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "ops/matmul/halves.hpp"
#include "ops/matmul/thin.hpp"
#include "ops/matmul/tile.hpp"
#include "runtime/cpu.hpp"
#include "runtime/packed.hpp"
#include "runtime/threads.hpp"
#include "runtime/widen.hpp"

namespace loam {

namespace form {

// Element (k, n) of a matrix lies at (n / width * depth + k) * width + n % width, width = columns of a tile; zeros beyond
// the last column. Elements keep their stored type.
struct Columns {
  template <class T>
  using element = T;
  template <class T>
  static constexpr std::int64_t width = detail::tile_columns<detail::sum_t<T>>;
  template <class T>
  static std::int64_t elements(const Dims& dims) {
    return dims.extent(0) * ((dims.extent(1) + width<T> - 1) / width<T>) * width<T>;
  }
};

}  // namespace form

template <class T>
void run(kernels::Pack<form::Columns>, Cpu& cpu, const View<Packed<T, form::Columns>>& out, const View<T>& w) {
  constexpr std::int64_t width = form::Columns::width<T>;
  const std::int64_t depth = w.extent(0), columns = w.extent(1), row = w.stride(0), column = w.stride(1);
  cpu.parallel((columns + width - 1) / width, detail::grain_of(depth * width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      T* const to = reinterpret_cast<T*>(out.data) + s * depth * width;
      const T* const from = w.data + s * width * column;
      const std::int64_t count = std::min(width, columns - s * width);
      // Rows that are contiguous line by line, others in squares: each of their cache lines is used up at once.
      const std::int64_t square = column == 1 ? 1 : 16;
      for (std::int64_t k0 = 0; k0 < depth; k0 += square)
        for (std::int64_t j = 0; j < width; ++j)
          for (std::int64_t k = k0; k < std::min(depth, k0 + square); ++k)
            to[k * width + j] = j < count ? from[k * row + j * column] : T{};
    }
  });
}

namespace detail {

template <class T>
inline constexpr bool is_packed = false;
template <class T>
inline constexpr bool is_packed<Packed<T, form::Columns>> = true;

// Strips where a product reads them.
template <class T>
struct Strips {
  using element = T;
  const T* data;
  std::int64_t depth;
  // Row k of the strip that column n, a multiple of the width, begins.
  const T* at(std::int64_t n, std::int64_t k) const { return data + n * depth + k * form::Columns::width<T>; }
};

// How many sums one row keeps of each column, each of every so-many-th k: alone it would wait for each to be added to. Two
// are enough for WebAssembly's short vectors; of four V8 spills operands, which clang loads together (Node 20, relaxed SIMD:
// 32 GB/s from the cache, 48 with two).
#if defined(__wasm__)
inline constexpr int thin_ways = 2;
#else
inline constexpr int thin_ways = 4;
#endif

// sums[r][j] = sum over k of a[r][k] * b[k][j] for a strip; where `scaled`, a is one row that scale_row multiplied.
template <int Count, class S, class T>
void thin_strip(const S* a, std::int64_t depth, const T* b, S* sums, [[maybe_unused]] bool scaled = false) {
  if constexpr (Count == 1 && scales_halves<S, T>)
    if (scaled && multiply_halves(a, depth, b, sums)) return;
  using V = typename Vector<S>::type;
  constexpr std::int64_t lanes = Vector<S>::lanes, width = tile_columns<S>, stretch = 32;
  constexpr int ways = std::max(1, thin_ways / Count);
  V left[ways][Count] = {}, right[ways][Count] = {};
  alignas(64) S room[stretch * width];
  for (std::int64_t k0 = 0; k0 < depth; k0 += stretch) {
    const std::int64_t count = std::min(stretch, depth - k0);
    const S* from = as_sums(b + k0 * width, count * width, room);
    if constexpr (Count == 1 && scales_halves<S, T>)
      for (std::int64_t i = 0; scaled && i < count * width; ++i) room[i] *= 1 / half_scale;
    const S* x = a + k0;
    const auto step = [&](auto way) {
      const V b0 = *reinterpret_cast<const V*>(from), b1 = *reinterpret_cast<const V*>(from + lanes);
      [&]<std::size_t... R>(std::index_sequence<R...>) {
        ((left[way][R] = multiply_add(x[static_cast<std::int64_t>(R) * depth], b0, left[way][R]),
          right[way][R] = multiply_add(x[static_cast<std::int64_t>(R) * depth], b1, right[way][R])), ...);
      }(std::make_index_sequence<Count>{});
      from += width;
      ++x;
    };
    std::int64_t k = 0;
    for (; k + ways <= count; k += ways)
      [&]<std::size_t... W>(std::index_sequence<W...>) { (step(std::integral_constant<std::size_t, W>{}), ...); }(std::make_index_sequence<ways>{});
    for (; k < count; ++k) step(std::integral_constant<std::size_t, 0>{});
  }
  for (int r = 0; r < Count; ++r) {
    for (int way = 1; way < ways; ++way) {
      left[0][r] += left[way][r];
      right[0][r] += right[way][r];
    }
    *reinterpret_cast<V*>(sums + r * width) = left[0][r];
    *reinterpret_cast<V*>(sums + r * width + lanes) = right[0][r];
  }
}

// out[batch, r, n] for at most thin_rows rows; `batches` walks a.
template <class T, class TA, class TB, class Then>
void thin(Cpu& cpu, const Problem& p, T* out, const Walk<2>& batches, const Matrix<TA>& a, const Strips<TB>& b, const Then& then) {
  using S = sum_t<T>;
  constexpr std::int64_t width = tile_columns<S>;
  S* const x = widened_rows<S>(cpu, p, batches, a);
  bool scaled = false;
  if constexpr (scales_halves<S, TB>) scaled = p.rows == 1 && scale_row(x, p.batch * p.depth);
  const std::int64_t strips = (p.columns + width - 1) / width;
  cpu.parallel(p.batch * strips, grain_of(width * p.depth), [&](std::int64_t begin, std::int64_t end) {
    alignas(64) S sums[thin_rows * width];
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t batch = i / strips, n = i % strips * width, columns = std::min(width, p.columns - n);
      const S* const rows = x + batch * p.rows * p.depth;
      with_rows<thin_rows>(p.rows, [&](auto count) { thin_strip<count>(rows, p.depth, b.at(n, 0), sums, scaled); });
      for (std::int64_t r = 0; r < p.rows; ++r) {
        T* const to = out + (batch * p.rows + r) * p.columns + n;
        for (std::int64_t j = 0; j < columns; ++j) to[j] = store<T>(sums[r * width + j]);
        then(to - out, columns);
      }
    }
  });
}

}  // namespace detail

}  // namespace loam
