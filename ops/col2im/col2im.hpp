// col2im: blocks laid back into the image they were cut from, overlaps added (ONNX Col2Im, of any number of axes).
//
//   x [N, C * block places, L] -> out [N, C, image..]
//   out[n, c, p * stride + k * dilation - begin] += x[n, c * places + k, p], over block offsets k and positions p, L of
//   them, row-major; what falls into the padding is dropped
#pragma once

#include <array>

#include "runtime/relations.hpp"

namespace loam {

template <std::size_t N>
struct Col2Im {
  std::array<std::int64_t, N> block;
  std::array<std::int64_t, N> dilations;
  std::array<std::int64_t, N> begins;  // padding
  std::array<std::int64_t, N> ends;
  std::array<std::int64_t, N> strides;
};

namespace kernels {
struct Col2Im {};
}  // namespace kernels

template <class B, class T, class... Axes, std::size_t N, class... AX>
  requires(sizeof...(AX) == 3) && (sizeof...(Axes) == N + 2) && axes_meet<List<Axes...>, 0, List<AX...>, 0>
void col2im(B& b, const Value<B, T, Axes...>& out, const Col2Im<N>& how, const Value<B, T, AX...>& x) {
  b.call(kernels::Col2Im{}, out.operand(), how, x.operand());
}

}  // namespace loam
