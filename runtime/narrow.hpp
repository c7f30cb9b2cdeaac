// Elements of 8 bits and fewer: the float8 and float4 formats, computed in float, and the integers of 4 and 2 bits,
// computed in those of 8. Each takes a byte of a tensor; a file packs those with `packed_bits`, low bits first.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>

#include "runtime/convert.hpp"

namespace loam {

namespace detail {

// What a format has beside finite numbers, and where.
enum class Specials : std::uint8_t {
  ieee,           // of the greatest exponent: infinity, then NaNs
  last_is_nan,    // "fn": the last code is NaN
  nan_for_minus,  // "fnuz": NaN is what would be -0, which there is none of
  none,
};

// A sign, an exponent and a mantissa, from the highest bit down. The code is what is below the sign.
struct Format {
  int exponent_bits, mantissa_bits, bias;
  Specials specials;

  constexpr int width() const { return exponent_bits + mantissa_bits; }
  constexpr std::uint32_t last() const { return (1u << width()) - 1u; }
  constexpr std::uint32_t greatest() const {  // the code of the greatest finite magnitude
    if (specials == Specials::ieee) return last() - (1u << mantissa_bits);
    return specials == Specials::last_is_nan ? last() - 1u : last();
  }
};

template <Format F>
constexpr float widen_small(std::uint8_t bits) {
  const std::uint32_t code = bits & F.last(), sign = static_cast<std::uint32_t>(bits >> F.width()) << 31;
  constexpr float scale = std::bit_cast<float>(static_cast<std::uint32_t>(254 - F.bias) << 23);  // 2^(127 - bias)
  float value = std::bit_cast<float>(code << (23 - F.mantissa_bits)) * scale;  // exact, subnormals included
  if constexpr (F.specials == Specials::ieee)
    value = math::select(code > F.greatest(), std::numeric_limits<float>::infinity(), value);
  if constexpr (F.specials != Specials::none) {
    const bool nan = F.specials == Specials::nan_for_minus ? bits == F.last() + 1u
                                                           : code > F.greatest() + (F.specials == Specials::ieee);
    value = math::select(nan, std::numeric_limits<float>::quiet_NaN(), value);
  }
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

// To nearest even. Where a format has no NaN, NaN becomes -0, as in ml_dtypes.
template <Format F>
constexpr std::uint8_t narrow_small(float f, bool saturates) {
  constexpr std::uint32_t minus = F.last() + 1u;
  constexpr bool signs_all = F.specials == Specials::ieee || F.specials == Specials::last_is_nan;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f), magnitude = bits & 0x7fffffffu;
  const std::uint32_t sign = bits >> 31 << F.width();
  if (magnitude > 0x7f800000u) {
    constexpr std::uint32_t nan = F.specials == Specials::ieee ? F.last() - 1u : F.last();  // of IEEE's, the quiet one
    return static_cast<std::uint8_t>(signs_all ? sign | nan : minus);
  }
  std::uint32_t code = 0;
  if (magnitude < static_cast<std::uint32_t>(128 - F.bias) << 23) {  // subnormal, rounded by adding what aligns it
    constexpr std::uint32_t unit = static_cast<std::uint32_t>(151 - F.bias - F.mantissa_bits) << 23;
    code = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(unit)) - unit;
  } else {
    constexpr int dropped = 23 - F.mantissa_bits;
    const std::uint32_t rounded = magnitude + ((1u << (dropped - 1)) - 1u) + ((magnitude >> dropped) & 1u);
    code = (rounded >> dropped) - (static_cast<std::uint32_t>(127 - F.bias) << F.mantissa_bits);
  }
  if (code > F.greatest()) {
    if (!saturates && F.specials == Specials::nan_for_minus) return static_cast<std::uint8_t>(minus);
    code = saturates || F.specials == Specials::none ? F.greatest() : F.greatest() + 1u;  // infinity, or NaN
  }
  if (F.specials == Specials::nan_for_minus && code == 0) return 0;
  return static_cast<std::uint8_t>(sign | code);
}

// Made of a float it keeps infinities, so that an element read and written is the same; a Cast says how it narrows.
template <Format F>
struct SmallFloat {
  using computed = float;
  std::uint8_t bits;
  SmallFloat() = default;
  constexpr SmallFloat(float f, Narrowing how = {.saturates = false}) : bits(narrow_small<F>(f, how.saturates)) {}
  constexpr operator float() const { return widen_small<F>(bits); }
};

// Two's complement where Byte is signed; of a wider value, the low bits.
template <class T, class Byte, int Bits>
struct SmallInteger {
  using computed = Byte;
  static constexpr int packed_bits = Bits;
  static constexpr Byte least = static_cast<Byte>(std::numeric_limits<Byte>::min() >> (8 - Bits));
  static constexpr Byte greatest = static_cast<Byte>(std::numeric_limits<Byte>::max() >> (8 - Bits));
  Byte value;
  SmallInteger() = default;
  constexpr SmallInteger(Byte v)
      : value(static_cast<Byte>(static_cast<Byte>(static_cast<unsigned>(v) << (8 - Bits)) >> (8 - Bits))) {}
  constexpr operator Byte() const { return value; }
  static constexpr T of_bits(std::uint8_t bits) { return T(static_cast<Byte>(bits)); }
};

// A power of 2 that a float lies at or between two of.
constexpr std::uint8_t narrow_scale(float f, Narrowing how) {
  constexpr std::uint8_t greatest = 254, nan = 255;
  if (f != f) return nan;
  if (!(f >= std::bit_cast<float>(0x00400000u))) return how.saturates ? 0 : nan;  // 2^-127
  if (f > std::bit_cast<float>(0x7f000000u)) return how.saturates ? greatest : nan;  // 2^127
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f), exponent = bits >> 23;
  const std::uint32_t fraction = exponent == 0 ? (bits & 0x003fffffu) << 1 : bits & 0x007fffffu;
  bool up = false;
  if (how.rounding == Narrowing::up) up = fraction != 0;
  if (how.rounding == Narrowing::nearest) up = fraction >= 0x00400000u;
  return static_cast<std::uint8_t>(exponent + (up ? 1u : 0u));
}

}  // namespace detail

struct float8e4m3fn : detail::SmallFloat<detail::Format{4, 3, 7, detail::Specials::last_is_nan}> {
  static constexpr int onnx_type = 17;
  static constexpr std::string_view stored_name = "F8_E4M3";
  using SmallFloat::SmallFloat;
};

struct float8e4m3fnuz : detail::SmallFloat<detail::Format{4, 3, 8, detail::Specials::nan_for_minus}> {
  static constexpr int onnx_type = 18;
  static constexpr std::string_view stored_name = "F8_E4M3FNUZ";
  using SmallFloat::SmallFloat;
};

struct float8e5m2 : detail::SmallFloat<detail::Format{5, 2, 15, detail::Specials::ieee}> {
  static constexpr int onnx_type = 19;
  static constexpr std::string_view stored_name = "F8_E5M2";
  using SmallFloat::SmallFloat;
};

struct float8e5m2fnuz : detail::SmallFloat<detail::Format{5, 2, 16, detail::Specials::nan_for_minus}> {
  static constexpr int onnx_type = 20;
  static constexpr std::string_view stored_name = "F8_E5M2FNUZ";
  using SmallFloat::SmallFloat;
};

struct float4e2m1 : detail::SmallFloat<detail::Format{2, 1, 1, detail::Specials::none}> {
  static constexpr int onnx_type = 23;
  static constexpr int packed_bits = 4;
  static constexpr std::string_view stored_name = "F4";
  using SmallFloat::SmallFloat;
  static constexpr float4e2m1 of_bits(std::uint8_t bits) {
    return std::bit_cast<float4e2m1>(static_cast<std::uint8_t>(bits & 15u));
  }
};

// The powers of 2 from 2^-127 to 2^127, and NaN: no zero and no sign.
struct float8e8m0 {
  using computed = float;
  static constexpr int onnx_type = 24;
  static constexpr std::string_view stored_name = "F8_E8M0";
  std::uint8_t bits;
  float8e8m0() = default;
  constexpr float8e8m0(float f, Narrowing how = {.saturates = false}) : bits(detail::narrow_scale(f, how)) {}
  constexpr operator float() const {
    if (bits == 0) return std::bit_cast<float>(0x00400000u);
    if (bits == 255) return std::numeric_limits<float>::quiet_NaN();
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 23);
  }
};

struct uint4 : detail::SmallInteger<uint4, std::uint8_t, 4> {
  static constexpr int onnx_type = 21;
  using SmallInteger::SmallInteger;
};

struct int4 : detail::SmallInteger<int4, std::int8_t, 4> {
  static constexpr int onnx_type = 22;
  using SmallInteger::SmallInteger;
};

struct uint2 : detail::SmallInteger<uint2, std::uint8_t, 2> {
  static constexpr int onnx_type = 25;
  using SmallInteger::SmallInteger;
};

struct int2 : detail::SmallInteger<int2, std::int8_t, 2> {
  static constexpr int onnx_type = 26;
  using SmallInteger::SmallInteger;
};

}  // namespace loam
