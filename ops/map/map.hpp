// map: an expression at every place of the output (every elementwise operator, casts, copies, fills, index patterns).
//
//   out[i..] = expression(in0[i..], in1[i..], ...)
//
// Each operand is aligned with the output at its last axis and stretched where it has one element or lacks the axis
// (ONNX multidirectional broadcasting). Operands and output may lie on any strides. An expression is a stateless type
// with operator() over the operands' compute types; its result is rounded to the output's element type once.
#pragma once

#include "runtime/value.hpp"

namespace loam {

namespace kernels {
template <class Expression>
struct Map {};
}  // namespace kernels

// The operand whose element at a place is the place's coordinate on one axis of the output (int64).
struct Coordinate {
  int axis;
  const Coordinate& operand() const { return *this; }
};
template <int Axis>
inline constexpr Coordinate coordinate{Axis};

// One number at every place.
template <class T>
struct Scalar {
  T value;
  const Scalar& operand() const { return *this; }
};
template <class T>
constexpr Scalar<T> scalar(T value) { return {value}; }

namespace detail {
template <class Out, class V>
constexpr bool map_operand() {
  if constexpr (requires { typename V::axes; }) return broadcasts<Out, typename V::axes>;
  else return true;  // a coordinate or a scalar
}
}  // namespace detail

template <class B, class T, class... Axes, class Expression, class... In>
  requires(... && detail::map_operand<List<Axes...>, In>())
void map(B& b, const Value<B, T, Axes...>& out, Expression, const In&... in) {
  b.call(kernels::Map<Expression>{}, out.operand(), in.operand()...);
}

}  // namespace loam
