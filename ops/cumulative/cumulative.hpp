// cumulative: running sums and products along an axis (ONNX CumSum, CumProd).
//
//   out[.., i, ..] = x[.., 0, ..] op ... op x[.., i, ..]
//
// `exclusive` leaves out the last term (the first result is then 0, or 1 for a product); `reverse` runs from the other
// end. Kept in the compute type, in order; integers wrap.
#pragma once

#include "runtime/relations.hpp"

namespace loam {

struct CumSum {};
struct CumProd {};

namespace kernels {
template <class Kind>
struct Cumulative {};
}  // namespace kernels

template <class B, class T, class... Axes, class Kind, class... AX>
  requires axes_agree<List<Axes...>, List<AX...>>
void cumulative(B& b, const Value<B, T, Axes...>& out, Kind, int axis, bool exclusive, bool reverse,
                const Value<B, T, AX...>& x) {
  b.call(kernels::Cumulative<Kind>{}, out.operand(), axis, exclusive, reverse, x.operand());
}

}  // namespace loam
