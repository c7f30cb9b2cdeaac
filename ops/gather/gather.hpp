// gather: the slices of x along one axis that the indices name (ONNX Gather).
//
//   out[before.., i.., after..] = x[before.., indices[i..], after..]
//
// A negative index counts from the end. One out of range is a failure of the run, and gathers zeros. x's elements may
// be stored as another type than out's: a float16 embedding is widened as it is read.
#pragma once

#include "runtime/backend.hpp"
#include "runtime/value.hpp"

namespace loam {

namespace kernels {
struct Gather {};
}  // namespace kernels

namespace detail {

// Whether Out is X with the axis at Axis replaced by the axes of I.
template <class Out, class X, class I, std::size_t Axis, std::size_t... N>
constexpr bool gathers_at(std::index_sequence<N...>) {
  const auto fits = []<std::size_t O>() {
    if constexpr (O < Axis) return std::is_same_v<typename At<O, Out>::type, typename At<O, X>::type>;
    else if constexpr (O < Axis + I::size)
      return std::is_same_v<typename At<O, Out>::type, typename At<O - Axis, I>::type>;
    else return std::is_same_v<typename At<O, Out>::type, typename At<O - I::size + 1, X>::type>;
  };
  return (... && fits.template operator()<N>());
}
template <class Out, class X, class I, std::size_t... Axis>
constexpr bool gathers_somewhere(std::index_sequence<Axis...>) {
  return (... || gathers_at<Out, X, I, Axis>(std::make_index_sequence<Out::size>{}));
}
template <class Out, class X, class I>
constexpr bool gathers_into() {
  if constexpr (Out::size + 1 != X::size + I::size) return false;
  else return gathers_somewhere<Out, X, I>(std::make_index_sequence<X::size>{});
}

}  // namespace detail

// Out is X with one axis replaced by the axes of the indices.
template <class Out, class X, class I>
concept gathers = detail::gathers_into<Out, X, I>();

template <class B, class T, class... Axes, class TX, class... AX, class TI, class... AI>
  requires gathers<List<Axes...>, List<AX...>, List<AI...>>
void gather(B& b, const Site& site, const Value<B, T, Axes...>& out, int axis, const Value<B, TX, AX...>& x,
            const Value<B, TI, AI...>& indices) {
  b.call(kernels::Gather{}, site, out.operand(), axis, x.operand(), indices.operand());
}

}  // namespace loam
