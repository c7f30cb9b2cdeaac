// lrn: local response normalization across channels (ONNX LRN).
//
//   out[n, c, ..] = x[n, c, ..] / (bias + alpha / size * sum over k of x[n, k, ..]^2)^beta
//
// k runs from c - floor((size - 1) / 2) to c + ceil((size - 1) / 2), as far as there are channels. x [N, C, ..].
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct Lrn {};
}  // namespace kernels

template <class B, class T, class... Axes, class... AX>
  requires axes_agree<List<Axes...>, List<AX...>> && (sizeof...(Axes) >= 2)
void lrn(B& b, const Value<B, T, Axes...>& out, std::int64_t size, double alpha, double beta, double bias,
         const Value<B, T, AX...>& x) {
  b.call(kernels::Lrn{}, out.operand(), size, alpha, beta, bias, x.operand());
}

}  // namespace loam
