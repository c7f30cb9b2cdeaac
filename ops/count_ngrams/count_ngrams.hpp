// count_ngrams: how often each n-gram of a pool stands in a row of tokens (ONNX TfIdfVectorizer, mode TF).
//
//   x [.., position], pool [token], grams [gram, 2], lengths [length + 1] -> out [.., place]
//
// A gram is its first token's place in the pool and the place of `out` that counts it. Those of shortest + l tokens are
// the grams [lengths[l], lengths[l + 1]), in lexicographic order of their tokens and all different. A gram's tokens may
// stand 1 + s positions apart for any s up to most_skipped; a gram of one token has no gaps and is counted once.
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct CountNgrams {};
}  // namespace kernels

template <class B, class T, class... Axes, class I, class... AX, class Token, class Gram, class Two, class Length>
  requires same_axes_but_one<List<Axes...>, List<AX...>>
void count_ngrams(B& b, const Value<B, T, Axes...>& out, std::int64_t shortest, std::int64_t most_skipped,
                  const Value<B, I, AX...>& x, const Value<B, std::int64_t, Token>& pool,
                  const Value<B, std::int64_t, Gram, Two>& grams, const Value<B, std::int64_t, Length>& lengths) {
  b.call(kernels::CountNgrams{}, out.operand(), shortest, most_skipped, x.operand(), pool.operand(), grams.operand(),
         lengths.operand());
}

}  // namespace loam
