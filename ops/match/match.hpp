// match: whether all of each string is in a regular language (ONNX RegexFullMatch).
//
// The language is an automaton over bytes, which the build makes of the pattern. It starts at its first state; a string
// is in the language where a path through the states reads all of it and ends at `accept`. Time is the string's length
// times the states, whatever the pattern.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct Match {};
}  // namespace kernels

// A state, which reads a byte of [low, high] and goes on to `next`, or reads none: goes on to `next` and to `other`, or
// to `next` where a place in the text is as it asks.
struct MatchState {
  enum Kind : std::uint8_t {
    accept, byte, both, at_begin, at_end, at_line_begin, at_line_end, at_word_edge, at_no_word_edge,
  };
  Kind kind;
  std::uint8_t low, high;
  std::int32_t next, other;
};

template <class B, class... Axes, class... AX, std::size_t N>
  requires axes_agree<List<Axes...>, List<AX...>>
void match(B& b, const Value<B, bool, Axes...>& out, const std::array<MatchState, N>& states,
           const Value<B, std::string_view, AX...>& x) {
  b.call(kernels::Match{}, out.operand(), states, x.operand());
}

}  // namespace loam
