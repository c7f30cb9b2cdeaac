#include "ops/max_roi_pool/cpu.hpp"
#include "ops/max_roi_pool/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

template <class T>
void check(unsigned seed, Layout layout) {
  Cpu cpu;
  Random random(seed);
  const std::int64_t regions = random.integer(0, 4), height = random.integer(1, 7), width = random.integer(1, 7);
  const auto x = lay<T, A, B, C, D>({2, 2, height, width}, random.reals(200), layout);
  Doubles corners;
  for (std::int64_t i = 0; i < 4; ++i) {
    corners.push_back(random.integers(1, 0, 1)[0]);
    for (const double c : random.integers(4, -4, 20)) corners.push_back(c);  // backward and outside ones too
  }
  const auto rois = lay<T, E, F>({regions, 5}, corners, layout);
  const auto out = blank<T, E, B, Axis<6>, Axis<7>>({regions, 2, 2, 3});
  const auto want = blank<T, E, B, Axis<6>, Axis<7>>({regions, 2, 2, 3});
  max_roi_pool(cpu, {}, out.value, 0.5, x.value, rois.value);
  reference::max_roi_pool(want.view(), 0.5, x.view(), rois.view());
  ASSERT_EQ(cpu.fault(), nullptr);
  EXPECT_EQ(out.elements(), want.elements());
}

TEST(MaxRoiPool, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 30; ++seed) {
      check<float>(seed, layout);
      check<double>(seed, layout);
      check<float16>(seed, layout);
    }
}

TEST(MaxRoiPool, KnownAnswers) {  // by hand: three elements by two bins of two, the middle one in both
  Cpu cpu;
  const auto x = lay<float, A, B, C, D>({1, 1, 3, 3}, counting(9));
  const auto rois = lay<float, E, F>({2, 5}, {0, 0, 0, 2, 2, 0, 9, 9, 9, 9});
  const auto out = blank<float, E, B, Axis<6>, Axis<7>>({2, 1, 2, 2});
  max_roi_pool(cpu, {}, out.value, 1, x.value, rois.value);
  EXPECT_EQ(out.elements(), (Doubles{4, 5, 7, 8, 0, 0, 0, 0}));
  const auto wrong = lay<float, E, F>({1, 5}, {1, 0, 0, 0, 0});
  const auto one = blank<float, E, B, Axis<6>, Axis<7>>({1, 1, 2, 2});
  max_roi_pool(cpu, {"y"}, one.value, 1, x.value, wrong.value);
  ASSERT_NE(cpu.fault(), nullptr);
  EXPECT_EQ(*cpu.fault(), "y: region 0 is of batch 1.000000, and there are 1");
}

}  // namespace
}  // namespace loam
