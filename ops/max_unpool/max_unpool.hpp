// max_unpool: each element put back where a pooling found it, zeros elsewhere (ONNX MaxUnpool).
//
//   out = 0;  out[place(indices[i..])] = x[i..]
//
// An index counts row-major in a tensor of the extents `counted`: the pooling's input, which MaxPool's indices count
// in. ONNX says so too where output_shape makes out larger: the place found is then a coordinate of out. (onnxruntime
// counts in out itself; that is counted = out's extents.) An index outside of either fails; of equal ones the last
// wins.
#pragma once

#include <array>

#include "runtime/backend.hpp"
#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct MaxUnpool {};
}  // namespace kernels

template <class B, class T, class... Axes, class... AX, class I, class... AI>
  requires same_rank<List<Axes...>, List<AX...>> && axes_agree<List<AX...>, List<AI...>>
void max_unpool(B& b, const Site& site, const Value<B, T, Axes...>& out,
                const std::array<std::int64_t, sizeof...(Axes)>& counted, const Value<B, T, AX...>& x,
                const Value<B, I, AI...>& indices) {
  b.call(kernels::MaxUnpool{}, site, out.operand(), counted, x.operand(), indices.operand());
}

}  // namespace loam
