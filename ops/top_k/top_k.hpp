// top_k: the k largest (or smallest) elements along an axis, and where they are (ONNX TopK).
//
// k is the extent of values and indices on `axis`, at most x's. Of equal elements the one of lower index comes first.
// A NaN is larger than every number, in NumPy's order and in what onnxruntime 1.30 gives, so it leads the largest.
// Where `sorted` is false ONNX leaves the order open; here it is the sorted one all the same.
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct TopK {};
}  // namespace kernels

template <class B, class T, class... Axes, class I, class... AI, class... AX>
  requires axes_agree<List<Axes...>, List<AI...>> && same_axes_but_one<List<Axes...>, List<AX...>>
void top_k(B& b, const Value<B, T, Axes...>& values, const Value<B, I, AI...>& indices, int axis, bool largest,
           bool sorted, const Value<B, T, AX...>& x) {
  b.call(kernels::TopK{}, values.operand(), indices.operand(), axis, largest, sorted, x.operand());
}

}  // namespace loam
