// The innermost part of matrix multiplication: a tile of the product kept in vector registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "runtime/half.hpp"
#include "runtime/integers.hpp"

namespace loam {

namespace detail {

// The type sums of products are kept in. Integers wrap, so they are summed unsigned.
template <class T, bool Integer = std::is_integral_v<T>>
struct Sum { using type = compute_t<T>; };
template <class T>
struct Sum<T, true> { using type = integers::Wide<T>; };
template <class T>
using sum_t = typename Sum<T>::type;

// Whether elements of T are such sums as they lie in memory.
template <class T>
constexpr bool stored_as_sum() {
  if constexpr (std::is_integral_v<T>) return sizeof(T) == sizeof(sum_t<T>);
  else return std::is_same_v<T, sum_t<T>>;
}

// Whether they are the sums S themselves, so that what reads S reads them where they lie.
template <class S, class T>
constexpr bool lies_as() { return stored_as_sum<T>() && std::is_same_v<S, sum_t<T>>; }

// Bytes of the target's vector registers; 16 for SSE2, NEON and WebAssembly.
#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

// A vector of sums, as both compilers know them.
template <class T>
struct Vector {
  static constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
  typedef T type __attribute__((vector_size(vector_bytes)));
  typedef T unaligned __attribute__((vector_size(vector_bytes), aligned(alignof(T)), may_alias));
};
// sum + x * y. Written out for WebAssembly's relaxed multiply-add, which clang 19 makes of no such expression.
template <class T>
typename Vector<T>::type multiply_add(T x, const typename Vector<T>::type& y, const typename Vector<T>::type& sum) {
#if defined(__wasm_relaxed_simd__)
  if constexpr (std::is_same_v<T, float>) return __builtin_wasm_relaxed_madd_f32x4(typename Vector<T>::type{x, x, x, x}, y, sum);
#endif
  return sum + x * y;
}

// A product's tile is 6 rows of 2 vectors, whose 12 sums, 2 vectors of b and one broadcast element of a fit the 16 registers
// of SSE and AVX; AVX-512 has 32. WebAssembly names no registers, and V8 keeps one of x86's to itself: it spills a tile of 6
// rows, which is half as fast, and without fused multiply-adds wants another for a product. By 5 rows gpt2-124m's prefill of
// 128 takes 0.97 of the time by 4, 0.95 without relaxed SIMD, and resnet50 0.99 (processor time, Node 20).
#if defined(__AVX512F__)
inline constexpr int tile_rows = 8;
#elif defined(__wasm__)
inline constexpr int tile_rows = 5;
#else
inline constexpr int tile_rows = 6;
#endif
template <class T>
inline constexpr int tile_columns = 2 * Vector<T>::lanes;

// Calls f with 1 to tile_rows as a constant.
template <int Most = tile_rows, class F>
void with_rows(std::int64_t rows, F&& f) {
  if constexpr (Most > 1)
    if (rows < Most) return with_rows<Most - 1>(rows, f);
  f(std::integral_constant<int, Most>{});
}

// The left side of a tile: its element (i, k) is data[i * row + k * step]. Packed it is {data, 1, tile_rows}; floats whose
// rows are contiguous are read where they lie, {data, row, 1}, since each element is wanted alone, repeated over a vector.
template <class T>
struct Rows {
  const T* data;
  std::int64_t row, step;
};

// c[i, j] (+)= sum over k of a[i, k] * b[k][j] for `Count` rows and tile_columns<T> columns, or the first half of them; b's
// panel is packed. Each sum runs through k in order. WebAssembly's is called: within another function V8 spilled what it
// keeps here, and whisper-tiny-encoder took 1.07 times as long.
template <class T, int Count, bool Half = false>
#if defined(__wasm__)
[[gnu::noinline]]
#endif
void multiply_tile(std::int64_t depth, const Rows<T>& rows, const T* b, T* c, std::int64_t row_step, bool accumulate) {
  using V = typename Vector<T>::type;
  using U = typename Vector<T>::unaligned;
  constexpr int lanes = Vector<T>::lanes;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    V left[Count] = {}, right[Count] = {};
    const T* a[Count] = {rows.data + static_cast<std::int64_t>(I) * rows.row...};
    const std::int64_t step = rows.step;
    for (std::int64_t k = 0; k < depth; ++k) {
      const V b0 = *reinterpret_cast<const V*>(b);
      if constexpr (Half) {
        ((left[I] = multiply_add(*a[I], b0, left[I]), a[I] += step), ...);
      } else {
        const V b1 = *reinterpret_cast<const V*>(b + lanes);
        ((left[I] = multiply_add(*a[I], b0, left[I]), right[I] = multiply_add(*a[I], b1, right[I]), a[I] += step), ...);
      }
      b += tile_columns<T>;
    }
    const auto put = [&](T* to, const V& l, const V& r) {
      auto& to_left = *reinterpret_cast<U*>(to);
      [[maybe_unused]] auto& to_right = *reinterpret_cast<U*>(to + lanes);
      to_left = accumulate ? to_left + l : l;
      if constexpr (!Half) to_right = accumulate ? to_right + r : r;
    };
    (put(c + static_cast<std::int64_t>(I) * row_step, left[I], right[I]), ...);
  }(std::make_index_sequence<static_cast<std::size_t>(Count)>{});
}

// The same for 1 to tile_rows rows and fewer columns: of 14 x 14 places 4 are left after 6 strips of 32. Of vectors that are
// short themselves a half is not worth the code.
template <class T>
void multiply_edge(std::int64_t rows, std::int64_t columns, std::int64_t depth, const Rows<T>& a, const T* b, T* c,
                   std::int64_t row_step, bool accumulate) {
  constexpr bool halves = Vector<T>::lanes >= 8;
  alignas(64) T edge[tile_rows * tile_columns<T>];
  with_rows(rows, [&](auto count) {
    if (halves && columns <= Vector<T>::lanes) multiply_tile<T, count, halves>(depth, a, b, edge, tile_columns<T>, false);
    else multiply_tile<T, count>(depth, a, b, edge, tile_columns<T>, false);
  });
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      T& element = c[i * row_step + j];
      const T product = edge[i * tile_columns<T> + j];
      element = accumulate ? element + product : product;
    }
}

// The same for 1 to tile_rows rows and 1 to tile_columns<T> columns.
template <class T>
void multiply_tile(std::int64_t rows, std::int64_t columns, std::int64_t depth, const Rows<T>& a, const T* b, T* c,
                   std::int64_t row_step, bool accumulate) {
  if (columns < tile_columns<T>) return multiply_edge(rows, columns, depth, a, b, c, row_step, accumulate);
  with_rows(rows, [&](auto count) { multiply_tile<T, count>(depth, a, b, c, row_step, accumulate); });
}

}  // namespace detail

}  // namespace loam
