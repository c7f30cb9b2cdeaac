#include "ops/lrn/cpu.hpp"
#include "ops/lrn/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;

template <class T>
void check(unsigned seed, Layout layout, double tolerance) {
  Cpu cpu;
  Random random(seed);
  const std::array<std::int64_t, 4> extents{random.integer(0, 2), random.integer(1, 7), random.integer(1, 3),
                                            random.integer(1, 3)};
  const std::int64_t size = random.integer(1, 6);
  const auto x = lay<T, A, B, C, D>(extents, random.reals(200), layout);
  const auto out = blank<T, A, B, C, D>(extents), want = blank<T, A, B, C, D>(extents);
  lrn(cpu, out.value, size, 0.3, 0.75, 1.5, x.value);
  reference::lrn(want.view(), size, 0.3, 0.75, 1.5, x.view());
  expect_close(out.elements(), want.elements(), tolerance);
}

TEST(Lrn, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 20; ++seed) {
      check<float>(seed, layout, 1e-6);
      check<double>(seed, layout, 1e-13);
      check<bfloat16>(seed, layout, 1e-2);
    }
}

TEST(Lrn, KnownAnswer) {  // by hand: size 2 looks one channel ahead and none back
  Cpu cpu;
  const auto x = lay<float, A, B>({1, 3}, {1, 2, 3});
  const auto out = blank<float, A, B>({1, 3});
  lrn(cpu, out.value, 2, 2, 1, 1, x.value);
  expect_close(out.elements(), {1.0 / 6, 2.0 / 14, 3.0 / 10}, 1e-7);
}

}  // namespace
}  // namespace loam
