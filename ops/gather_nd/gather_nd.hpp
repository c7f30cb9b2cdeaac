// gather_nd: the slices of x that tuples of indices name (ONNX GatherND). With b batch axes and tuples of k indices,
//
//   out[b.., i.., after..] = x[b.., indices[b.., i.., 0], .., indices[b.., i.., k - 1], after..]
//
// A negative index counts from the end. A tuple with one out of range is a failure of the run, and gathers zeros.
#pragma once

#include "runtime/backend.hpp"
#include "runtime/value.hpp"

namespace loam {

namespace kernels {
struct GatherNd {};
}  // namespace kernels

// The relation turns on the extent of the indices' last axis, which a type does not hold; the build has checked it.
template <class B, class T, class... Axes, class TX, class... AX, class TI, class... AI>
  requires(sizeof...(AI) > 0 && sizeof...(AX) > 0)
void gather_nd(B& b, const Site& site, const Value<B, T, Axes...>& out, int batch_dims, const Value<B, TX, AX...>& x,
               const Value<B, TI, AI...>& indices) {
  b.call(kernels::GatherNd{}, site, out.operand(), batch_dims, x.operand(), indices.operand());
}

}  // namespace loam
