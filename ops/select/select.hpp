// select: the elements that a test picks, their number known only from the data (ONNX NonZero, Compress).
//
// Each function has two phases: one counts, so that the output can be made exactly; the other fills it.
//
//   nonzero   out[axis, n] is the coordinate on `axis` of the n-th element of x that is not zero, row-major
//   compress  out[.., n, ..] = x[.., i, ..], i being the n-th place where condition holds; `axis` -1 takes x flattened
//
// A NaN is not zero. A scalar's nonzero has no rows. condition may be shorter than the axis, whose rest is left out,
// or longer, its rest then being ignored.
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct NonzeroCount {};
struct Nonzero {};
struct CompressCount {};
struct Compress {};
}  // namespace kernels

template <class B, class T, class... AX>
void nonzero_count(B& b, const Value<B, std::int64_t>& count, const Value<B, T, AX...>& x) {
  b.call(kernels::NonzeroCount{}, count.operand(), x.operand());
}

// out [x's rank, count]
template <class B, class Rank, class Count, class T, class... AX>
void nonzero(B& b, const Value<B, std::int64_t, Rank, Count>& out, const Value<B, T, AX...>& x) {
  b.call(kernels::Nonzero{}, out.operand(), x.operand());
}

// extent: x's on the axis, or its elements where it is taken flattened.
template <class B, class Condition>
void compress_count(B& b, const Value<B, std::int64_t>& count, std::int64_t extent,
                    const Value<B, bool, Condition>& condition) {
  b.call(kernels::CompressCount{}, count.operand(), extent, condition.operand());
}

// out is x but for its extent on `axis`, or of rank 1 where axis is -1.
template <class B, class T, class... Axes, class... AX, class Condition>
  requires same_axes_but_one<List<Axes...>, List<AX...>> || (sizeof...(Axes) == 1)
void compress(B& b, const Value<B, T, Axes...>& out, int axis, const Value<B, T, AX...>& x,
              const Value<B, bool, Condition>& condition) {
  b.call(kernels::Compress{}, out.operand(), axis, x.operand(), condition.operand());
}

}  // namespace loam
