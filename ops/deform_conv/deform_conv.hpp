// deform_conv: a 2-D convolution that reads each tap where an offset moves it to (ONNX DeformConv).
//
//   x [N, C, H, W], w [M, C / group, kh, kw], offset [N, offset_group * kh * kw * 2, oh, ow],
//   bias [M] or none, mask [N, offset_group * kh * kw, oh, ow] or none -> out [N, M, oh, ow]
//
//   out[n, m, i, j] = bias[m] + sum over c, p, q of w[m, c, p, q] * mask
//                     * x(n, c, i * stride + p * dilation - begin + dy, j * stride + q * dilation - begin + dx)
//
// (dy, dx) and mask are those of the channel's offset group, the tap and the place; x is read bilinearly and is 0
// outside.
#pragma once

#include <array>

#include "runtime/relations.hpp"

namespace loam {

struct DeformConv {
  std::array<std::int64_t, 2> strides{1, 1};
  std::array<std::int64_t, 2> dilations{1, 1};
  std::array<std::int64_t, 2> begins{0, 0};  // padding
  std::int64_t group = 1;
  std::int64_t offset_group = 1;
};

namespace kernels {
struct DeformConv {};
}  // namespace kernels

template <class B, class T, class... Axes, class... AX, class TW, class... AW, class TO, class... AO, class Bias,
          class Mask>
  requires(sizeof...(Axes) == 4) && (sizeof...(AX) == 4) && (sizeof...(AW) == 4) && (sizeof...(AO) == 4) &&
          axes_meet<List<Axes...>, 0, List<AX...>, 0> && axes_meet<List<Axes...>, 1, List<AW...>, 0> &&
          optional_of_rank<Bias, 1> && optional_of_rank<Mask, 4>
void deform_conv(B& b, const Value<B, T, Axes...>& out, const DeformConv& how, const Value<B, T, AX...>& x,
                 const Value<B, TW, AW...>& w, const Value<B, TO, AO...>& offset, const Bias& bias,
                 const Mask& mask) {
  b.call(kernels::DeformConv{}, out.operand(), how, x.operand(), w.operand(), offset.operand(), bias.operand(),
         mask.operand());
}

}  // namespace loam
