#include "ops/col2im/cpu.hpp"
#include "ops/col2im/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

TEST(Col2Im, AgreesWithTheReference) {
  Cpu cpu;
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 30; ++seed) {
      Random random(seed);
      Col2Im<2> how{};
      std::array<std::int64_t, 2> image{};
      std::int64_t block = 1, length = 1;
      for (std::size_t a = 0; a < 2; ++a) {
        how.block[a] = random.integer(1, 3), how.dilations[a] = random.integer(1, 2);
        how.begins[a] = random.integer(0, 2), how.ends[a] = random.integer(0, 2), how.strides[a] = random.integer(1, 3);
        const std::int64_t reach = how.dilations[a] * (how.block[a] - 1) + 1;
        image[a] = std::max<std::int64_t>(1, reach - how.begins[a] - how.ends[a]) + random.integer(0, 4);
        block *= how.block[a];
        length *= (image[a] + how.begins[a] + how.ends[a] - reach) / how.strides[a] + 1;
      }
      const std::int64_t n = random.integer(0, 2), c = random.integer(1, 2);
      const auto x = lay<float, A, B, C>({n, c * block, length}, random.reals(n * c * block * length), layout);
      const auto out = blank<float, A, D, E, F>({n, c, image[0], image[1]});
      const auto want = blank<float, A, D, E, F>({n, c, image[0], image[1]});
      col2im(cpu, out.value, how, x.value);
      reference::col2im(want.view(), how, x.view());
      ASSERT_EQ(cpu.fault(), nullptr);
      expect_close(out.elements(), want.elements(), 1e-6);
    }
}

TEST(Col2Im, KnownAnswer) {  // blocks of 2 of a line of 3 overlap in its middle
  Cpu cpu;
  const auto x = lay<float, A, B, C>({1, 2, 2}, {1, 2, 10, 20});
  const auto out = blank<float, A, D, E>({1, 1, 3});
  col2im(cpu, out.value, Col2Im<1>{{2}, {1}, {0}, {0}, {1}}, x.value);
  EXPECT_EQ(out.elements(), (Doubles{1, 12, 20}));
}

}  // namespace
}  // namespace loam
