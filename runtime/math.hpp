// exp, log, tanh, erf, the logistic function and silu of a float without a branch or a call, so that a loop over them becomes
// vector code; of a double, the standard library's. NaN and infinities give what the mathematics gives.
//
// Polynomials are minimax fits (Lawson's iteration over Chebyshev nodes). The greatest error over all floats, in units
// in the last place of the result, with and without fused multiply-add: exp 1.0, log 0.9, tanh 1.4, erf 1.3,
// sigmoid 2.4 and silu 2.4 where sigmoid is not below 2^-126; tests/runtime/math_test.cpp holds them.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace loam {

namespace math {

namespace detail {
template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T>
inline constexpr bits_of<T> sign_bit = bits_of<T>{1} << (8 * sizeof(T) - 1);
}  // namespace detail

// condition ? a : b as bit operations: a compiler that must assume a float operation can trap would keep a branch.
template <std::floating_point T>
constexpr T select(bool condition, T a, T b) {
  using Bits = detail::bits_of<T>;
  const Bits mask = Bits{0} - static_cast<Bits>(condition);
  return std::bit_cast<T>((std::bit_cast<Bits>(a) & mask) | (std::bit_cast<Bits>(b) & ~mask));
}
template <std::floating_point T>
constexpr T magnitude(T x) {
  return std::bit_cast<T>(std::bit_cast<detail::bits_of<T>>(x) & ~detail::sign_bit<T>);
}
// The magnitude of the first under the sign of the second.
template <std::floating_point T>
constexpr T with_sign(T x, T sign) {
  using Bits = detail::bits_of<T>;
  return std::bit_cast<T>((std::bit_cast<Bits>(x) & ~detail::sign_bit<T>) |
                          (std::bit_cast<Bits>(sign) & detail::sign_bit<T>));
}

// 1.5 * 2^23: a float added to it is rounded to an integer, half to even, which its low bits then hold.
inline constexpr float rounder = 12582912.0f;

constexpr float exp(float x) {
  // Beyond these bounds the result is infinite or 0 (below 2^-150). A NaN passes.
  float t = select(x < -105.0f, -105.0f, x);
  t = select(t > 89.0f, 89.0f, t);
  const float shifted = t * 1.44269504f + rounder;
  const float n = shifted - rounder;
  const float r = (t - n * 0.693359375f) - n * -2.12194440e-4f;  // ln 2 in two parts; n times the first is exact
  float p = 0.0013811661629006267f;
  p = p * r + 0.008370134979486465f;
  p = p * r + 0.04166852682828903f;
  p = p * r + 0.16666509211063385f;
  p = p * r + 0.4999999403953552f;
  p = (p * r) * r + r;
  p = p + 1.0f;
  // 2^n in two factors, each of which a float holds: so results overflow, and lose bits below 2^-126, only once.
  const std::uint32_t integer = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(rounder);
  const auto k = static_cast<std::int32_t>(integer);
  const std::int32_t first = k >> 1;
  const float a = std::bit_cast<float>((static_cast<std::uint32_t>(first) + 127u) << 23);
  const float b = std::bit_cast<float>((static_cast<std::uint32_t>(k - first) + 127u) << 23);
  return (p * a) * b;
}

constexpr float log(float x) {
  const bool tiny = x < 1.17549435e-38f;  // subnormal: 2^23 larger it is not
  const float scaled = x * 8388608.0f;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(select(tiny, scaled, x));
  // x = 2^k * m, m in [sqrt(1/2), sqrt(2)).
  const std::uint32_t offset = bits - 0x3f3504f3u;
  const float k = static_cast<float>(static_cast<std::int32_t>(offset) >> 23) - select(tiny, 23.0f, 0.0f);
  const float f = std::bit_cast<float>((offset & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  float p = -0.07646101713180542f;
  p = p * f + 0.1277911365032196f;
  p = p * f + -0.13164186477661133f;
  p = p * f + 0.14199696481227875f;
  p = p * f + -0.16622765362262726f;
  p = p * f + 0.2000129222869873f;
  p = p * f + -0.25000837445259094f;
  p = p * f + 0.3333333134651184f;
  const float square = f * f;
  const float tail = (p * f) * square + (k * -2.12194440e-4f - 0.5f * square);
  float y = (tail + f) + k * 0.693359375f;
  // The special values, from the least: below 0, 0 itself, infinity and NaN.
  y = select(x < 0.0f, std::numeric_limits<float>::quiet_NaN(), y);
  y = select(x == 0.0f, -std::numeric_limits<float>::infinity(), y);
  return select(magnitude(x) < std::numeric_limits<float>::infinity() || x < 0.0f, y, x);
}

constexpr float tanh(float x) {
  const float a = magnitude(x);
  const float u = a * a;
  float p = -0.005704986397176981f;
  p = p * u + 0.02063908614218235f;
  p = p * u + -0.05373971536755562f;
  p = p * u + 0.13331441581249237f;
  p = p * u + -0.3333328068256378f;
  const float near = (p * u) * a + a;
  const float far = 1.0f - 2.0f / (exp(2.0f * a) + 1.0f);
  return with_sign(select(a < 0.625f, near, far), x);
}

constexpr float erf(float x) {
  const float a = magnitude(x);
  const float u = a * a;
  float p = -0.0006203254451975226f;
  p = p * u + 0.005032181274145842f;
  p = p * u + -0.026791462674736977f;
  p = p * u + 0.11282455176115036f;
  p = p * u + -0.3761255145072937f;
  p = p * u + 0.12837915122509003f;
  const float near = p * a + a;
  // log(1 - erf(a)) on [0.875, 4]; at 4 the result is 1 to a float.
  const float t = select(a > 4.0f, 4.0f, a);
  float q = 0.00019990130385849625f;
  q = q * t + -0.0030819952953606844f;
  q = q * t + 0.022381028160452843f;
  q = q * t + -0.10425019264221191f;
  q = q * t + -0.6368206739425659f;
  q = q * t + -1.1278893947601318f;
  q = q * t + -0.00014421180821955204f;
  const float far = 1.0f - exp(q);
  return with_sign(select(a < 0.875f, near, far), x);
}

namespace detail {
// 1 + exp(-t) for t in [-89, 87] and NaN. 2^n is one factor: it is infinite for n = 128, which t < -88.37 gives.
constexpr float one_and_exp_of_minus(float t) {
  constexpr float biased = rounder + 127.0f;
  const float shifted = t * -1.44269504f + biased;
  const float n = shifted - biased;
  const float r = (t + n * 0.693359375f) + n * -2.12194440e-4f;
  float p = 0.0013814539415761828f;
  p = p * r + -0.00836874544620514f;
  p = p * r + 0.04166838899254799f;
  p = p * r + -0.1666652113199234f;
  p = p * r + 0.4999999403953552f;
  p = p * r + -1.0f;
  p = p * r + 1.0f;
  return p * std::bit_cast<float>(std::bit_cast<std::uint32_t>(shifted) << 23) + 1.0f;
}
}  // namespace detail

// 1 / (1 + exp(-x)). Where that is below 2^-126 it may be 0.
constexpr float sigmoid(float x) {
  const float t = select(x < -89.0f, -89.0f, x);
  return 1.0f / detail::one_and_exp_of_minus(select(t > 87.0f, 87.0f, t));
}
// x * sigmoid(x), of a division alone. A NaN stays in x, so integers clamp: one instruction for two.
constexpr float silu(float x) {
  constexpr auto least = std::bit_cast<std::uint32_t>(-89.0f);
  constexpr auto most = std::bit_cast<std::int32_t>(87.0f);
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto above = static_cast<std::int32_t>(bits < least ? bits : least);
  return x / detail::one_and_exp_of_minus(std::bit_cast<float>(above < most ? above : most));
}

inline double exp(double x) { return std::exp(x); }
inline double log(double x) { return std::log(x); }
inline double tanh(double x) { return std::tanh(x); }
inline double erf(double x) { return std::erf(x); }
inline double sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}
inline double silu(double x) { return x * sigmoid(x); }

// To the nearest integer, half to even; toward minus and plus infinity. The sign of a zero is kept. Adding 2^(digits-1)
// leaves no room for a fraction, in the default rounding mode; numbers from there on are integers.
template <std::floating_point T>
constexpr T round(T x) {
  constexpr T limit = static_cast<T>(std::int64_t{1} << (std::numeric_limits<T>::digits - 1));
  const T a = magnitude(x);
  return select(a < limit, with_sign((a + limit) - limit, x), x);
}
template <std::floating_point T>
constexpr T floor(T x) {
  const T r = round(x);
  return r - select(r > x, T{1}, T{0});
}
template <std::floating_point T>
constexpr T ceil(T x) {
  const T r = round(x);
  return with_sign(r + select(r < x, T{1}, T{0}), x);
}

}  // namespace math

}  // namespace loam
