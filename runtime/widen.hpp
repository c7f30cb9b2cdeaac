// Stretches of contiguous elements as another type, in loops the compiler makes vectors of.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime/half.hpp"

namespace loam {

namespace detail {

#if defined(__F16C__)
inline constexpr bool converts_half = true;
// The processor's own conversion of eight. By integers it took 0.44 to 0.62 of a decoder's time over float16 weights.
inline void widen_eight(const float16* from, float* to) {
  typedef short Halves __attribute__((vector_size(16), aligned(2), may_alias));
  typedef float Floats __attribute__((vector_size(32), aligned(4), may_alias));
  *reinterpret_cast<Floats*>(to) = __builtin_ia32_vcvtph2ps256(*reinterpret_cast<const Halves*>(from));
}
#else
inline constexpr bool converts_half = false;
inline void widen_eight(const float16*, float*) {}
#endif

}  // namespace detail

// to[i] = from[i], N of them.
template <int N, class T, class S>
void widen(const T* __restrict from, S* __restrict to) {
  if constexpr (detail::converts_half && N % 8 == 0 && std::is_same_v<T, float16> && std::is_same_v<S, float>) {
    for (int i = 0; i < N; i += 8) detail::widen_eight(from + i, to + i);
  } else {
    for (int i = 0; i < N; ++i) to[i] = static_cast<S>(load(from[i]));
  }
}
template <class T, class S>
void widen(const T* from, std::int64_t count, S* to) {
  std::int64_t i = 0;
  for (; i + 32 <= count; i += 32) widen<32>(from + i, to + i);
  for (; i + 8 <= count; i += 8) widen<8>(from + i, to + i);
  if (i == count) return;
  // What is left once more with what came before it: rows of 7 or 14 are what a small image has.
  if (count >= 8) return widen<8>(from + count - 8, to + count - 8);
  if (count >= 4) {
    widen<4>(from, to);
    return widen<4>(from + count - 4, to + count - 4);
  }
  for (; i < count; ++i) to[i] = static_cast<S>(load(from[i]));
}

// The same of every `step`-th element. Every second one is a shuffle of two vectors: one at a time it took half of a
// depthwise convolution's time.
template <class T, class S>
void widen_strided(const T* from, std::int64_t step, std::int64_t count, S* to) {
  if (step == 1) return widen(from, count, to);
  std::int64_t i = 0;
  if constexpr (std::is_same_v<T, float> && std::is_same_v<S, float>) {
    typedef float Lanes __attribute__((vector_size(32), aligned(4), may_alias));
    if (step == 2)  // the last element read is one that the count takes, or its neighbour before another that it takes
      for (; i + 8 < count; i += 8) {
        const Lanes low = *reinterpret_cast<const Lanes*>(from + 2 * i), high = *reinterpret_cast<const Lanes*>(from + 2 * i + 8);
        *reinterpret_cast<Lanes*>(to + i) = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
      }
  }
  for (; i < count; ++i) to[i] = static_cast<S>(load(from[i * step]));
}

}  // namespace loam
