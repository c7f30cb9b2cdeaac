#include "ops/det/cpu.hpp"
#include "ops/det/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;

TEST(Det, AgreesWithTheReference) {
  Cpu cpu;
  for (const Layout layout : layouts)
    for (std::int64_t n = 0; n < 6; ++n) {
      Random random(static_cast<unsigned>(n));
      const auto x = lay<float, A, B, C, D>({3, 2, n, n}, random.reals(150), layout);
      const auto out = blank<float, A, B>({3, 2}), want = blank<float, A, B>({3, 2});
      det(cpu, out.value, x.value);
      reference::det(want.view(), x.view());
      expect_close(out.elements(), want.elements(), 1e-6);
      const auto singular = lay<double, C, D>({n, n}, {1, 2}, layout);  // rows that repeat
      const auto zero = blank<double>({}), zero_want = blank<double>({});
      det(cpu, zero.value, singular.value);
      reference::det(zero_want.view(), singular.view());
      expect_close(zero.elements(), zero_want.elements(), 1e-12);
    }
}

TEST(Det, KnownAnswers) {
  Cpu cpu;
  const auto x = lay<float, A, B, C>({3, 2, 2}, {1, 2, 3, 4, 1, 2, 2, 1, 0, 1, 1, 0});
  const auto out = blank<float, A>({3});
  det(cpu, out.value, x.value);
  expect_close(out.elements(), {-2, -3, -1}, 1e-6);
}

}  // namespace
}  // namespace loam
