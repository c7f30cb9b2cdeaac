// reverse_sequence: the head of each sequence backward, its rest as it is (ONNX ReverseSequence).
//
//   out[.., t, .., b, ..] = x[.., t < lens[b] ? lens[b] - 1 - t : t, .., b, ..], t on time_axis and b on batch_axis
//
// A length outside of [0, time] fails.
#pragma once

#include "runtime/backend.hpp"
#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct ReverseSequence {};
}  // namespace kernels

template <class B, class T, class... Axes, class... AX, class I, class Batch>
  requires axes_agree<List<Axes...>, List<AX...>> && (sizeof...(Axes) >= 2)
void reverse_sequence(B& b, const Site& site, const Value<B, T, Axes...>& out, int time_axis, int batch_axis,
                      const Value<B, T, AX...>& x, const Value<B, I, Batch>& lens) {
  b.call(kernels::ReverseSequence{}, site, out.operand(), time_axis, batch_axis, x.operand(), lens.operand());
}

}  // namespace loam
