#include "ops/pad/cpu.hpp"
#include "ops/pad/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

template <class Mode, class T>
void check(unsigned seed, Layout layout) {
  Cpu cpu;
  Random random(seed);
  std::array<std::int64_t, 3> from{}, to{}, begins{};
  for (std::size_t i = 0; i < 3; ++i) {
    from[i] = random.integer(1, 5);
    begins[i] = random.integer(-std::min<std::int64_t>(from[i] - 1, 2), 6);
    to[i] = from[i] + begins[i] + random.integer(begins[i] < 0 ? 0 : 1 - from[i], 6);
  }
  const auto x = lay<T, A, B, C>(from, random.integers(130, -9, 9), layout);
  const auto out = blank<T, D, E, F>(to), want = blank<T, D, E, F>(to);
  pad(cpu, out.value, Mode{}, begins, x.value);
  reference::pad(want.view(), Mode{}, begins, x.view());
  ASSERT_EQ(cpu.fault(), nullptr);
  expect_close(out.elements(), want.elements(), 0);
}

TEST(Pad, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 40; ++seed) {
      check<pad_mode::Reflect, float>(seed, layout);
      check<pad_mode::Edge, float16>(seed, layout);
      check<pad_mode::Wrap, std::int64_t>(seed, layout);
    }
}

TEST(Pad, KnownAnswers) {
  Cpu cpu;
  const auto x = lay<float, A>({3}, {0, 1, 2});
  const auto out = blank<float, B>({8});
  pad(cpu, out.value, pad_mode::Reflect{}, std::array<std::int64_t, 1>{3}, x.value);
  EXPECT_EQ(out.elements(), (Doubles{1, 2, 1, 0, 1, 2, 1, 0}));
  pad(cpu, out.value, pad_mode::Edge{}, std::array<std::int64_t, 1>{3}, x.value);
  EXPECT_EQ(out.elements(), (Doubles{0, 0, 0, 0, 1, 2, 2, 2}));
  pad(cpu, out.value, pad_mode::Wrap{}, std::array<std::int64_t, 1>{4}, x.value);
  EXPECT_EQ(out.elements(), (Doubles{2, 0, 1, 2, 0, 1, 2, 0}));
  const auto cropped = blank<float, B>({4});  // 0 goes first, then 1 2 is continued
  pad(cpu, cropped.value, pad_mode::Reflect{}, std::array<std::int64_t, 1>{-1}, x.value);
  EXPECT_EQ(cropped.elements(), (Doubles{1, 2, 1, 2}));
}

TEST(Pad, OfNothing) {
  Cpu cpu;
  const auto x = lay<float, A, B>({2, 0}, {});
  const auto out = blank<float, A, C>({2, 2});
  pad(cpu, out.value, pad_mode::Edge{}, std::array<std::int64_t, 2>{0, 1}, x.value);
  ASSERT_NE(cpu.fault(), nullptr);
  EXPECT_EQ(*cpu.fault(), "Pad: axis 1 has no element to pad with");
  const auto scalar = lay<float>({}, {4}), same = blank<float>({});
  pad(cpu, same.value, pad_mode::Edge{}, std::array<std::int64_t, 0>{}, scalar.value);
  EXPECT_EQ(same.elements(), (Doubles{4}));
}

}  // namespace
}  // namespace loam
