// layer_norm: over the axes from `axis` on (counted from 0, outermost), with the biased variance in two passes (ONNX
// LayerNormalization):
//
//   out = (x - mean) / sqrt(variance + epsilon) * scale + bias
//
// scale and bias are aligned with x at the last axis and stretched to it; bias may be `none`. float16 is computed in
// float, so that squares of large elements do not overflow.
#pragma once

#include "runtime/value.hpp"

namespace loam {

namespace kernels {
struct LayerNorm {};
}  // namespace kernels

namespace detail {
template <class Out, class V>
constexpr bool none_or_broadcasts() {
  if constexpr (std::is_same_v<V, None>) return true;
  else return broadcasts<Out, typename V::axes>;
}
}  // namespace detail

template <class B, class T, class... Axes, class TX, class... AX, class Scale, class Bias>
  requires same_axes<List<Axes...>, List<AX...>> && broadcasts<List<AX...>, axes_of<Scale>> &&
           (detail::none_or_broadcasts<List<AX...>, Bias>())
void layer_norm(B& b, const Value<B, T, Axes...>& out, int axis, double epsilon, const Value<B, TX, AX...>& x,
                const Scale& scale, const Bias& bias) {
  b.call(kernels::LayerNorm{}, out.operand(), axis, epsilon, x.operand(), scale.operand(), bias.operand());
}

}  // namespace loam
