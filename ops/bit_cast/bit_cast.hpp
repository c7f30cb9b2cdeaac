// bit_cast: the elements' bits under another type of the same width (ONNX BitCast).
//
// A bool is made of any bits that are not all zero, since it holds no other value than false and true; an element of
// less than a byte is made of its low bits.
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct BitCast {};
}  // namespace kernels

template <class B, class T, class... Axes, class U, class... AX>
  requires axes_agree<List<Axes...>, List<AX...>> && (sizeof(T) == sizeof(U))
void bit_cast(B& b, const Value<B, T, Axes...>& out, const Value<B, U, AX...>& x) {
  b.call(kernels::BitCast{}, out.operand(), x.operand());
}

}  // namespace loam
