// unique: the different elements of x, or the different slices along an axis (ONNX Unique).
//
// In two phases: unique_count says how many there are, so that the outputs can be made exactly. `axis` -1 takes x
// flattened. Where `sorted`, the results ascend (slices lexicographically); else they stand in the order of their first
// places. Two zeros are one whatever their signs; NaNs are one, and larger than every number, as in NumPy.
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct UniqueCount {};
struct Unique {};
}  // namespace kernels

template <class B, class T, class... AX>
void unique_count(B& b, const Value<B, std::int64_t>& count, int axis, const Value<B, T, AX...>& x) {
  b.call(kernels::UniqueCount{}, count.operand(), axis, x.operand());
}

// out (or none): x but for `count` places on the axis, or [count]; first_indices [count]: the first place of each;
// inverse [places]: which result each place of x holds; counts [count]: the places of each. Any may be none.
template <class B, class Out, class First, class Inverse, class Counts, class T, class... AX>
  requires optional_of_rank<First, 1> && optional_of_rank<Inverse, 1> && optional_of_rank<Counts, 1> &&
           (optional_of_rank<Out, 1> || optional_of_rank<Out, sizeof...(AX)>)
void unique(B& b, const Out& out, const First& first_indices, const Inverse& inverse, const Counts& counts, int axis,
            bool sorted, const Value<B, T, AX...>& x) {
  b.call(kernels::Unique{}, out.operand(), first_indices.operand(), inverse.operand(), counts.operand(), axis, sorted,
         x.operand());
}

}  // namespace loam
