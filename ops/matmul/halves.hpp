// One row of floats by a strip of float16, for WebAssembly, which does not convert them.
//
// The row is multiplied by 2^112 once, and each half read by 2^-112, as the float whose bits are the half's moved: both are
// exact, so every product is what it was. A step of gpt2-124m by widened halves took four times as long (Node 20).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "ops/matmul/tile.hpp"
#include "runtime/half.hpp"

namespace loam {

namespace detail {

#if defined(__wasm_simd128__)
template <class S, class T>
inline constexpr bool scales_halves = std::is_same_v<S, float> && std::is_same_v<T, float16>;
#else
template <class S, class T>
inline constexpr bool scales_halves = false;
#endif

inline constexpr float half_scale = std::bit_cast<float>(0x77800000u);  // 2^112

// Whether the row is multiplied now: of an element of 2^15 or more it would be infinite.
inline bool scale_row(float* x, std::int64_t count) {
  if (!std::all_of(x, x + count, [](float element) { return std::abs(element) < 32768; })) return false;
  for (std::int64_t i = 0; i < count; ++i) x[i] *= half_scale;
  return true;
}

// sums[j] = sum over k of x[k] / 2^112 * b[k][j] for a strip, where no half is an infinity or a NaN; else false. A vector of
// eight is four pairs of columns, whose sums are kept apart.
inline bool multiply_halves([[maybe_unused]] const float* x, [[maybe_unused]] std::int64_t depth,
                            [[maybe_unused]] const float16* b, [[maybe_unused]] float* sums) {
#if defined(__wasm_simd128__)
  typedef std::uint16_t Halves __attribute__((vector_size(16)));
  typedef std::int32_t Pairs __attribute__((vector_size(16)));
  typedef Pairs Unaligned __attribute__((aligned(2), may_alias));
  using V = Vector<float>::type;
  static_assert(tile_columns<float> == 8);
  constexpr std::int32_t places = static_cast<std::int32_t>(0x8fffe000u);
  Halves most = {};
  V even[2] = {}, odd[2] = {};
  const auto step = [&](std::int64_t k, int way) {
    const Pairs pairs = *reinterpret_cast<const Unaligned*>(b + 8 * k);
    const Halves magnitude = Halves(pairs) & 0x7fff;
    most = most > magnitude ? most : magnitude;
    even[way] = multiply_add(x[k], V(((pairs << 16) >> 3) & places), even[way]);
    odd[way] = multiply_add(x[k], V((pairs >> 3) & places), odd[way]);
  };
  std::int64_t k = 0;
  for (; k + 2 <= depth; k += 2) step(k, 0), step(k + 1, 1);
  if (k < depth) step(k, 0);
  const auto special = std::bit_cast<std::array<std::uint64_t, 2>>(most >= 0x7c00);
  if ((special[0] | special[1]) != 0) return false;
  const V e = even[0] + even[1], o = odd[0] + odd[1];
  *reinterpret_cast<V*>(sums) = __builtin_shufflevector(e, o, 0, 4, 1, 5);
  *reinterpret_cast<V*>(sums + 4) = __builtin_shufflevector(e, o, 2, 6, 3, 7);
  return true;
#else
  return false;
#endif
}

}  // namespace detail

}  // namespace loam
