// det: the determinant of each square matrix (ONNX Det).
//
//   x [.., n, n] -> out [..]
//
// By elimination with partial pivoting, in double. That of a matrix of no rows is 1.
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct Det {};
}  // namespace kernels

template <class B, class T, class... Axes, class... AX>
  requires(sizeof...(AX) == sizeof...(Axes) + 2) && same_leading_axes<sizeof...(Axes), List<Axes...>, List<AX...>>
void det(B& b, const Value<B, T, Axes...>& out, const Value<B, T, AX...>& x) {
  b.call(kernels::Det{}, out.operand(), x.operand());
}

}  // namespace loam
