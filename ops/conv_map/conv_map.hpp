// conv_map: out = expression(conv(x, w, bias), others...), each element while it is in the cache: an activation or a
// residual behind a convolution (an epilogue).
//
// Operands and sums are as conv's; a sum is rounded to out's element type, then `others` meet it as a map's operands meet
// its output, on any strides. None of them may be out.
#pragma once

#include "ops/conv/conv.hpp"
#include "ops/map/map.hpp"

namespace loam {

namespace kernels {
template <class Expression>
struct ConvMap {};
}  // namespace kernels

template <class B, class T, class... Axes, class Expression, class TX, class... AX, class TW, class... AW, class Bias,
          class... In>
  requires convolves<List<Axes...>, List<AX...>, List<AW...>, Bias> && (... && detail::map_operand<List<Axes...>, In>())
void conv_map(B& b, const Value<B, T, Axes...>& out, const Window& window, std::int64_t groups, Expression,
              const Value<B, TX, AX...>& x, const Value<B, TW, AW...>& w, const Bias& bias, const In&... others) {
  b.call(kernels::ConvMap<Expression>{}, out.operand(), window, groups, x.operand(), w.operand(), bias.operand(),
         others.operand()...);
}

}  // namespace loam
