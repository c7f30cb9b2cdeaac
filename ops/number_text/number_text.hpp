// format_numbers and parse_numbers: numbers as text, and back (ONNX Cast to and from string).
//
// An integer is written in decimals, a bool as 1 or 0, a float with 8 significant digits as printf's %g does, infinities
// and NaN as INF, -INF and NaN: what onnxruntime writes, of every float's length.
//
// Read is a whole number or one with a fraction or an exponent, INF, INFINITY and NaN in any case, each after a sign or
// none, white space on either side. Text that is none, or outside the type read to, has no answer. To an integer a
// fraction is cut off. To uint64 a negative whole number wraps.
#pragma once

#include <string_view>

#include "runtime/backend.hpp"
#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct FormatNumbers {};
struct ParseNumbers {};
}  // namespace kernels

template <class B, class... Axes, class T, class... AX>
  requires axes_agree<List<Axes...>, List<AX...>>
void format_numbers(B& b, const Value<B, std::string_view, Axes...>& out, const Value<B, T, AX...>& x) {
  b.call(kernels::FormatNumbers{}, out.operand(), x.operand());
}

// T is float, double, int64 or uint64.
template <class B, class T, class... Axes, class... AX>
  requires axes_agree<List<Axes...>, List<AX...>>
void parse_numbers(B& b, const Site& site, const Value<B, T, Axes...>& out, const Value<B, std::string_view, AX...>& x) {
  b.call(kernels::ParseNumbers{}, site, out.operand(), x.operand());
}

}  // namespace loam
