#pragma once

#include <algorithm>
#include <span>

#include "ops/match/match.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

// Whether the place before byte `at` of the text is as the state asks.
inline bool holds(MatchState::Kind kind, std::string_view text, std::size_t at) {
  const auto is_word = [&](std::size_t i) {
    if (i >= text.size()) return false;  // also before the first byte
    const char c = text[i];
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  switch (kind) {
    case MatchState::at_begin: return at == 0;
    case MatchState::at_end: return at == text.size();
    case MatchState::at_line_begin: return at == 0 || text[at - 1] == '\n';
    case MatchState::at_line_end: return at == text.size() || text[at] == '\n';
    case MatchState::at_word_edge: return is_word(at - 1) != is_word(at);
    case MatchState::at_no_word_edge: return is_word(at - 1) == is_word(at);
    default: return true;
  }
}

// The states reached before one byte: those that read a byte or accept.
class MatchSet {
 public:
  static std::int64_t scratch_bytes(std::int64_t states) {
    return 2 * Scratch::bytes<std::int32_t>(states) + Scratch::bytes<std::size_t>(states);
  }
  MatchSet(Scratch& scratch, std::span<const MatchState> states)
      : states_(states),
        reading_(scratch.take<std::int32_t>(static_cast<std::int64_t>(states.size()))),
        waiting_(scratch.take<std::int32_t>(static_cast<std::int64_t>(states.size()))),
        seen_(scratch.take<std::size_t>(static_cast<std::int64_t>(states.size()))) {}

  void begin() {
    std::fill_n(seen_, states_.size(), unseen);
    clear();
  }
  void clear() { count_ = 0; }
  // Adds a state before byte `at` and what it goes on to without reading.
  void add(std::int32_t state, std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    const auto push = [&](std::int32_t s) {
      if (seen_[s] == at) return;
      seen_[s] = at;
      waiting_[depth++] = s;
    };
    push(state);
    while (depth > 0) {
      const std::int32_t s = waiting_[--depth];
      const MatchState& m = states_[static_cast<std::size_t>(s)];
      if (m.kind == MatchState::byte || m.kind == MatchState::accept) {
        reading_[count_++] = s;
        continue;
      }
      if (m.kind == MatchState::both) push(m.other);
      if (holds(m.kind, text, at)) push(m.next);
    }
  }
  std::span<const std::int32_t> states() const { return {reading_, count_}; }

 private:
  static constexpr std::size_t unseen = static_cast<std::size_t>(-1);
  std::span<const MatchState> states_;
  std::int32_t* reading_;
  std::int32_t* waiting_;  // no more than the states: each is pushed once for a place
  std::size_t* seen_;      // the place for which a state was last added
  std::size_t count_ = 0;
};

inline bool matches(std::span<const MatchState> states, std::string_view text, MatchSet& now, MatchSet& then) {
  now.begin();
  then.begin();
  MatchSet *from = &now, *to = &then;
  from->add(0, text, 0);
  for (std::size_t at = 0; at < text.size() && !from->states().empty(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    to->clear();
    for (const std::int32_t s : from->states()) {
      const MatchState& m = states[static_cast<std::size_t>(s)];
      if (m.kind == MatchState::byte && m.low <= byte && byte <= m.high) to->add(m.next, text, at + 1);
    }
    std::swap(from, to);
  }
  return std::ranges::any_of(from->states(), [&](std::int32_t s) { return states[static_cast<std::size_t>(s)].kind == MatchState::accept; });
}

}  // namespace detail

template <std::size_t N>
void run(kernels::Match, Cpu& cpu, const View<bool>& out, const std::array<MatchState, N>& states,
         const View<std::string_view>& x) {
  constexpr auto count = static_cast<std::int64_t>(N);
  detail::Scratch scratch(cpu, 2 * detail::MatchSet::scratch_bytes(count));
  if (!scratch) return;
  detail::MatchSet now(scratch, states), then(scratch, states);
  detail::walk(
      [&](std::int64_t i, std::int64_t from) { out.data[i] = detail::matches(states, x.data[from], now, then); }, x.dims);
}

}  // namespace loam
