#include "ops/roi_align/cpu.hpp"
#include "ops/roi_align/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

TEST(RoiAlign, AgreesWithTheReference) {
  Cpu cpu;
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 20; ++seed) {
      Random random(seed);
      const std::int64_t regions = random.integer(0, 3);
      const std::int64_t height = random.integer(1, 8), width = random.integer(1, 8);
      const auto x = lay<float, A, B, C, D>({2, 2, height, width}, random.reals(256), layout);
      Doubles corners;
      for (std::int64_t i = 0; i < 3; ++i)
        for (const double c : {random.reals(1, -3, 4)[0], random.reals(1, -3, 4)[0], random.reals(1, 4, 11)[0],
                               random.reals(1, 4, 11)[0]})
          corners.push_back(c);
      const auto rois = lay<float, E, F>({regions, 4}, corners, layout);
      const auto batches = lay<std::int64_t, E>({regions}, random.integers(3, 0, 1), layout);
      for (const bool maximum : {false, true})
        for (const bool half_pixel : {false, true})
          for (const std::int64_t ratio : {0, 1, 3}) {
            const RoiAlign how{maximum, half_pixel, ratio, 0.7};
            const auto out = blank<float, E, B, Axis<6>, Axis<7>>({regions, 2, 3, 2});
            const auto want = blank<float, E, B, Axis<6>, Axis<7>>({regions, 2, 3, 2});
            roi_align(cpu, {}, out.value, how, x.value, rois.value, batches.value);
            reference::roi_align(want.view(), how, x.view(), rois.view(), batches.view());
            ASSERT_EQ(cpu.fault(), nullptr);
            expect_close(out.elements(), want.elements(), 2e-5);
          }
    }
}

TEST(RoiAlign, KnownAnswers) {  // by hand: bins of one element, read in its middle
  Cpu cpu;
  const auto x = lay<float, A, B, C, D>({1, 1, 3, 3}, counting(9));
  const auto rois = lay<float, E, F>({1, 4}, {0.5, 0.5, 2.5, 2.5});
  const auto batches = lay<std::int64_t, E>({1}, {0});
  const auto out = blank<float, E, B, Axis<6>, Axis<7>>({1, 1, 2, 2});
  roi_align(cpu, {}, out.value, RoiAlign{}, x.value, rois.value, batches.value);
  EXPECT_EQ(out.elements(), (Doubles{2, 3, 5, 6}));
  const auto wrong = lay<std::int64_t, E>({1}, {1});
  roi_align(cpu, {"y"}, out.value, RoiAlign{}, x.value, rois.value, wrong.value);
  ASSERT_NE(cpu.fault(), nullptr);
  EXPECT_EQ(*cpu.fault(), "y: region 0 is of batch 1, and there are 1");
}

}  // namespace
}  // namespace loam
