#include "ops/squared_distance/cpu.hpp"
#include "ops/squared_distance/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;

template <class T>
void check(unsigned seed, Layout layout, double tolerance) {
  Cpu cpu;
  Random random(seed);
  const std::int64_t rows = random.integer(0, 4), features = random.integer(0, 9), points = random.integer(0, 150);
  const auto x = lay<T, A, B>({rows, features}, random.reals(40), layout);
  const auto p = lay<T, B, C>({features, points}, random.reals(1500), layout);
  const auto out = blank<T, A, C>({rows, points}), want = blank<T, A, C>({rows, points});
  squared_distance(cpu, out.value, x.value, p.value);
  reference::squared_distance(want.view(), x.view(), p.view());
  expect_close(out.elements(), want.elements(), tolerance);
}

TEST(SquaredDistance, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 20; ++seed) {
      check<float>(seed, layout, 1e-6);
      check<double>(seed, layout, 1e-14);
      check<float16>(seed, layout, 1e-2);
    }
}

TEST(SquaredDistance, KnownAnswer) {  // by hand: (1, 2) from (4, 6), (1, 2) and (0, 0)
  Cpu cpu;
  const auto x = lay<float, A, B>({1, 2}, {1, 2});
  const auto points = lay<float, B, C>({2, 3}, {4, 1, 0, 6, 2, 0});
  const auto out = blank<float, A, C>({1, 3});
  squared_distance(cpu, out.value, x.value, points.value);
  EXPECT_EQ(out.elements(), (std::vector<double>{25, 0, 5}));
}

}  // namespace
}  // namespace loam
