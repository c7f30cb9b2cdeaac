// pad: x lengthened on each axis by elements of its own, or cropped (ONNX Pad, modes reflect, edge and wrap; the
// constant mode is a map).
//
//   out[i, ..] = x[source(i - begins[0]), ..],  out's extent being x's + begin + end
//
//   Reflect  .. x2 x1 | x0 x1 x2 | x1 x0 ..   the edge is not repeated; of one element it is
//   Edge     .. x0 x0 | x0 x1 x2 | x2 x2 ..
//   Wrap     .. x1 x2 | x0 x1 x2 | x0 x1 ..
//
// A negative begin or end crops x first, and the other end is padded from what is left. Padding may be longer than x:
// the pattern goes on. Padding where nothing is left fails.
#pragma once

#include <array>

#include "runtime/backend.hpp"
#include "runtime/relations.hpp"

namespace loam {

namespace pad_mode {
struct Reflect {};
struct Edge {};
struct Wrap {};
}  // namespace pad_mode

namespace kernels {
template <class Mode>
struct Pad {};
}  // namespace kernels

template <class B, class T, class... Axes, class Mode, class... AX>
  requires same_rank<List<Axes...>, List<AX...>>
void pad(B& b, const Value<B, T, Axes...>& out, Mode, const std::array<std::int64_t, sizeof...(Axes)>& begins,
         const Value<B, T, AX...>& x) {
  b.call(kernels::Pad<Mode>{}, out.operand(), begins, x.operand());
}

}  // namespace loam
