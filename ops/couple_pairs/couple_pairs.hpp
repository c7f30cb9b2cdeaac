// couple_pairs: the probability of each class, from those that tell each two apart (Wu, Lin and Weng, "Probability
// Estimates for Multi-class Classification by Pairwise Coupling", 2004, its second method; LIBSVM, ONNX-ML
// SVMClassifier).
//
//   x [row, pair] -> out [row, class]
//
// x[.., (i, j)], 0 < x < 1, is how probable class i is of i and j, which are the classes i < j by i and then by j. out
// is where the sum over i != j of (r(j, i) p(i) - r(i, j) p(j))^2 is least, r(i, j) being x's and r(j, i) = 1 - r(i, j):
// sought from equal probabilities on, one class at a time, until the conditions of that least place hold to
// 0.005 / classes, at most max(100, classes) rounds. That measure is coarse, so where the search ends is part of the
// answer: it is sought in out's compute type.
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct CouplePairs {};
}  // namespace kernels

template <class B, class T, class Row, class Class, class RowX, class Pair>
  requires axes_meet<List<Row>, 0, List<RowX>, 0>
void couple_pairs(B& b, const Value<B, T, Row, Class>& out, const Value<B, T, RowX, Pair>& x) {
  b.call(kernels::CouplePairs{}, out.operand(), x.operand());
}

}  // namespace loam
