// matmul: out[.., m, n] = sum over k of a[.., m, k] * b[.., k, n] (ONNX MatMul: batch axes broadcast; an operand of one
// axis gives up the axis it lacks). Operands may lie on any strides, so a transposed operand is a view; out is dense.
// Sums are kept in the compute type of the output.
#pragma once

#include "runtime/value.hpp"

namespace loam {

namespace kernels {
struct Matmul {};
}  // namespace kernels

template <class B, class T, class... Axes, class TA, class... AA, class TW, class... AW>
  requires contracts<List<Axes...>, List<AA...>, List<AW...>>
void matmul(B& b, const Value<B, T, Axes...>& out, const Value<B, TA, AA...>& a, const Value<B, TW, AW...>& w) {
  b.call(kernels::Matmul{}, out.operand(), a.operand(), w.operand());
}

}  // namespace loam
