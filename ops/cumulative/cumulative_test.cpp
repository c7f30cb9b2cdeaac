#include "ops/cumulative/cpu.hpp"
#include "ops/cumulative/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

template <class Kind, class T>
void check(unsigned seed, Layout layout, double tolerance) {
  Cpu cpu;
  Random random(seed);
  const std::array<std::int64_t, 3> extents{random.integer(0, 4), random.integer(1, 9), random.integer(0, 5)};
  const auto x = lay<T, A, B, C>(extents, random.integers(180, -2, 2), layout);
  for (int axis = 0; axis < 3; ++axis)
    for (const bool exclusive : {false, true})
      for (const bool reverse : {false, true}) {
        const auto out = blank<T, A, B, C>(extents), want = blank<T, A, B, C>(extents);
        cumulative(cpu, out.value, Kind{}, axis, exclusive, reverse, x.value);
        reference::cumulative(want.view(), Kind{}, axis, exclusive, reverse, x.view());
        expect_close(out.elements(), want.elements(), tolerance);
      }
}

TEST(Cumulative, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 10; ++seed) {
      check<CumSum, float>(seed, layout, 1e-6);
      check<CumSum, std::int32_t>(seed, layout, 0);
      check<CumProd, double>(seed, layout, 0);
      check<CumSum, float16>(seed, layout, 1e-3);
    }
}

TEST(Cumulative, KnownAnswers) {  // TensorRT #4513, tvm #18135; values from onnxruntime
  Cpu cpu;
  const auto x = lay<float, A, B>({2, 4}, counting(8, 1));
  const auto out = blank<float, A, B>({2, 4});
  cumulative(cpu, out.value, CumSum{}, 1, false, true, x.value);
  EXPECT_EQ(out.elements(), (Doubles{10, 9, 7, 4, 26, 21, 15, 8}));
  cumulative(cpu, out.value, CumSum{}, 1, true, false, x.value);
  EXPECT_EQ(out.elements(), (Doubles{0, 1, 3, 6, 0, 5, 11, 18}));
  cumulative(cpu, out.value, CumSum{}, 1, true, true, x.value);
  EXPECT_EQ(out.elements(), (Doubles{9, 7, 4, 0, 21, 15, 8, 0}));
  cumulative(cpu, out.value, CumProd{}, 1, true, false, x.value);
  EXPECT_EQ(out.elements(), (Doubles{1, 1, 2, 6, 1, 5, 30, 210}));
}

TEST(Cumulative, IntegersWrap) {
  Cpu cpu;
  const auto x = lay<std::int32_t, A>({2}, {2147483647, 2});
  const auto out = blank<std::int32_t, A>({2});
  cumulative(cpu, out.value, CumProd{}, 0, false, false, x.value);
  EXPECT_EQ(out.elements(), (Doubles{2147483647, -2}));
}

}  // namespace
}  // namespace loam
