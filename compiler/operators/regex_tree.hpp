// A pattern in RE2's syntax as a tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/match/match.hpp"

namespace loam {

using CodePoints = std::vector<std::pair<char32_t, char32_t>>;  // ranges, both ends included

struct RegexTree {
  enum class Kind : std::uint8_t { one_of, place, sequence, choice, repeat };
  Kind kind = Kind::sequence;
  CodePoints code_points = {};                    // one_of
  MatchState::Kind place = MatchState::at_begin;  // place
  std::vector<RegexTree> parts = {};              // of a sequence, choices, or the one that repeats
  int least = 0, most = -1;                       // repeat; -1: any number
};

// Nothing, and what is wrong, of a pattern that is none.
std::optional<RegexTree> parse_regex(std::string_view pattern, std::string& error);

}  // namespace loam
