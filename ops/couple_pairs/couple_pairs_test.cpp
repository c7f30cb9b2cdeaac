#include "ops/couple_pairs/cpu.hpp"
#include "ops/couple_pairs/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

template <class T>
void check(unsigned seed, Layout layout, double tolerance) {
  Cpu cpu;
  Random random(seed);
  const std::int64_t rows = random.integer(0, 4), classes = random.integer(2, 6), pairs = classes * (classes - 1) / 2;
  const auto x = lay<T, A, B>({rows, pairs}, random.reals(60, 0.05, 0.95), layout);
  const auto out = blank<T, A, C>({rows, classes}), want = blank<T, A, C>({rows, classes});
  couple_pairs(cpu, out.value, x.value);
  reference::couple_pairs(want.view(), x.view());
  expect_close(out.elements(), want.elements(), tolerance);
}

// As near the least place as the search goes: it ends where the conditions hold to 0.005 / classes.
TEST(CouplePairs, ComesNearTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 60; ++seed) {
      check<float>(seed, layout, 0.02);
      check<double>(seed, layout, 0.02);
    }
}

TEST(CouplePairs, ProbabilitiesThatFitEachOtherStay) {  // p = 1/2, 3/8, 1/8: r(i, j) = p(i) / (p(i) + p(j))
  Cpu cpu;
  const auto x = lay<double, A, B>({1, 3}, {4.0 / 7, 4.0 / 5, 3.0 / 4});
  const auto out = blank<double, A, C>({1, 3});
  couple_pairs(cpu, out.value, x.value);
  expect_close(out.elements(), {0.5, 0.375, 0.125}, 0.005);
}

TEST(CouplePairs, EqualChancesAreTheAnswerAtOnce) {
  Cpu cpu;
  const auto x = lay<float, A, B>({1, 6}, {0.5});
  const auto out = blank<float, A, C>({1, 4});
  couple_pairs(cpu, out.value, x.value);
  EXPECT_EQ(out.elements(), (Doubles{0.25, 0.25, 0.25, 0.25}));
}

}  // namespace
}  // namespace loam
