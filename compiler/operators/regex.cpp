#include "compiler/operators/regex.hpp"

#include <algorithm>
#include <array>

#include "compiler/operators/regex_tree.hpp"

namespace loam {

namespace {

using State = std::int32_t;

// States are written from the end of the pattern to its begin, so that each knows what it goes on to.
class Automaton {
 public:
  // The state that begins what reads `tree` and goes on to `next`.
  State add(const RegexTree& tree, State next) {
    switch (tree.kind) {
      case RegexTree::Kind::one_of: return add(tree.code_points, next);
      case RegexTree::Kind::place: return state({tree.place, 0, 0, next, 0});
      case RegexTree::Kind::sequence:
        for (std::size_t i = tree.parts.size(); i-- > 0 && !full();) next = add(tree.parts[i], next);
        return next;
      case RegexTree::Kind::choice: {
        State begin = add(tree.parts.back(), next);
        for (std::size_t i = tree.parts.size() - 1; i-- > 0 && !full();) begin = either(add(tree.parts[i], next), begin);
        return begin;
      }
      case RegexTree::Kind::repeat: return repeat(tree, next);
    }
    return next;
  }

  State state(MatchState s) {
    if (!full()) states_.push_back(s);
    return static_cast<State>(states_.size()) - 1;
  }
  bool full() const { return states_.size() >= most_match_states; }

  // With `begin` as the first.
  std::vector<MatchState> take(State begin) {
    const auto last = static_cast<State>(states_.size()) - 1;
    const auto swapped = [&](State s) { return s == begin ? 0 : s == 0 ? begin : s; };
    std::swap(states_.front(), states_[static_cast<std::size_t>(std::clamp(begin, 0, last))]);
    for (MatchState& s : states_) {
      s.next = swapped(s.next);
      s.other = swapped(s.other);
    }
    return std::move(states_);
  }

 private:
  State either(State a, State b) { return state({MatchState::both, 0, 0, a, b}); }

  State repeat(const RegexTree& tree, State next) {
    const RegexTree& part = tree.parts.front();
    if (tree.most < 0) {
      const State again = either(next, next);
      const State begin = add(part, again);
      states_[static_cast<std::size_t>(again)].other = begin;
      next = tree.least == 0 ? again : begin;
      for (int i = 1; i < tree.least && !full(); ++i) next = add(part, next);
      return next;
    }
    const State end = next;
    for (int i = tree.least; i < tree.most && !full(); ++i) next = either(add(part, next), end);
    for (int i = 0; i < tree.least && !full(); ++i) next = add(part, next);
    return next;
  }

  // One code point of these, as the bytes of UTF-8. No code point, and none of the surrogates: no way on.
  State add(const CodePoints& ranges, State next) {
    State begin = -1;
    for (const auto& [low, high] : ranges) {
      add_range(low, std::min<char32_t>(high, 0xd7ff), next, begin);
      add_range(std::max<char32_t>(low, 0xe000), high, next, begin);
    }
    return begin >= 0 ? begin : state({MatchState::byte, 1, 0, next, 0});
  }

  // Cuts the range until its code points are the bytes of one range each, independent of each other.
  void add_range(char32_t low, char32_t high, State next, State& begin) {
    if (low > high || full()) return;
    const auto cut = [&](char32_t last) {
      add_range(low, last, next, begin);
      add_range(last + 1, high, next, begin);
    };
    for (const char32_t last : {U'\x7f', U'\x7ff', U'\xffff'})
      if (low <= last && last < high) return cut(last);
    const int tail = low < 0x80 ? 0 : low < 0x800 ? 1 : low < 0x10000 ? 2 : 3;
    for (int i = 1; i <= tail; ++i) {
      const char32_t rest = (char32_t{1} << (6 * i)) - 1;
      if ((low & ~rest) == (high & ~rest)) continue;
      if ((low & rest) != 0) return cut(low | rest);
      if ((high & rest) != rest) return cut((high & ~rest) - 1);
    }
    constexpr std::array<char32_t, 4> lead{0, 0xc0, 0xe0, 0xf0};
    State at = next;
    for (int i = 0; i < tail; ++i) {
      const auto byte = [&](char32_t c) { return static_cast<std::uint8_t>(0x80 | (c >> (6 * i) & 0x3f)); };
      at = state({MatchState::byte, byte(low), byte(high), at, 0});
    }
    const auto first = [&](char32_t c) { return static_cast<std::uint8_t>(lead[static_cast<std::size_t>(tail)] | c >> (6 * tail)); };
    at = state({MatchState::byte, first(low), first(high), at, 0});
    begin = begin < 0 ? at : either(at, begin);
  }

  std::vector<MatchState> states_;
};

}  // namespace

std::optional<std::vector<MatchState>> compile_regex(std::string_view pattern, std::string& error) {
  const auto tree = parse_regex(pattern, error);
  if (!tree) return std::nullopt;
  Automaton automaton;
  const State begin = automaton.add(*tree, automaton.state({MatchState::accept, 0, 0, 0, 0}));
  if (!automaton.full()) return automaton.take(begin);
  error = "makes an automaton of more than " + std::to_string(most_match_states) + " states";
  return std::nullopt;
}

}  // namespace loam
