// The functions expressions are made of: each line of compiler/kernel/scalar_ops.inc is a stateless function object
// here, over the types elements are computed in (float, double, bool and the integers). None has undefined behaviour.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

#include "runtime/convert.hpp"
#include "runtime/integers.hpp"
#include "runtime/math.hpp"

namespace loam {

namespace fn {

struct Identity {
  template <class T>
  constexpr T operator()(T a) const { return a; }
};
struct Neg {
  template <class T>
  constexpr T operator()(T a) const {
    if constexpr (std::integral<T>) return integers::neg(a);
    else return -a;
  }
};
struct Abs {
  template <class T>
  constexpr T operator()(T a) const {
    if constexpr (std::floating_point<T>) return math::magnitude(a);
    else if constexpr (std::unsigned_integral<T>) return a;
    else return a < 0 ? integers::neg(a) : a;
  }
};
// NaN gives NaN.
struct Sign {
  template <class T>
  constexpr T operator()(T a) const {
    if constexpr (std::floating_point<T>)
      if (a != a) return a;
    return static_cast<T>((a > T{0}) - (a < T{0}));
  }
};
struct Ceil {
  template <class T>
  constexpr T operator()(T a) const {
    if constexpr (std::integral<T>) return a;
    else return math::ceil(a);
  }
};
struct Floor {
  template <class T>
  constexpr T operator()(T a) const {
    if constexpr (std::integral<T>) return a;
    else return math::floor(a);
  }
};
struct Round {
  template <class T>
  constexpr T operator()(T a) const {
    if constexpr (std::integral<T>) return a;
    else return math::round(a);
  }
};

struct Exp {
  template <std::floating_point T>
  constexpr T operator()(T a) const { return math::exp(a); }
};
struct Log {
  template <std::floating_point T>
  constexpr T operator()(T a) const { return math::log(a); }
};
struct Log1p {
  template <std::floating_point T>
  T operator()(T a) const { return std::log1p(a); }
};
struct Expm1 {
  template <std::floating_point T>
  T operator()(T a) const { return std::expm1(a); }
};
struct Sqrt {
  template <std::floating_point T>
  T operator()(T a) const { return std::sqrt(a); }
};
struct Reciprocal {
  template <std::floating_point T>
  constexpr T operator()(T a) const { return T{1} / a; }
};
struct Sin {
  template <std::floating_point T>
  T operator()(T a) const { return std::sin(a); }
};
struct Cos {
  template <std::floating_point T>
  T operator()(T a) const { return std::cos(a); }
};
struct Tan {
  template <std::floating_point T>
  T operator()(T a) const { return std::tan(a); }
};
struct Asin {
  template <std::floating_point T>
  T operator()(T a) const { return std::asin(a); }
};
struct Acos {
  template <std::floating_point T>
  T operator()(T a) const { return std::acos(a); }
};
struct Atan {
  template <std::floating_point T>
  T operator()(T a) const { return std::atan(a); }
};
struct Sinh {
  template <std::floating_point T>
  T operator()(T a) const { return std::sinh(a); }
};
struct Cosh {
  template <std::floating_point T>
  T operator()(T a) const { return std::cosh(a); }
};
struct Tanh {
  template <std::floating_point T>
  constexpr T operator()(T a) const { return math::tanh(a); }
};
struct Asinh {
  template <std::floating_point T>
  T operator()(T a) const { return std::asinh(a); }
};
struct Acosh {
  template <std::floating_point T>
  T operator()(T a) const { return std::acosh(a); }
};
struct Atanh {
  template <std::floating_point T>
  T operator()(T a) const { return std::atanh(a); }
};
struct Erf {
  template <std::floating_point T>
  constexpr T operator()(T a) const { return math::erf(a); }
};
struct Sigmoid {
  template <std::floating_point T>
  constexpr T operator()(T a) const { return math::sigmoid(a); }
};
struct Silu {
  template <std::floating_point T>
  constexpr T operator()(T a) const { return math::silu(a); }
};

struct IsNan {
  template <class T>
  constexpr bool operator()(T a) const { return a != a; }
};
struct IsPositiveInfinity {
  template <class T>
  constexpr bool operator()(T a) const {
    if constexpr (std::floating_point<T>) return a == std::numeric_limits<T>::infinity();
    else return false;
  }
};
struct IsNegativeInfinity {
  template <class T>
  constexpr bool operator()(T a) const {
    if constexpr (std::floating_point<T>) return a == -std::numeric_limits<T>::infinity();
    else return false;
  }
};

struct LogicalNot {
  constexpr bool operator()(bool a) const { return !a; }
};
struct LogicalAnd {
  constexpr bool operator()(bool a, bool b) const { return a & b; }
};
struct LogicalOr {
  constexpr bool operator()(bool a, bool b) const { return a | b; }
};
struct LogicalXor {
  constexpr bool operator()(bool a, bool b) const { return a != b; }
};

struct BitwiseNot {
  template <std::integral T>
  constexpr T operator()(T a) const { return static_cast<T>(~a); }
};
struct BitwiseAnd {
  template <std::integral T>
  constexpr T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
struct BitwiseOr {
  template <std::integral T>
  constexpr T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
struct BitwiseXor {
  template <std::integral T>
  constexpr T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
// By as many bits as the width or more, 0.
struct ShiftLeft {
  template <std::integral T>
  constexpr T operator()(T a, T b) const { return integers::shift_left(a, b); }
};
struct ShiftRight {
  template <std::integral T>
  constexpr T operator()(T a, T b) const { return integers::shift_right(a, b); }
};

struct Add {
  template <class T>
  constexpr T operator()(T a, T b) const {
    if constexpr (std::integral<T>) return integers::add(a, b);
    else return a + b;
  }
};
struct Sub {
  template <class T>
  constexpr T operator()(T a, T b) const {
    if constexpr (std::integral<T>) return integers::sub(a, b);
    else return a - b;
  }
};
struct Mul {
  template <class T>
  constexpr T operator()(T a, T b) const {
    if constexpr (std::integral<T>) return integers::mul(a, b);
    else return a * b;
  }
};
struct Div {
  template <class T>
  constexpr T operator()(T a, T b) const {
    if constexpr (std::integral<T>) return integers::div(a, b);
    else return a / b;
  }
};
// The base's type. Integer powers of integers wrap; an integer to a float, and a float to another type, go by double.
struct Pow {
  template <class T, class E>
  T operator()(T base, E exponent) const {
    if constexpr (std::integral<T> && std::integral<E>) {
      return integers::pow(base, exponent);
    } else if constexpr (std::integral<T>) {
      return convert<T>(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
    } else {
      if (exponent == E{2}) return base * base;  // what std::pow gives, without the call: most powers are squares
      if constexpr (std::is_same_v<T, E>) return std::pow(base, exponent);
      else return static_cast<T>(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
    }
  }
};
// The divisor's sign; of floats, Python's %.
struct Mod {
  template <class T>
  constexpr T operator()(T a, T b) const {
    if constexpr (std::integral<T>) {
      return integers::mod(a, b);
    } else {
      const T r = std::fmod(a, b);
      if (r == T{0}) return math::with_sign(r, b);
      return (r < 0) != (b < 0) ? r + b : r;
    }
  }
};
struct Fmod {
  template <class T>
  constexpr T operator()(T a, T b) const {
    if constexpr (std::integral<T>) return integers::fmod(a, b);
    else return std::fmod(a, b);
  }
};
struct Min {
  template <class T>
  constexpr T operator()(T a, T b) const {
    if constexpr (std::floating_point<T>) return math::select((a < b) | (a != a), a, b);
    else return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  constexpr T operator()(T a, T b) const {
    if constexpr (std::floating_point<T>) return math::select((a > b) | (a != a), a, b);
    else return a > b ? a : b;
  }
};
struct Atan2 {
  template <std::floating_point T>
  T operator()(T a, T b) const { return std::atan2(a, b); }
};

struct Equal {
  template <class T>
  constexpr bool operator()(T a, T b) const { return a == b; }
};
struct Less {
  template <class T>
  constexpr bool operator()(T a, T b) const { return a < b; }
};
struct LessEqual {
  template <class T>
  constexpr bool operator()(T a, T b) const { return a <= b; }
};
struct Greater {
  template <class T>
  constexpr bool operator()(T a, T b) const { return a > b; }
};
struct GreaterEqual {
  template <class T>
  constexpr bool operator()(T a, T b) const { return a >= b; }
};

struct Where {
  template <class T>
  constexpr T operator()(bool condition, T a, T b) const { return condition ? a : b; }
};
template <class To, Narrowing How = Narrowing{}>
struct Cast {
  template <class T>
  constexpr To operator()(T a) const { return convert<To, How>(a); }
};
template <class To>
struct Saturate {
  template <class T>
  constexpr To operator()(T a) const { return loam::saturate<To>(a); }
};

inline constexpr Identity identity{};
inline constexpr Neg neg{};
inline constexpr Abs abs{};
inline constexpr Sign sign{};
inline constexpr Ceil ceil{};
inline constexpr Floor floor{};
inline constexpr Round round{};
inline constexpr Exp exp{};
inline constexpr Log log{};
inline constexpr Log1p log1p{};
inline constexpr Expm1 expm1{};
inline constexpr Sqrt sqrt{};
inline constexpr Reciprocal reciprocal{};
inline constexpr Sin sin{};
inline constexpr Cos cos{};
inline constexpr Tan tan{};
inline constexpr Asin asin{};
inline constexpr Acos acos{};
inline constexpr Atan atan{};
inline constexpr Sinh sinh{};
inline constexpr Cosh cosh{};
inline constexpr Tanh tanh{};
inline constexpr Asinh asinh{};
inline constexpr Acosh acosh{};
inline constexpr Atanh atanh{};
inline constexpr Erf erf{};
inline constexpr Sigmoid sigmoid{};
inline constexpr Silu silu{};
inline constexpr IsNan is_nan{};
inline constexpr IsPositiveInfinity is_positive_infinity{};
inline constexpr IsNegativeInfinity is_negative_infinity{};
inline constexpr LogicalNot logical_not{};
inline constexpr BitwiseNot bitwise_not{};
inline constexpr Add add{};
inline constexpr Sub sub{};
inline constexpr Mul mul{};
inline constexpr Div div{};
inline constexpr Pow pow{};
inline constexpr Mod mod{};
inline constexpr Fmod fmod{};
inline constexpr Min min{};
inline constexpr Max max{};
inline constexpr Atan2 atan2{};
inline constexpr LogicalAnd logical_and{};
inline constexpr LogicalOr logical_or{};
inline constexpr LogicalXor logical_xor{};
inline constexpr BitwiseAnd bitwise_and{};
inline constexpr BitwiseOr bitwise_or{};
inline constexpr BitwiseXor bitwise_xor{};
inline constexpr ShiftLeft shift_left{};
inline constexpr ShiftRight shift_right{};
inline constexpr Equal equal{};
inline constexpr Less less{};
inline constexpr LessEqual less_equal{};
inline constexpr Greater greater{};
inline constexpr GreaterEqual greater_equal{};
inline constexpr Where where{};
template <class To, Narrowing How = Narrowing{}>
inline constexpr Cast<To, How> cast{};
template <class To>
inline constexpr Saturate<To> saturate{};

}  // namespace fn

}  // namespace loam
