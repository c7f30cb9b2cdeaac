// pair_scores: how a support vector machine tells each two of its classes apart (ONNX-ML SVMClassifier, LIBSVM).
//
//   values [row, vector], coefficients [class - 1, vector], starts [class + 1], offsets [pair] -> out [row, pair]
//
// Class c's vectors are [starts[c], starts[c + 1]). The pairs are the classes i < j, by i and then by j, and
//
//   out[row, (i, j)] = sum of values * coefficients[j - 1] over i's vectors and of values * coefficients[i] over j's
//                      + offsets[(i, j)]
//
// Sums are in double.
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct PairScores {};
}  // namespace kernels

template <class B, class T, class Row, class Pair, class RowV, class Vector, class Other, class VectorC, class Start,
          class PairO>
  requires axes_meet<List<Row>, 0, List<RowV>, 0> && axes_meet<List<Vector>, 0, List<VectorC>, 0> &&
           axes_meet<List<Pair>, 0, List<PairO>, 0>
void pair_scores(B& b, const Value<B, T, Row, Pair>& out, const Value<B, T, RowV, Vector>& values,
                 const Value<B, T, Other, VectorC>& coefficients, const Value<B, std::int64_t, Start>& starts,
                 const Value<B, T, PairO>& offsets) {
  b.call(kernels::PairScores{}, out.operand(), values.operand(), coefficients.operand(), starts.operand(),
         offsets.operand());
}

}  // namespace loam
