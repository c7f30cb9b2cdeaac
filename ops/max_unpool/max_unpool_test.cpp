#include "ops/max_unpool/cpu.hpp"
#include "ops/max_unpool/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

TEST(MaxUnpool, AgreesWithTheReference) {
  Cpu cpu;
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 10; ++seed) {
      Random random(seed);
      const std::int64_t n = random.integer(0, 2), h = random.integer(1, 3), w = random.integer(1, 3);
      const std::array<std::int64_t, 4> counted{n, 2, 2 * h, 2 * w};
      const std::int64_t places = n * 8 * h * w;
      const auto x = lay<float, A, B, C, D>({n, 2, h, w}, random.reals(40), layout);
      const auto picked = random.integers(40, 0, std::max<std::int64_t>(0, places - 1));
      const auto indices = lay<std::int64_t, A, B, C, D>({n, 2, h, w}, picked, layout);
      const std::array<std::int64_t, 4> to{n, 2, 2 * h + 1, 2 * w + 2};
      const auto out = blank<float, A, B, E, F>(to), want = blank<float, A, B, E, F>(to);
      max_unpool(cpu, {}, out.value, counted, x.value, indices.value);
      reference::max_unpool(want.view(), counted, x.view(), indices.view());
      ASSERT_EQ(cpu.fault(), nullptr);
      expect_close(out.elements(), want.elements(), 0);
    }
}

TEST(MaxUnpool, KnownAnswers) {  // ONNX's test case maxunpool_export_with_output_shape
  Cpu cpu;
  const auto x = lay<float, A, B, C, D>({1, 1, 2, 2}, {5, 6, 7, 8});
  const auto indices = lay<std::int64_t, A, B, C, D>({1, 1, 2, 2}, {5, 7, 13, 15});
  const auto out = blank<float, A, B, E, F>({1, 1, 5, 5});
  max_unpool(cpu, {}, out.value, {1, 1, 4, 4}, x.value, indices.value);
  EXPECT_EQ(out.elements(),
            (Doubles{0, 0, 0, 0, 0, 0, 5, 0, 6, 0, 0, 0, 0, 0, 0, 0, 7, 0, 8, 0, 0, 0, 0, 0, 0}));
  max_unpool(cpu, {"y"}, out.value, {1, 1, 3, 3}, x.value, indices.value);
  ASSERT_NE(cpu.fault(), nullptr);
  EXPECT_EQ(*cpu.fault(), "y: position [0, 0, 1, 0] holds index 13, and the output has 9 places");
}

}  // namespace
}  // namespace loam
