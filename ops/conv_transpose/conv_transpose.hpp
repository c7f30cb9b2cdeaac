// conv_transpose: the gradient of conv by its input, over one to three spatial axes (ONNX ConvTranspose):
//
//   out[n, m, i * strides - pads + k * dilations] += x[n, c, i..] * w[c, m - g * M/groups, k..], over bias[m]
//
// x [N, C, spatial..], w [C, M/groups, kernel..], out [N, M, out..], c running through m's group g; bias [M] or `none`.
// What falls outside out is dropped, so pads crop the head and out's extents say where the tail ends: output_padding is
// in them.
#pragma once

#include "runtime/value.hpp"
#include "runtime/window.hpp"

namespace loam {

namespace kernels {
struct ConvTranspose {};
}  // namespace kernels

namespace detail {

template <class Out, class X, class W, class Bias>
constexpr bool convolves_back() {
  if constexpr (Out::size < 3 || Out::size > 5 || X::size != Out::size || W::size != Out::size) {
    return false;
  } else {
    if (!std::is_same_v<typename At<0, Out>::type, typename At<0, X>::type>) return false;
    if (!meet<typename At<1, X>::type, typename At<0, W>::type>) return false;
    if constexpr (std::is_same_v<Bias, None>) return true;
    else if constexpr (axes_of<Bias>::size != 1) return false;
    else return meet<typename At<0, axes_of<Bias>>::type, typename At<1, Out>::type>;
  }
}

}  // namespace detail

template <class Out, class X, class W, class Bias>
concept convolves_back = detail::convolves_back<Out, X, W, Bias>();

template <class B, class T, class... Axes, class TX, class... AX, class TW, class... AW, class Bias>
  requires convolves_back<List<Axes...>, List<AX...>, List<AW...>, Bias>
void conv_transpose(B& b, const Value<B, T, Axes...>& out, const Window& window, std::int64_t groups,
                    const Value<B, TX, AX...>& x, const Value<B, TW, AW...>& w, const Bias& bias) {
  b.call(kernels::ConvTranspose{}, out.operand(), window, groups, x.operand(), w.operand(), bias.operand());
}

}  // namespace loam
