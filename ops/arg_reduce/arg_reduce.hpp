// arg_reduce: where along one axis (counted from 0, outermost) the greatest or least element of x stands (ONNX ArgMax,
// ArgMin), as int64. Of equal ones the first, or the last where `select_last`. NaN counts as more extreme than any
// number, as in numpy; onnxruntime's answer depends on where the NaN stands. out has x's rank, a unit in place of the
// axis, or lacks it. Along an axis of no elements the result is 0.
#pragma once

#include <cstdint>

#include "runtime/value.hpp"

namespace loam {

struct ArgMax {};
struct ArgMin {};

namespace kernels {
template <class Which>
struct ArgReduce {};
}  // namespace kernels

template <class B, class... Axes, class Which, class TX, class... AX>
  requires reduces<List<Axes...>, List<AX...>>
void arg_reduce(B& b, const Value<B, std::int64_t, Axes...>& out, Which, int axis, bool select_last,
                const Value<B, TX, AX...>& x) {
  b.call(kernels::ArgReduce<Which>{}, out.operand(), axis, select_last, x.operand());
}

}  // namespace loam
