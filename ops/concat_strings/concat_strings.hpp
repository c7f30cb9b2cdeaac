// concat_strings: each string of x followed by that of y (ONNX StringConcat).
//
//   out[i..] = x[i..] y[i..]
#pragma once

#include <string_view>

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct ConcatStrings {};
}  // namespace kernels

template <class B, class... Axes, class... AX, class... AY>
  requires axes_agree<List<Axes...>, List<AX...>> && axes_agree<List<Axes...>, List<AY...>>
void concat_strings(B& b, const Value<B, std::string_view, Axes...>& out, const Value<B, std::string_view, AX...>& x,
                    const Value<B, std::string_view, AY...>& y) {
  b.call(kernels::ConcatStrings{}, out.operand(), x.operand(), y.operand());
}

}  // namespace loam
