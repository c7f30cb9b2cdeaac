#include "ops/match/cpu.hpp"
#include "ops/match/reference.hpp"
#include "ops/string_test.hpp"

namespace loam {
namespace {

using namespace laid;
using S = MatchState;

template <std::size_t N>
std::vector<double> matched(const std::array<S, N>& states, const Words& words, Layout layout = Layout::Dense) {
  Cpu cpu;
  const auto n = static_cast<std::int64_t>(words.size());
  const auto out = blank<bool, A>({n});
  match(cpu, out.value, states, lay_strings<A>({n}, words, layout).value);
  return out.elements();
}

TEST(Match, AgreesWithTheReferenceOnAnyAutomaton) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 300; ++seed) {
      Random random(seed);
      std::array<S, 7> states;
      for (S& s : states) {
        const auto to = [&] { return static_cast<std::int32_t>(random.integer(0, 6)); };
        s = {static_cast<S::Kind>(random.integer(0, 4) < 3 ? random.integer(1, 2) : random.integer(0, 8)), 'a', 'a', to(), to()};
        s.high = static_cast<std::uint8_t>('a' + random.integer(0, 1));
      }
      states[6].kind = S::accept;
      Strings texts{"", "a", "b", "ab", "a\nb", " a", "aab_", "bbbbbbbb"};
      const std::vector<double> found = matched(states, {texts.begin(), texts.end()}, layout);
      for (std::size_t i = 0; i < texts.size(); ++i)
        EXPECT_EQ(found[i] != 0, reference::match(states, texts[i])) << seed << " \"" << texts[i] << '"';
    }
}

TEST(Match, KnownAnswers) {
  // (a|b)*c
  const std::array<S, 4> states{{{S::both, 0, 0, 1, 2}, {S::byte, 'a', 'b', 0, 0}, {S::byte, 'c', 'c', 3, 0}, {S::accept, 0, 0, 0, 0}}};
  EXPECT_EQ(matched(states, {"c", "abbac", "", "ab", "cc", "acb"}), (std::vector<double>{1, 1, 0, 0, 0, 0}));
}

TEST(Match, TimeIsLinearInTheText) {
  // (a*)*b, at which a matcher that tries one path after another takes as many steps as there are ways to cut the a's.
  const std::array<S, 5> states{{{S::both, 0, 0, 1, 3}, {S::both, 0, 0, 2, 0}, {S::byte, 'a', 'a', 1, 0}, {S::byte, 'b', 'b', 4, 0}, {S::accept, 0, 0, 0, 0}}};
  const std::string text(100000, 'a');
  EXPECT_EQ(matched(states, {text, text + "b"}), (std::vector<double>{0, 1}));
}

}  // namespace
}  // namespace loam
