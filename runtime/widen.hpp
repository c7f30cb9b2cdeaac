// Stretches of contiguous elements as another type, in loops the compiler makes vectors of.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "runtime/half.hpp"

namespace loam {

namespace detail {

// load() without a branch, which would keep a loop over float16 from becoming vectors.
template <class T>
constexpr compute_t<T> load_flat(const T& element) {
  if constexpr (std::is_same_v<T, float16>) {
    const std::uint32_t sign = static_cast<std::uint32_t>(element.bits & 0x8000u) << 16;
    const std::uint32_t magnitude = element.bits & 0x7fffu;
    const float scaled = std::bit_cast<float>(magnitude << 13) * std::bit_cast<float>(0x77800000u);  // * 2^112
    const std::uint32_t special = (0u - static_cast<std::uint32_t>(magnitude >= 0x7c00u)) & 0x7f800000u;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign | special);
  } else {
    return load(element);
  }
}

}  // namespace detail

// to[i] = from[i], N of them.
template <int N, class T, class S>
void widen(const T* __restrict from, S* __restrict to) {
  for (int i = 0; i < N; ++i) to[i] = static_cast<S>(detail::load_flat(from[i]));
}
template <class T, class S>
void widen(const T* from, std::int64_t count, S* to) {
  std::int64_t i = 0;
  for (; i + 32 <= count; i += 32) widen<32>(from + i, to + i);
  for (; i < count; ++i) to[i] = static_cast<S>(detail::load_flat(from[i]));
}

}  // namespace loam
