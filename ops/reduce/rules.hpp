// What each reducer computes of one element, how two results become one, and what is done at the end.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ops/reduce/reduce.hpp"
#include "runtime/functions.hpp"

namespace loam {

namespace detail {

struct Adding {
  template <class S>
  static constexpr S initial() { return S{0}; }
  template <class S>
  static constexpr S join(S a, S b) { return fn::add(a, b); }
};
struct Multiplying {
  template <class S>
  static constexpr S initial() { return S{1}; }
  template <class S>
  static constexpr S join(S a, S b) { return fn::mul(a, b); }
};
struct Greatest {
  template <class S>
  static constexpr S initial() {
    if constexpr (std::floating_point<S>) return -std::numeric_limits<S>::infinity();
    else return std::numeric_limits<S>::lowest();
  }
  template <class S>
  static constexpr S join(S a, S b) { return fn::max(a, b); }
};
struct Least {
  template <class S>
  static constexpr S initial() {
    if constexpr (std::floating_point<S>) return std::numeric_limits<S>::infinity();
    else return std::numeric_limits<S>::max();
  }
  template <class S>
  static constexpr S join(S a, S b) { return fn::min(a, b); }
};

// Terms<C> is the type terms are computed in, for elements computed in C; `shift` is for LogSumExp alone, which is told
// the greatest element.
struct PlainRule {
  template <class C>
  using Terms = C;
  static constexpr bool shifted = false;
  template <class S>
  static constexpr S term(S x, S) { return x; }
  template <class W>
  static constexpr W finish(W total, std::int64_t, W) { return total; }
};
struct SquareRule : PlainRule {
  template <class S>
  static constexpr S term(S x, S) { return fn::mul(x, x); }
};

template <class Reducer>
struct Rule;
template <>
struct Rule<reducer::Sum> : PlainRule, Adding {};
template <>
struct Rule<reducer::Product> : PlainRule, Multiplying {};
template <>
struct Rule<reducer::Max> : PlainRule, Greatest {};
template <>
struct Rule<reducer::Min> : PlainRule, Least {};
template <>
struct Rule<reducer::SumSquare> : SquareRule, Adding {};
template <>
struct Rule<reducer::L1> : PlainRule, Adding {
  template <class S>
  static constexpr S term(S x, S) { return fn::abs(x); }
};
template <>
struct Rule<reducer::L2> : SquareRule, Adding {
  template <class W>
  static double finish(W total, std::int64_t, W) { return std::sqrt(static_cast<double>(total)); }
};
template <>
struct Rule<reducer::LogSum> : PlainRule, Adding {
  template <class W>
  static double finish(W total, std::int64_t, W) { return std::log(static_cast<double>(total)); }
};
template <>
struct Rule<reducer::Mean> : PlainRule, Adding {
  template <class C>
  using Terms = std::conditional_t<std::floating_point<C>, C,
                                   std::conditional_t<std::unsigned_integral<C>, std::uint64_t, std::int64_t>>;
  template <class W>
  static constexpr W finish(W total, std::int64_t count, W) { return fn::div(total, static_cast<W>(count)); }
};
template <>
struct Rule<reducer::LogSumExp> : PlainRule, Adding {
  template <class C>
  using Terms = std::conditional_t<std::floating_point<C>, C, double>;
  static constexpr bool shifted = true;
  template <class S>
  static constexpr S term(S x, S shift) { return fn::exp(x - shift); }
  template <class W>
  static double finish(W total, std::int64_t, W shift) { return std::log(total) + shift; }
};

// The type partial results are joined in: double over floats, so that a long sum is as good as its parts.
template <class S>
using total_t = std::conditional_t<std::floating_point<S>, double, S>;

}  // namespace detail

}  // namespace loam
