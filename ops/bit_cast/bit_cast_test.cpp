#include <limits>

#include "ops/bit_cast/cpu.hpp"
#include "ops/bit_cast/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

template <class From, class To>
void check(unsigned seed, Layout layout) {
  Cpu cpu;
  Random random(seed);
  const std::array<std::int64_t, 2> extents{random.integer(0, 5), random.integer(1, 7)};
  const auto x = lay<From, A, B>(extents, random.integers(35, -100, 100), layout);
  const auto out = blank<To, A, B>(extents), want = blank<To, A, B>(extents);
  bit_cast(cpu, out.value, x.value);
  reference::bit_cast(want.view(), x.view());
  expect_close(out.elements(), want.elements(), 0);
}

TEST(BitCast, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 5; ++seed) {
      check<std::int32_t, std::uint32_t>(seed, layout);
      check<float, std::int32_t>(seed, layout);
      check<std::int8_t, std::uint8_t>(seed, layout);
      check<double, std::int64_t>(seed, layout);
    }
}

TEST(BitCast, KnownAnswers) {
  Cpu cpu;
  const auto x = lay<float, A>({3}, {1, -2, std::numeric_limits<double>::infinity()});
  const auto out = blank<std::int32_t, A>({3});
  bit_cast(cpu, out.value, x.value);
  EXPECT_EQ(out.elements(), (Doubles{0x3f800000, -0x40000000, 0x7f800000}));
  const auto bytes = lay<std::uint8_t, A>({3}, {0, 1, 2});
  const auto flags = blank<bool, A>({3});
  bit_cast(cpu, flags.value, bytes.value);
  EXPECT_EQ(flags.elements(), (Doubles{0, 1, 1}));
}

}  // namespace
}  // namespace loam
