// Conversions between element types, defined for every value.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "runtime/half.hpp"
#include "runtime/math.hpp"

namespace loam {

// How a conversion to a float of 8 bits treats what the type does not hold: ONNX Cast's saturate and round_mode.
struct Narrowing {
  enum Rounding : std::uint8_t { up, down, nearest };
  bool saturates = true;   // to the greatest finite number; else to infinity, or NaN where the type has none
  Rounding rounding = up;  // to float8e8m0; any other rounds to nearest even
  friend constexpr bool operator==(const Narrowing&, const Narrowing&) = default;
};

// The integers of less than a byte (runtime/narrow.hpp).
template <class T>
concept SubByteInteger = !std::is_arithmetic_v<T> && std::is_integral_v<compute_t<T>>;

namespace detail {

// Toward zero; what To cannot hold becomes its nearest end, and NaN 0.
template <std::integral To, std::floating_point From>
constexpr To truncate(From x) {
  constexpr To least = std::numeric_limits<To>::min(), greatest = std::numeric_limits<To>::max();
  constexpr From low = static_cast<From>(least);                                 // a power of two, or 0: exact
  constexpr From end = static_cast<From>(greatest / 2 + 1) * From{2};            // one past the greatest: exact
  const To inside = static_cast<To>(math::select((x >= low) & (x < end), x, From{0}));
  const To clamped = x < low ? least : inside;
  return x >= end ? greatest : clamped;
}

template <std::integral To, std::integral From>
constexpr To clamp(From x) {
  constexpr To least = std::numeric_limits<To>::min(), greatest = std::numeric_limits<To>::max();
  constexpr From from_least = std::numeric_limits<From>::min(), from_greatest = std::numeric_limits<From>::max();
  // Each end of To is compared where From reaches past it, and there From can hold it.
  From y = x;
  if constexpr (std::cmp_less(from_least, least)) y = y < static_cast<From>(least) ? static_cast<From>(least) : y;
  if constexpr (std::cmp_greater(from_greatest, greatest))
    y = y > static_cast<From>(greatest) ? static_cast<From>(greatest) : y;
  return static_cast<To>(y);
}

// The nearest integer's low bits, half to even; of infinities and NaN, and where the bits are 0 for certain, 0.
template <std::floating_point From>
constexpr std::int64_t low_bits(From x) {
  return static_cast<std::int64_t>(math::round(math::select(math::magnitude(x) < From{0x1p62}, x, From{0})));
}

}  // namespace detail

// ONNX Cast: float to integer truncates, and saturates where onnxruntime's answer depends on the machine; integers
// wrap; float to bool is x != 0, so NaN is true; anything to float rounds to nearest even (double to a shorter one by
// way of float, as onnxruntime does); float to an integer of less than a byte rounds to nearest even and wraps.
template <class To, Narrowing How = Narrowing{}, class From>
constexpr To convert(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (!std::is_arithmetic_v<From>) {
    return convert<To, How>(load(x));
  } else if constexpr (SubByteInteger<To> && std::is_floating_point_v<From>) {
    return To(static_cast<compute_t<To>>(detail::low_bits(x)));
  } else if constexpr (SubByteInteger<To>) {
    return To(static_cast<compute_t<To>>(x));
  } else if constexpr (std::is_constructible_v<To, float, Narrowing>) {
    return To(static_cast<float>(x), How);
  } else if constexpr (!std::is_arithmetic_v<To>) {
    return To(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return detail::truncate<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

// ONNX QuantizeLinear's last step: to the nearest integer, half to even, and to the nearest end of To where that lies
// outside. NaN gives 0.
template <class To, class From>
constexpr To saturate(From x) {
  if constexpr (SubByteInteger<To>) {
    const auto y = saturate<compute_t<To>>(x);
    return To(y < To::least ? To::least : y > To::greatest ? To::greatest : y);
  } else if constexpr (!std::is_integral_v<To> || std::is_same_v<To, bool> || std::is_same_v<From, bool>) {
    return convert<To>(x);
  } else if constexpr (std::is_floating_point_v<From>) {
    return detail::truncate<To>(math::round(x));
  } else if constexpr (std::is_integral_v<From>) {
    return detail::clamp<To>(x);
  } else {
    return saturate<To>(load(x));
  }
}

}  // namespace loam
