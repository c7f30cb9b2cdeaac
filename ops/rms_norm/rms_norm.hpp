// rms_norm: over the axes from `axis` on (counted from 0, outermost; ONNX RMSNormalization):
//
//   out = x / sqrt(mean of x^2 + epsilon) * scale
//
// scale is aligned with x at the last axis and stretched to it. float16 is computed in float.
#pragma once

#include "runtime/value.hpp"

namespace loam {

namespace kernels {
struct RmsNorm {};
}  // namespace kernels

template <class B, class T, class... Axes, class TX, class... AX, class TS, class... AS>
  requires same_axes<List<Axes...>, List<AX...>> && broadcasts<List<AX...>, List<AS...>>
void rms_norm(B& b, const Value<B, T, Axes...>& out, int axis, double epsilon, const Value<B, TX, AX...>& x,
              const Value<B, TS, AS...>& scale) {
  b.call(kernels::RmsNorm{}, out.operand(), axis, epsilon, x.operand(), scale.operand());
}

}  // namespace loam
