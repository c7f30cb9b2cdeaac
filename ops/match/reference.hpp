#pragma once

#include <set>
#include <span>
#include <utility>

#include "ops/match/match.hpp"

namespace loam::reference {

// Whether a path from the state before byte `at` accepts: every path tried, none from one place twice.
inline bool accepts(std::span<const MatchState> states, std::string_view text, std::size_t state, std::size_t at,
                    std::set<std::pair<std::size_t, std::size_t>>& tried) {
  if (!tried.emplace(state, at).second) return false;
  const MatchState& m = states[state];
  const auto next = [&](std::int32_t s, std::size_t place) {
    return accepts(states, text, static_cast<std::size_t>(s), place, tried);
  };
  const auto word = [&](std::size_t i) {
    return i < text.size() && (std::string_view("_").find(text[i]) != text.npos || (text[i] >= '0' && text[i] <= '9') ||
                               (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z'));
  };
  switch (m.kind) {
    case MatchState::accept: return at == text.size();
    case MatchState::byte: {
      if (at == text.size()) return false;
      const auto byte = static_cast<unsigned char>(text[at]);
      return m.low <= byte && byte <= m.high && next(m.next, at + 1);
    }
    case MatchState::both: return next(m.next, at) || next(m.other, at);
    case MatchState::at_begin: return at == 0 && next(m.next, at);
    case MatchState::at_end: return at == text.size() && next(m.next, at);
    case MatchState::at_line_begin: return (at == 0 || text[at - 1] == '\n') && next(m.next, at);
    case MatchState::at_line_end: return (at == text.size() || text[at] == '\n') && next(m.next, at);
    case MatchState::at_word_edge: return word(at - 1) != word(at) && next(m.next, at);
    case MatchState::at_no_word_edge: return word(at - 1) == word(at) && next(m.next, at);
  }
  return false;
}

inline bool match(std::span<const MatchState> states, std::string_view text) {
  std::set<std::pair<std::size_t, std::size_t>> tried;
  return accepts(states, text, 0, 0, tried);
}

}  // namespace loam::reference
