#include "ops/deform_conv/cpu.hpp"
#include "ops/deform_conv/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

TEST(DeformConv, AgreesWithTheReference) {
  Cpu cpu;
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 20; ++seed) {
      Random random(seed);
      DeformConv how;
      how.group = random.integer(1, 2), how.offset_group = random.integer(1, 2);
      for (std::size_t a = 0; a < 2; ++a) {
        how.strides[a] = random.integer(1, 2);
        how.dilations[a] = random.integer(1, 2);
        how.begins[a] = random.integer(0, 1);
      }
      const std::int64_t n = random.integer(0, 2), kh = random.integer(1, 3), kw = random.integer(1, 2);
      const std::int64_t oh = random.integer(1, 3), ow = random.integer(1, 3), taps = how.offset_group * kh * kw;
      const std::int64_t height = random.integer(1, 5), width = random.integer(1, 5);
      const auto x = lay<float, A, B, C, D>({n, 4, height, width}, random.reals(200), layout);
      const auto w = lay<float, E, B, Axis<6>, Axis<7>>({6, 4 / how.group, kh, kw}, random.reals(144), layout);
      const auto offset = lay<float, A, F, C, D>({n, 2 * taps, oh, ow}, random.reals(432), layout);
      const auto mask = lay<float, A, F, C, D>({n, taps, oh, ow}, random.reals(216), layout);
      const auto bias = lay<float, E>({6}, random.reals(6), layout);
      const auto out = blank<float, A, E, C, D>({n, 6, oh, ow}), want = blank<float, A, E, C, D>({n, 6, oh, ow});
      deform_conv(cpu, out.value, how, x.value, w.value, offset.value, bias.value, mask.value);
      reference::deform_conv(want.view(), how, x.view(), w.view(), offset.view(), bias.view(), mask.view());
      expect_close(out.elements(), want.elements(), 2e-5);
    }
}

TEST(DeformConv, KnownAnswers) {  // ONNX's test case basic_deform_conv_without_padding
  Cpu cpu;
  const auto x = lay<float, A, B, C, D>({1, 1, 3, 3}, counting(9));
  const auto w = lay<float, E, B, Axis<6>, Axis<7>>({1, 1, 2, 2}, {1});
  Doubles moves(32);
  moves[0] = 0.5;        // the first tap's y at the first place
  moves[5 * 4 + 3] = -0.1;  // the third tap's x at the last place
  const auto offset = lay<float, A, F, Axis<8>, Axis<9>>({1, 8, 2, 2}, moves);
  const auto out = blank<float, A, E, Axis<8>, Axis<9>>({1, 1, 2, 2});
  deform_conv(cpu, out.value, DeformConv{}, x.value, w.value, offset.value, none, none);
  expect_close(out.elements(), {9.5, 12, 20, 23.9}, 1e-6);
}

}  // namespace
}  // namespace loam
