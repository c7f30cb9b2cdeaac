#include "ops/pair_scores/cpu.hpp"
#include "ops/pair_scores/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;

template <class T>
void check(unsigned seed, Layout layout, double tolerance) {
  Cpu cpu;
  Random random(seed);
  const std::int64_t rows = random.integer(0, 4), classes = random.integer(2, 5);
  std::vector<double> starts{0};
  for (std::int64_t c = 0; c < classes; ++c) starts.push_back(starts.back() + static_cast<double>(random.integer(0, 3)));
  const auto vectors = static_cast<std::int64_t>(starts.back()), pairs = classes * (classes - 1) / 2;
  const auto values = lay<T, A, C>({rows, vectors}, random.reals(100), layout);
  const auto coefficients = lay<T, D, C>({classes - 1, vectors}, random.reals(100), layout);
  const auto first = lay<std::int64_t, E>({classes + 1}, starts, layout);
  const auto offsets = lay<T, B>({pairs}, random.reals(10), layout);
  const auto out = blank<T, A, B>({rows, pairs}), want = blank<T, A, B>({rows, pairs});
  pair_scores(cpu, out.value, values.value, coefficients.value, first.value, offsets.value);
  reference::pair_scores(want.view(), values.view(), coefficients.view(), first.view(), offsets.view());
  expect_close(out.elements(), want.elements(), tolerance);
}

TEST(PairScores, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 30; ++seed) {
      check<float>(seed, layout, 1e-6);
      check<double>(seed, layout, 1e-14);
      check<bfloat16>(seed, layout, 1e-2);
    }
}

TEST(PairScores, KnownAnswer) {  // by hand: classes of one vector, two and one
  Cpu cpu;
  const auto values = lay<float, A, C>({1, 4}, {1, 2, 3, 4});
  const auto coefficients = lay<float, D, C>({2, 4}, {1, 10, 100, 1000, 2, 20, 200, 2000});
  const auto starts = lay<std::int64_t, E>({4}, {0, 1, 3, 4});
  const auto offsets = lay<float, B>({3}, {0.5, 0.25, 0.125});
  const auto out = blank<float, A, B>({1, 3});
  pair_scores(cpu, out.value, values.value, coefficients.value, starts.value, offsets.value);
  EXPECT_EQ(out.elements(), (std::vector<double>{1 + 20 + 300 + 0.5, 2 + 4000 + 0.25, 40 + 600 + 8000 + 0.125}));
}

}  // namespace
}  // namespace loam
