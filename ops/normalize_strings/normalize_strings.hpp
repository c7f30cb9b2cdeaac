// normalize_strings: words without those of a list, in lower or upper case (ONNX StringNormalizer).
//
// In two phases: normalize_count says how many words are left, and is 1 where none is, since one empty string then
// stands for them. Words are UTF-8, and their case is changed by Unicode's simple mappings, one code point to one,
// whatever the locale; bytes that are no UTF-8 stay. Where the list is not `sensitive`, a word is on it in any case.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct NormalizeCount {};
struct NormalizeStrings {};
}  // namespace kernels

enum class CaseChange : unsigned char { none, lower, upper };

template <class B, std::size_t N, class... AX>
void normalize_count(B& b, const Value<B, std::int64_t>& count, bool sensitive,
                     const std::array<std::string_view, N>& dropped, const Value<B, std::string_view, AX...>& x) {
  b.call(kernels::NormalizeCount{}, count.operand(), sensitive, dropped, x.operand());
}

// x [.., word] with units before it, out [.., count].
template <class B, class... Axes, std::size_t N, class... AX>
  requires same_axes_but_one<List<Axes...>, List<AX...>>
void normalize_strings(B& b, const Value<B, std::string_view, Axes...>& out, CaseChange change, bool sensitive,
                       const std::array<std::string_view, N>& dropped, const Value<B, std::string_view, AX...>& x) {
  b.call(kernels::NormalizeStrings{}, out.operand(), change, sensitive, dropped, x.operand());
}

}  // namespace loam
