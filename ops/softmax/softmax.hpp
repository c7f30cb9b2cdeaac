// softmax: along one axis (counted from 0, outermost), the greatest element m subtracted first (ONNX, opset 13 on):
//
//   Softmax     out = exp(x - m) / sum exp(x - m)
//   LogSoftmax  out = x - m - log(sum exp(x - m))
//   Hardmax     out = 1 at the first greatest element, 0 elsewhere
//
// As in onnxruntime a row that holds NaN or plus infinity, or minus infinity alone, becomes NaN throughout. In Hardmax
// NaN is the greatest.
#pragma once

#include "runtime/value.hpp"

namespace loam {

struct Softmax {};
struct LogSoftmax {};
struct Hardmax {};

namespace kernels {
template <class Kind>
struct Softmax {};
}  // namespace kernels

template <class B, class T, class... Axes, class Kind, class TX, class... AX>
  requires same_axes<List<Axes...>, List<AX...>>
void softmax(B& b, const Value<B, T, Axes...>& out, Kind, int axis, const Value<B, TX, AX...>& x) {
  b.call(kernels::Softmax<Kind>{}, out.operand(), axis, x.operand());
}

}  // namespace loam
