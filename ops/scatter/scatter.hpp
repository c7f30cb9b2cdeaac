// scatter: data with some elements replaced by, or combined with, updates (ONNX ScatterElements, ScatterND,
// TensorScatter).
//
//   scatter_elements:  out = data;  out[.., indices[i..], ..] <- updates[i..], the index standing on `axis`
//   scatter_nd:        out = data;  out[indices[i.., :], ...] <- updates[i.., ...]
//   tensor_scatter:    out = past_cache;  out[b, .., write_indices[b] + s, ..] <- update[b, .., s, ..]
//
// `<-` is the reduction. A negative index counts from the end; one out of range fails, as does an update that reaches
// past data on another axis. Updates of one element are combined in row-major order of the indices, so the result is
// the same in every run, and each combination is rounded to the element type.
#pragma once

#include "runtime/backend.hpp"
#include "runtime/relations.hpp"

namespace loam {

namespace reduction {
struct Replace {};
struct Add {};
struct Mul {};
struct Min {};  // NaN where either is
struct Max {};
}  // namespace reduction

namespace kernels {
template <class Reduction>
struct ScatterElements {};
template <class Reduction>
struct ScatterNd {};
struct TensorScatter {};
}  // namespace kernels

// indices and updates have one shape, whose extents are data's at most on every axis but `axis`.
template <class B, class T, class... Axes, class Reduction, class... AD, class I, class... AI, class... AU>
  requires axes_agree<List<Axes...>, List<AD...>> && axes_agree<List<AI...>, List<AU...>> &&
           same_rank<List<Axes...>, List<AI...>>
void scatter_elements(B& b, const Site& site, const Value<B, T, Axes...>& out, int axis, Reduction,
                      const Value<B, T, AD...>& data, const Value<B, I, AI...>& indices,
                      const Value<B, T, AU...>& updates) {
  b.call(kernels::ScatterElements<Reduction>{}, site, out.operand(), axis, data.operand(), indices.operand(),
         updates.operand());
}

// indices [i.., k]; updates [i.., data's axes from k on].
template <class B, class T, class... Axes, class Reduction, class... AD, class I, class... AI, class... AU>
  requires axes_agree<List<Axes...>, List<AD...>> && (sizeof...(AI) >= 1) &&
           same_leading_axes<sizeof...(AI) - 1, List<AU...>, List<AI...>>
void scatter_nd(B& b, const Site& site, const Value<B, T, Axes...>& out, Reduction, const Value<B, T, AD...>& data,
                const Value<B, I, AI...>& indices, const Value<B, T, AU...>& updates) {
  b.call(kernels::ScatterNd<Reduction>{}, site, out.operand(), data.operand(), indices.operand(), updates.operand());
}

// update is past_cache but for its extent on `axis`, which is not 0; write_indices [batch] or none, which is 0 for
// every batch. Where `circular`, positions wrap at the cache's extent; else one past it fails. out may be past_cache
// itself, which is then updated in place.
template <class B, class T, class... Axes, class... AP, class... AU, class W>
  requires axes_agree<List<Axes...>, List<AP...>> && same_axes_but_one<List<Axes...>, List<AU...>> &&
           optional_of_rank<W, 1>
void tensor_scatter(B& b, const Site& site, const Value<B, T, Axes...>& out, int axis, bool circular,
                    const Value<B, T, AP...>& past_cache, const Value<B, T, AU...>& update, const W& write_indices) {
  b.call(kernels::TensorScatter{}, site, out.operand(), axis, circular, past_cache.operand(), update.operand(),
         write_indices.operand());
}

}  // namespace loam
