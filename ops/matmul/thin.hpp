// Products with few rows (GEMV, and the decoding step of a few sequences): b is read once, where it lies.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "ops/matmul/gemm.hpp"
#include "runtime/threads.hpp"
#include "runtime/walk.hpp"
#include "runtime/widen.hpp"

namespace loam {

namespace detail {

// A matrix whose element (i, j) lies at data[i * row + j * column].
template <class T>
struct Matrix {
  const T* data;
  std::int64_t row, column;
};

inline constexpr std::int64_t thin_rows = 4;
inline constexpr std::int64_t thin_columns = 512;  // 8 KiB of sums for 4 rows of floats: in the first-level cache

// `count` elements of b as sums: where they lie, or widened into `room`.
template <class S, class T>
const S* as_sums(const T* from, std::int64_t count, S* room) {
  if constexpr (lies_as<S, T>()) {
    return reinterpret_cast<const S*>(from);
  } else {
    widen(from, count, room);
    return room;
  }
}

// sums[r][j] = sum over k of a[r][k] * b[k][j], b's rows contiguous. Eight rows of b at a time, so that a sum is loaded
// and stored once for eight products.
template <int Rows, class S, class T>
void thin_rowwise(const S* a, std::int64_t depth, const T* b, std::int64_t row, std::int64_t columns, S* sums) {
  using V = typename Vector<S>::type;
  using U = typename Vector<S>::unaligned;
  constexpr std::int64_t lanes = Vector<S>::lanes;
  constexpr std::int64_t stretch = std::is_same_v<T, S> ? thin_columns : 64;
  for (int r = 0; r < Rows; ++r) std::fill_n(sums + r * thin_columns, columns, S{0});
  const auto pass = [&]<std::size_t... K>(std::index_sequence<K...>, std::int64_t k) {
    alignas(64) S room[sizeof...(K)][stretch];
    for (std::int64_t j0 = 0; j0 < columns; j0 += stretch) {
      const std::int64_t count = std::min(stretch, columns - j0);
      const S* const from[] = {as_sums(b + (k + static_cast<std::int64_t>(K)) * row + j0, count, room[K])...};
      for (int r = 0; r < Rows; ++r) {
        const S x[] = {a[r * depth + k + static_cast<std::int64_t>(K)]...};
        S* const to = sums + r * thin_columns + j0;
        std::int64_t j = 0;
        for (; j + lanes <= count; j += lanes) {
          const V products = (... + (x[K] * *reinterpret_cast<const U*>(from[K] + j)));
          *reinterpret_cast<U*>(to + j) += products;
        }
#if defined(__wasm__)  // fewer than a vector's: made vectors again they would be half of this function's bytes
#  pragma clang loop vectorize(disable) interleave(disable) unroll(disable)
#endif
        for (; j < count; ++j) to[j] += (... + (x[K] * from[K][j]));
      }
    }
  };
  std::int64_t k = 0;
  for (; k + 8 <= depth; k += 8) pass(std::make_index_sequence<8>{}, k);
  for (; k < depth; ++k) pass(std::make_index_sequence<1>{}, k);
}

// The sum of x[i] * y[i], in four vectors of sums that are then added in a fixed order.
template <class S>
S dot(const S* x, const S* y, std::int64_t n) {
  using V = typename Vector<S>::type;
  using U = typename Vector<S>::unaligned;
  constexpr std::int64_t lanes = Vector<S>::lanes;
  V s0{}, s1{}, s2{}, s3{};
  const auto at = [](const S* p) -> V { return *reinterpret_cast<const U*>(p); };
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 += at(x + i) * at(y + i);
    s1 += at(x + i + lanes) * at(y + i + lanes);
    s2 += at(x + i + 2 * lanes) * at(y + i + 2 * lanes);
    s3 += at(x + i + 3 * lanes) * at(y + i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) s0 += at(x + i) * at(y + i);
  s0 = (s0 + s1) + (s2 + s3);
  S total = 0;
  for (; i < n; ++i) total += x[i] * y[i];
  for (std::int64_t l = 0; l < lanes; ++l) total += s0[l];
  return total;
}

// The same sums, b's columns contiguous; other element types are widened a stretch at a time.
template <class S, class T>
void thin_columnwise(std::int64_t rows, const S* a, std::int64_t depth, const T* b, std::int64_t column,
                     std::int64_t columns, S* sums) {
  constexpr std::int64_t stretch = 512;
  for (std::int64_t j = 0; j < columns; ++j, b += column) {
    for (std::int64_t r = 0; r < rows; ++r) sums[r * thin_columns + j] = 0;
    for (std::int64_t k = 0; k < depth; k += stretch) {
      const std::int64_t n = std::min(stretch, depth - k);
      alignas(64) S widened[stretch];
      const S* const from = as_sums(b + k, n, widened);
      for (std::int64_t r = 0; r < rows; ++r) sums[r * thin_columns + j] += dot(a + r * depth + k, from, n);
    }
  }
}

// The rows of every batch as sums, dense, in the backend's scratch.
template <class S, class TA>
S* widened_rows(Cpu& cpu, const Problem& p, const Walk<2>& batches, const Matrix<TA>& a) {
  S* const widened = reinterpret_cast<S*>(cpu.scratch(p.batch * p.rows * p.depth * static_cast<std::int64_t>(sizeof(S))));
  S* to = widened;
  batches.each([&](const auto& offsets) {
    for (std::int64_t r = 0; r < p.rows; ++r)
      for (std::int64_t k = 0; k < p.depth; ++k)
        *to++ = static_cast<S>(load(a.data[offsets[0] + r * a.row + k * a.column]));
  });
  return widened;
}

// out[batch, r, n] for at most thin_rows rows; b's rows or its columns must be contiguous. `batches` walks a and b.
template <class T, class TA, class TB, class Then>
void thin(Cpu& cpu, const Problem& p, T* out, const Walk<2>& batches, const Matrix<TA>& a, const Matrix<TB>& b,
          const Then& then) {
  using S = sum_t<T>;
  const std::int64_t slice = p.rows * p.depth;
  const S* const widened = widened_rows<S>(cpu, p, batches, a);
  // Blocks for eight threads, each of whole cache lines of b; wide ones where there are columns enough.
  const std::int64_t width = std::min(thin_columns, (p.columns / 8 / 64 + 1) * 64);
  const std::int64_t blocks = (p.columns + width - 1) / width;
  cpu.parallel(p.batch * blocks, grain_of(width * p.depth), [&](std::int64_t begin, std::int64_t end) {
    S sums[thin_rows * thin_columns];
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t batch = i / blocks, n = i % blocks * width;
      const std::int64_t columns = std::min(width, p.columns - n);
      const S* const x = widened + batch * slice;
      const TB* const from = b.data + batches.offsets(batch)[1] + n * b.column;
      if (b.column == 1 && (p.columns > 1 || b.row != 1)) {
        switch (p.rows) {
          case 1: thin_rowwise<1>(x, p.depth, from, b.row, columns, sums); break;
          case 2: thin_rowwise<2>(x, p.depth, from, b.row, columns, sums); break;
          case 3: thin_rowwise<3>(x, p.depth, from, b.row, columns, sums); break;
          default: thin_rowwise<4>(x, p.depth, from, b.row, columns, sums); break;
        }
      } else {
        thin_columnwise(p.rows, x, p.depth, from, b.column, columns, sums);
      }
      for (std::int64_t r = 0; r < p.rows; ++r) {
        const std::int64_t first = (batch * p.rows + r) * p.columns + n;
        for (std::int64_t j = 0; j < columns; ++j) out[first + j] = store<T>(sums[r * thin_columns + j]);
        then(first, columns);
      }
    }
  });
}

}  // namespace detail

}  // namespace loam
