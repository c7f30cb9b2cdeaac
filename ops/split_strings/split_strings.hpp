// split_strings: the pieces of each string between delimiters (ONNX StringSplit).
//
// In two phases: split_count says how many pieces the string of most pieces has, so that the outputs can be made
// exactly. Of a string at most `most` delimiters count (negative: all), and its last piece is what follows them. An
// empty delimiter stands for any run of white space (of ASCII), and then none begins or ends a string's pieces. An empty
// string has no pieces, as in onnxruntime.
#pragma once

#include <string_view>

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct SplitCount {};
struct SplitStrings {};
}  // namespace kernels

template <class B, class... AX>
void split_count(B& b, const Value<B, std::int64_t>& count, std::string_view delimiter, std::int64_t most,
                 const Value<B, std::string_view, AX...>& x) {
  b.call(kernels::SplitCount{}, count.operand(), delimiter, most, x.operand());
}

// pieces [x.., count]: each string's, then empty strings; counts [x..]: how many are pieces. Either may be none.
template <class B, class Pieces, class Counts, class... AX>
  requires optional_of_rank<Pieces, sizeof...(AX) + 1> && optional_of_rank<Counts, sizeof...(AX)>
void split_strings(B& b, const Pieces& pieces, const Counts& counts, std::string_view delimiter, std::int64_t most,
                   const Value<B, std::string_view, AX...>& x) {
  b.call(kernels::SplitStrings{}, pieces.operand(), counts.operand(), delimiter, most, x.operand());
}

}  // namespace loam
