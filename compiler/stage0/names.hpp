// Words: of layout rules, dim_params and the axis names made of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loam {

// Whether a shell wildcard (* any run, ? any one) matches the whole text.
bool wildcard_matches(std::string_view pattern, std::string_view text);
// "(Head Dim)" is {"Head", "Dim"}; "Seq" is {"Seq"}.
std::vector<std::string> layout_words(std::string_view axis);
// "past_sequence_length + 1" is "PastSequenceLengthPlus1"; empty where no letter or digit is.
std::string pascal_case(std::string_view words);

}  // namespace loam
