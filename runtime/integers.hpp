// Integer arithmetic without undefined behaviour: it wraps, and dividing by 0 gives 0.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/convert.hpp"

namespace loam {

namespace integers {

// Unsigned and no narrower than int, since narrower operands would be promoted to int, whose products overflow.
template <std::integral T>
using Wide = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;

template <std::integral T>
constexpr T add(T a, T b) { return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b)); }
template <std::integral T>
constexpr T sub(T a, T b) { return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b)); }
template <std::integral T>
constexpr T mul(T a, T b) { return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)); }
template <std::integral T>
constexpr T neg(T a) { return sub(T{0}, a); }

// Whether b is -1, by which the least integer must not be divided.
template <std::integral T>
constexpr bool minus_one(T b) { return std::is_signed_v<T> && b == static_cast<T>(-1); }

// Truncates.
template <std::integral T>
constexpr T div(T a, T b) {
  if (b == 0) return 0;
  return minus_one(b) ? neg(a) : static_cast<T>(a / b);
}
// The dividend's sign.
template <std::integral T>
constexpr T fmod(T a, T b) { return b == 0 || minus_one(b) ? T{0} : static_cast<T>(a % b); }
// The divisor's sign.
template <std::integral T>
constexpr T mod(T a, T b) {
  const T r = fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? add(r, b) : r;
}

template <std::integral T>
constexpr T shift_left(T a, T b) {
  constexpr auto width = static_cast<Wide<T>>(8 * sizeof(T));
  const auto n = static_cast<Wide<T>>(b);  // a negative count is a large one
  return n < width ? static_cast<T>(static_cast<Wide<T>>(a) << n) : T{0};
}
template <std::integral T>
constexpr T shift_right(T a, T b) {
  constexpr auto width = static_cast<Wide<T>>(8 * sizeof(T));
  const auto n = static_cast<Wide<T>>(b);
  return n < width ? static_cast<T>(a >> n) : T{0};
}

// Modulo 2^width; a negative exponent gives the power truncated toward 0, and 0 to it the greatest integer.
template <std::integral T, std::integral E>
constexpr T pow(T base, E exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (minus_one(base)) return exponent % 2 == 0 ? T{1} : base;
    return base == 0 ? std::numeric_limits<T>::max() : T{0};
  }
  Wide<T> result = 1, square = static_cast<Wide<T>>(base);
  for (auto rest = static_cast<std::make_unsigned_t<E>>(exponent); rest != 0;) {
    if (rest & 1u) result *= square;
    square *= square;
    rest = static_cast<decltype(rest)>(rest >> 1);
  }
  return static_cast<T>(result);
}

}  // namespace integers

}  // namespace loam
