// Patterns in RE2's syntax, made the automaton that ops/match runs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/match/match.hpp"

namespace loam {

// States past this are more than a pattern is worth; RE2 has a bound on memory alike.
inline constexpr std::size_t most_match_states = 16384;

// The automaton of the strings that the pattern matches as a whole, text and pattern in UTF-8. Nothing, and why, where
// the pattern is none or asks for what is RE2's and not here (Unicode classes, \C, and the case of letters past ASCII
// ignored): "has no ) to its ( [at byte 3]".
std::optional<std::vector<MatchState>> compile_regex(std::string_view pattern, std::string& error);

}  // namespace loam
