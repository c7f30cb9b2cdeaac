#include "ops/concat_strings/cpu.hpp"
#include "ops/concat_strings/reference.hpp"
#include "ops/string_test.hpp"

namespace loam {
namespace {

using namespace laid;
using namespace std::string_view_literals;

TEST(ConcatStrings, AgreesWithTheReference) {
  const Words words{"a", "", "b\0c"sv, "\xc3\xa9", "a word too long for what a short string holds within itself"};
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 20; ++seed) {
      Cpu cpu;
      Random random(seed);
      const std::array<std::int64_t, 2> extents{random.integer(0, 4), random.integer(0, 4)};
      const auto x = lay_strings<A, laid::B>(extents, words, layout);
      const auto y = lay_strings<A, laid::B>(extents, {"1", "", "3"}, layout);
      const auto out = lay_strings<A, laid::B>(extents, {});
      concat_strings(cpu, out.value, x.value, y.value);
      EXPECT_EQ(strings(out), reference::concat_strings(x.view(), y.view()));
    }
}

TEST(ConcatStrings, TextOutlivesItsOperandsUntilTheNextForward) {
  Cpu cpu;
  const auto out = lay_strings<>({}, {});
  {
    const std::string left(40, 'l'), right(40, 'r');
    concat_strings(cpu, out.value, lay_strings<>({}, {left}).value, lay_strings<>({}, {right}).value);
  }
  EXPECT_EQ(strings(out), (Strings{std::string(40, 'l') + std::string(40, 'r')}));
}

}  // namespace
}  // namespace loam
