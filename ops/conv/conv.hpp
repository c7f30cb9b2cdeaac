// conv: cross-correlation over one to three spatial axes (ONNX Conv), zeros beyond the input's ends:
//
//   out[n, m, o..] = bias[m] + sum over c, k.. of
//                    x[n, g * C/groups + c, o * strides - pads + k * dilations] * w[m, c, k..]
//
// x [N, C, spatial..], w [M, C/groups, kernel..], out [N, M, out..], g = m / (M/groups) the group of m; bias [M] or
// `none`. out's extents say how far the window moves.
#pragma once

#include "runtime/value.hpp"
#include "runtime/window.hpp"

namespace loam {

namespace kernels {
struct Conv {};
}  // namespace kernels

namespace detail {

// Of the channels only out's and w's are always one axis: w holds a group's share of x's.
template <class Out, class X, class W, class Bias>
constexpr bool convolves_into() {
  if constexpr (Out::size < 3 || Out::size > 5 || X::size != Out::size || W::size != Out::size) {
    return false;
  } else {
    if (!std::is_same_v<typename At<0, Out>::type, typename At<0, X>::type>) return false;
    if (!meet<typename At<1, Out>::type, typename At<0, W>::type>) return false;
    if constexpr (std::is_same_v<Bias, None>) return true;
    else if constexpr (axes_of<Bias>::size != 1) return false;
    else return meet<typename At<0, axes_of<Bias>>::type, typename At<1, Out>::type>;
  }
}

}  // namespace detail

template <class Out, class X, class W, class Bias>
concept convolves = detail::convolves_into<Out, X, W, Bias>();

template <class B, class T, class... Axes, class TX, class... AX, class TW, class... AW, class Bias>
  requires convolves<List<Axes...>, List<AX...>, List<AW...>, Bias>
void conv(B& b, const Value<B, T, Axes...>& out, const Window& window, std::int64_t groups,
          const Value<B, TX, AX...>& x, const Value<B, TW, AW...>& w, const Bias& bias) {
  b.call(kernels::Conv{}, out.operand(), window, groups, x.operand(), w.operand(), bias.operand());
}

}  // namespace loam
