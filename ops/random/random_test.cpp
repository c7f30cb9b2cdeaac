#include "ops/random/cpu.hpp"
#include "ops/random/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

TEST(RandomNumbers, PhiloxKnownAnswers) {  // Random123's
  using random::Block;
  EXPECT_EQ(random::philox({0, 0, 0, 0}, 0, 0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(random::philox({ones, ones, ones, ones}, ones, ones),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(random::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

struct Moments {
  double mean, deviation;
};
Moments moments(const Doubles& v) {
  double sum = 0, squares = 0;
  for (const double x : v) sum += x;
  const double mean = sum / static_cast<double>(v.size());
  for (const double x : v) squares += (x - mean) * (x - mean);
  return {mean, std::sqrt(squares / static_cast<double>(v.size()))};
}

TEST(RandomNumbers, Distributions) {
  Cpu cpu;
  const auto out = blank<float, A, B>({100, 300});
  random_uniform(cpu, out.value, -1, 3, 7);
  for (const double v : out.elements()) ASSERT_TRUE(v >= -1 && v < 3);
  EXPECT_NEAR(moments(out.elements()).mean, 1, 0.03);
  EXPECT_NEAR(moments(out.elements()).deviation, 4 / std::sqrt(12), 0.02);
  random_normal(cpu, out.value, 2, 3, 7);
  EXPECT_NEAR(moments(out.elements()).mean, 2, 0.06);
  EXPECT_NEAR(moments(out.elements()).deviation, 3, 0.05);
  const auto p = lay<float, A, B>({100, 300}, {0.25});
  bernoulli(cpu, out.value, 7, p.value);
  for (const double v : out.elements()) ASSERT_TRUE(v == 0 || v == 1);
  EXPECT_NEAR(moments(out.elements()).mean, 0.25, 0.01);
}

TEST(RandomNumbers, ASeedIsASequence) {
  Cpu cpu;
  const auto a = blank<double, A>({64}), b = blank<double, A>({64}), c = blank<double, A>({64});
  random_normal(cpu, a.value, 0, 1, 1);
  random_normal(cpu, b.value, 0, 1, 1);
  random_normal(cpu, c.value, 0, 1, 2);
  EXPECT_EQ(a.elements(), b.elements());
  EXPECT_NE(a.elements(), c.elements());
}

TEST(RandomNumbers, BernoulliReadsItsProbabilities) {
  Cpu cpu;
  for (const Layout layout : layouts) {
    const auto p = lay<float, A, B>({3, 4}, {0, 1, 1, 0}, layout);
    const auto out = blank<bool, A, B>({3, 4});
    bernoulli(cpu, out.value, 3, p.value);
    EXPECT_EQ(out.elements(), p.elements());
  }
}

TEST(RandomNumbers, MultinomialAgreesWithTheReference) {
  Cpu cpu;
  for (const Layout layout : layouts) {
    const Doubles weights = {0.5, -1, 2, 0, 1, 1, -3, 0.25};
    const auto x = lay<float, A, B>({2, 4}, weights, layout);
    const auto out = blank<std::int32_t, A, C>({2, 500});
    multinomial(cpu, out.value, 11, x.value);
    for (std::int64_t i = 0; i < 1000; ++i) {
      const auto row = weights.begin() + i / 500 * 4;
      ASSERT_EQ(out.storage[static_cast<std::size_t>(i)], reference::multinomial(Doubles(row, row + 4), 11, i));
    }
  }
  const double inf = std::numeric_limits<double>::infinity();
  const auto lone = lay<float, A, B>({2, 3}, {-inf, 0, -inf, -inf, -inf, -inf});
  const auto out = blank<std::int64_t, A, C>({2, 4});
  multinomial(cpu, out.value, 1, lone.value);
  EXPECT_EQ(out.elements(), (Doubles{1, 1, 1, 1, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace loam
