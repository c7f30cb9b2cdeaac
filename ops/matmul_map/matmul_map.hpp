// matmul_map: out = expression(matmul(a, b), others...), each element while it is in the cache: a bias, an activation, a
// residual behind a product (an epilogue).
//
// Operands and product are as matmul's; the product is rounded to out's element type, then `others` meet it as a map's
// operands meet its output, on any strides. None of them may be out.
#pragma once

#include "ops/map/map.hpp"
#include "ops/matmul/matmul.hpp"

namespace loam {

namespace kernels {
template <class Expression>
struct MatmulMap {};
}  // namespace kernels

template <class B, class T, class... Axes, class Expression, class TA, class... AA, class TW, class... AW, class... In>
  requires contracts<List<Axes...>, List<AA...>, List<AW...>> && (... && detail::map_operand<List<Axes...>, In>())
void matmul_map(B& b, const Value<B, T, Axes...>& out, Expression, const Value<B, TA, AA...>& a,
                const Value<B, TW, AW...>& w, const In&... others) {
  b.call(kernels::MatmulMap<Expression>{}, out.operand(), a.operand(), w.operand(), others.operand()...);
}

}  // namespace loam
