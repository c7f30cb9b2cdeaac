// linear_attention: attention whose past is a matrix for each head, read and written position by position (ONNX
// LinearAttention).
//
//   S <- exp(decay_t) * S                     where there is a decay, of each key element or of the whole head
//   v <- beta_t * (v_t - S^T k_t)             with `delta`; else v_t
//   S <- S + k_t v^T
//   out_t = scale * S^T q_t
//
// q [batch, length, heads, D], k [batch, length, kv heads, D], v [batch, length, kv heads, E] -> out [batch, length,
// heads, E]; past and state [batch, kv heads, D, E], S before and after; past may be none, which is zeros. decay
// [batch, length, kv heads, D or 1] and beta [batch, length, kv heads or 1] may be none. Query heads read the state of
// their kv head in contiguous groups. Kept in the compute type of out, float for float16.
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct LinearAttention {};
}  // namespace kernels

template <class B, class T, class... Axes, class TS, class... AS, class TQ, class... AQ, class TK, class... AK,
          class TV, class... AV, class Past, class Decay, class Beta>
  requires(sizeof...(AS) == 4) && same_leading_axes<3, List<Axes...>, List<AQ...>> &&
          same_leading_axes<2, List<AQ...>, List<AK...>> && same_leading_axes<3, List<AK...>, List<AV...>> &&
          axes_meet<List<AQ...>, 3, List<AK...>, 3> && axes_meet<List<Axes...>, 3, List<AV...>, 3> &&
          optional_of_rank<Past, 4> && optional_of_rank<Decay, 4> && optional_of_rank<Beta, 3>
void linear_attention(B& b, const Value<B, T, Axes...>& out, const Value<B, TS, AS...>& state, double scale, bool delta,
                      const Value<B, TQ, AQ...>& q, const Value<B, TK, AK...>& k, const Value<B, TV, AV...>& v,
                      const Past& past, const Decay& decay, const Beta& beta) {
  b.call(kernels::LinearAttention{}, out.operand(), state.operand(), scale, delta, q.operand(), k.operand(),
         v.operand(), past.operand(), decay.operand(), beta.operand());
}

}  // namespace loam
