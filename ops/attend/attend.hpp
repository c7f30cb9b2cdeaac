// attend: scaled dot-product attention, of which no matrix of scores is ever written down:
//
//   score[.., m, n]  = score(sum over k of q[.., m, k] * keys[.., k, n], others[.., m, n]...)
//   weight[.., m, n] = weight(softmax over n of score[.., m, n])
//   out[.., m, d]    = sum over n of weight[.., m, n] * v[.., n, d]
//
// `score` is an expression as matmul_map's: a scale, a mask, a cap and a bias are all said with it. `weight` is one of a
// weight alone: what a row of NaN becomes, which is a row that sees no key. Operands and out lie on any strides, and
// the operands' batch axes broadcast. Scores and weights are kept in the type out's sums are, so an expression that is to round
// them says so.
#pragma once

#include <cstddef>
#include <utility>

#include "ops/map/map.hpp"
#include "runtime/value.hpp"

namespace loam {

namespace kernels {
template <class Score, class Weight>
struct Attend {};
}  // namespace kernels

namespace detail {

template <class Out, class Keys, class Places>
struct ScoreAxes;
template <class Out, class Keys, std::size_t... I>
struct ScoreAxes<Out, Keys, std::index_sequence<I...>> {
  using type = List<typename At<I, Out>::type..., typename At<Keys::size - 1, Keys>::type>;
};
// Out's axes but for the last, and the keys' last.
template <class Out, class Keys>
using score_axes = typename ScoreAxes<Out, Keys, std::make_index_sequence<Out::size - 1>>::type;

}  // namespace detail

template <class B, class T, class... Axes, class Score, class Weight, class TQ, class... AQ, class TK, class... AK,
          class TV, class... AV, class... In>
  requires(sizeof...(Axes) >= 2 && sizeof...(AQ) >= 2 && sizeof...(AK) >= 2 && sizeof...(AV) >= 2) &&
          contracts<detail::score_axes<List<Axes...>, List<AK...>>, List<AQ...>, List<AK...>> &&
          contracts<List<Axes...>, detail::score_axes<List<Axes...>, List<AK...>>, List<AV...>> &&
          (... && detail::map_operand<detail::score_axes<List<Axes...>, List<AK...>>, In>())
void attend(B& b, const Value<B, T, Axes...>& out, Score, Weight, const Value<B, TQ, AQ...>& q,
            const Value<B, TK, AK...>& keys, const Value<B, TV, AV...>& v, const In&... others) {
  b.call(kernels::Attend<Score, Weight>{}, out.operand(), q.operand(), keys.operand(), v.operand(), others.operand()...);
}

}  // namespace loam
