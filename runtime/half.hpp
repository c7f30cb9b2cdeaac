// The 16-bit floats: stored and moved as bits, computed in float, rounded once to nearest even.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace loam {

namespace detail {

// Without a branch, which would keep a loop over float16 from becoming vectors: the exponent's bias is mended by one
// exact multiplication, subnormals included, and the exponent of infinities and NaNs is set.
constexpr float widen_half(std::uint16_t h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
  const std::uint32_t magnitude = h & 0x7fffu;
  const float scaled = std::bit_cast<float>(magnitude << 13) * std::bit_cast<float>(0x77800000u);  // * 2^112
  const std::uint32_t special = (0u - static_cast<std::uint32_t>(magnitude >= 0x7c00u)) & 0x7f800000u;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign | special);
}

constexpr std::uint16_t narrow_half(float f) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65520 and above round to infinity
  if (magnitude < 0x38800000u) {  // below 2^-14: a subnormal, rounded by adding the constant that aligns it
    const float aligned = std::bit_cast<float>(magnitude) + std::bit_cast<float>(0x3f000000u);  // + 0.5
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(aligned) - 0x3f000000u));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

constexpr std::uint16_t narrow_bfloat(float f) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace detail

struct float16 {
  using computed = float;
  static constexpr int onnx_type = 10;
  std::uint16_t bits;
  float16() = default;
  constexpr float16(float f) : bits(detail::narrow_half(f)) {}
  constexpr operator float() const { return detail::widen_half(bits); }
};

struct bfloat16 {
  using computed = float;
  static constexpr int onnx_type = 16;
  std::uint16_t bits;
  bfloat16() = default;
  constexpr bfloat16(float f) : bits(detail::narrow_bfloat(f)) {}
  constexpr operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

// The type a kernel computes in for elements stored as T.
template <class T>
struct Compute { using type = T; };
template <class T>
  requires requires { typename T::computed; }
struct Compute<T> { using type = typename T::computed; };
template <class T>
using compute_t = typename Compute<std::remove_const_t<T>>::type;

// An element read as the type it is computed in, and a result rounded to the type it is stored in.
template <class T>
constexpr compute_t<T> load(const T& element) { return static_cast<compute_t<T>>(element); }
template <class T, class V>
constexpr T store(V value) { return static_cast<T>(value); }

}  // namespace loam
