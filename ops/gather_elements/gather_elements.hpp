// gather_elements: at each place of the indices, the element of x at that place but for one axis, where the index
// stands (ONNX GatherElements).
//
//   out[i.., j, k..] = x[i.., indices[i.., j, k..], k..]
//
// A negative index counts from the end. One out of range is a failure of the run, and gathers 0.
#pragma once

#include "runtime/backend.hpp"
#include "runtime/value.hpp"

namespace loam {

namespace kernels {
struct GatherElements {};
}  // namespace kernels

template <class B, class T, class... Axes, class TX, class... AX, class TI, class... AI>
  requires same_axes<List<Axes...>, List<AI...>> && (sizeof...(AX) == sizeof...(AI))
void gather_elements(B& b, const Site& site, const Value<B, T, Axes...>& out, int axis, const Value<B, TX, AX...>& x,
                     const Value<B, TI, AI...>& indices) {
  b.call(kernels::GatherElements{}, site, out.operand(), axis, x.operand(), indices.operand());
}

}  // namespace loam
