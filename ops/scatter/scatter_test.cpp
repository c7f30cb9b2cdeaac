#include "ops/scatter/cpu.hpp"
#include "ops/scatter/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

template <class Reduction, class T, class I>
void check_elements(unsigned seed, Layout layout) {
  Cpu cpu;
  Random random(seed);
  for (int axis = 0; axis < 3; ++axis) {
    const std::array<std::int64_t, 3> extents{random.integer(1, 4), random.integer(1, 4), random.integer(1, 5)};
    auto picked = extents;
    for (auto& e : picked) e = random.integer(0, e);
    picked[static_cast<std::size_t>(axis)] = random.integer(0, 7);
    const auto extent = extents[static_cast<std::size_t>(axis)];
    const auto data = lay<T, A, B, C>(extents, random.integers(60, -9, 9), layout);
    const auto indices = lay<I, D, E, F>(picked, random.integers(200, -extent, extent - 1), layout);
    const auto updates = lay<T, D, E, F>(picked, random.integers(200, -3, 3), layout);
    const auto out = blank<T, A, B, C>(extents), want = blank<T, A, B, C>(extents);
    scatter_elements(cpu, {"s"}, out.value, axis, Reduction{}, data.value, indices.value, updates.value);
    reference::scatter_elements(want.view(), axis, Reduction{}, data.view(), indices.view(), updates.view());
    ASSERT_EQ(cpu.fault(), nullptr);
    expect_close(out.elements(), want.elements());
  }
}

TEST(Scatter, ElementsAgreeWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 20; ++seed) {
      check_elements<reduction::Replace, float, std::int64_t>(seed, layout);
      check_elements<reduction::Add, float, std::int32_t>(seed, layout);
      check_elements<reduction::Mul, double, std::int64_t>(seed, layout);
      check_elements<reduction::Min, std::int32_t, std::int64_t>(seed, layout);
      check_elements<reduction::Max, float16, std::int64_t>(seed, layout);
    }
}

TEST(Scatter, ElementsKnownAnswers) {  // ONNX ScatterElements, the examples of its documentation
  Cpu cpu;
  const auto data = lay<float, A, B>({1, 5}, {1, 2, 3, 4, 5});
  const auto indices = lay<std::int64_t, A, C>({1, 2}, {1, -2});
  const auto updates = lay<float, A, C>({1, 2}, {1.5, 2.5});
  const auto out = blank<float, A, B>({1, 5});
  scatter_elements(cpu, {}, out.value, 1, reduction::Replace{}, data.value, indices.value, updates.value);
  EXPECT_EQ(out.elements(), (Doubles{1, 1.5, 3, 2.5, 5}));
  const auto twice = lay<std::int64_t, A, C>({1, 2}, {1, 1});
  scatter_elements(cpu, {}, out.value, 1, reduction::Add{}, data.value, twice.value, updates.value);
  EXPECT_EQ(out.elements(), (Doubles{1, 6, 3, 4, 5}));
  scatter_elements(cpu, {}, out.value, 1, reduction::Replace{}, data.value, twice.value, updates.value);
  EXPECT_EQ(out.elements(), (Doubles{1, 2.5, 3, 4, 5}));
}

TEST(Scatter, ElementsOutOfRangeFails) {
  Cpu cpu;
  const auto data = lay<float, A, B>({1, 4}, {1, 2, 3, 4});
  const auto indices = lay<std::int64_t, A, C>({1, 2}, {0, 4});
  const auto updates = lay<float, A, C>({1, 2}, {1.5, 2.5});
  const auto out = blank<float, A, B>({1, 4});
  scatter_elements(cpu, {"y = ScatterElements"}, out.value, 1, reduction::Replace{}, data.value, indices.value,
                   updates.value);
  ASSERT_NE(cpu.fault(), nullptr);
  EXPECT_EQ(*cpu.fault(), "y = ScatterElements: position [0, 1] holds index 4, and axis 1 has 4 elements");

  cpu.clear_fault();
  const auto wide = lay<std::int64_t, C, D>({2, 1}, {0, 0});
  const auto wide_updates = lay<float, C, D>({2, 1}, {0, 0});
  scatter_elements(cpu, {}, out.value, 1, reduction::Replace{}, data.value, wide.value, wide_updates.value);
  EXPECT_NE(cpu.fault(), nullptr);
}

template <class Reduction, class T>
void check_nd(unsigned seed, Layout layout) {
  Cpu cpu;
  Random random(seed);
  const std::array<std::int64_t, 3> extents{random.integer(1, 4), random.integer(1, 4), random.integer(0, 5)};
  const std::int64_t n = random.integer(0, 3), m = random.integer(0, 3);
  const auto data = lay<T, A, B, C>(extents, random.integers(60, -9, 9), layout);
  const std::int64_t least = std::min(extents[0], extents[1]);
  const auto indices = lay<std::int64_t, D, E, F>({n, m, 2}, random.integers(20, -least, least - 1), layout);
  const auto updates = lay<T, D, E, C>({n, m, extents[2]}, random.integers(60, -3, 3), layout);
  const auto out = blank<T, A, B, C>(extents), want = blank<T, A, B, C>(extents);
  scatter_nd(cpu, {"s"}, out.value, Reduction{}, data.value, indices.value, updates.value);
  reference::scatter_nd(want.view(), Reduction{}, data.view(), indices.view(), updates.view());
  ASSERT_EQ(cpu.fault(), nullptr);
  expect_close(out.elements(), want.elements());
}

TEST(Scatter, NdAgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 30; ++seed) {
      check_nd<reduction::Replace, float>(seed, layout);
      check_nd<reduction::Add, std::int64_t>(seed, layout);
      check_nd<reduction::Max, float>(seed, layout);
    }
}

TEST(Scatter, NdKnownAnswers) {
  Cpu cpu;
  const auto data = lay<float, A>({8}, counting(8, 1));
  const auto indices = lay<std::int64_t, B, C>({4, 1}, {4, 3, 1, 7});
  const auto updates = lay<float, B>({4}, {9, 10, 11, 12});
  const auto out = blank<float, A>({8});
  scatter_nd(cpu, {}, out.value, reduction::Replace{}, data.value, indices.value, updates.value);
  EXPECT_EQ(out.elements(), (Doubles{1, 11, 3, 10, 9, 6, 7, 12}));
  const auto bad = lay<std::int64_t, B, C>({4, 1}, {4, 3, -9, 7});
  scatter_nd(cpu, {"y"}, out.value, reduction::Replace{}, data.value, bad.value, updates.value);
  ASSERT_NE(cpu.fault(), nullptr);
  EXPECT_EQ(*cpu.fault(), "y: position [2] holds index -9, and axis 0 has 8 elements");
}

TEST(Scatter, IntegersWrap) {
  Cpu cpu;
  const auto data = lay<std::int32_t, A>({1}, {2147483647});
  const auto indices = lay<std::int64_t, B>({1}, {0});
  const auto updates = lay<std::int32_t, B>({1}, {1});
  const auto out = blank<std::int32_t, A>({1});
  scatter_elements(cpu, {}, out.value, 0, reduction::Add{}, data.value, indices.value, updates.value);
  EXPECT_EQ(out.elements(), (Doubles{-2147483648.0}));
}

TEST(Scatter, TensorScatterAgreesWithTheReference) {
  Cpu cpu;
  Random random(5);
  for (const Layout layout : layouts)
    for (int axis = 1; axis < 3; ++axis) {
      std::array<std::int64_t, 3> extents{3, 5, 4}, added = extents;
      added[static_cast<std::size_t>(axis)] = 2;
      const auto past = lay<float, A, B, C>(extents, random.reals(60), layout);
      const auto update = lay<float, A, B, C>(added, random.reals(60), layout);
      const auto where = lay<std::int64_t, A>({3}, {0, 2, 1}, layout);
      const auto out = blank<float, A, B, C>(extents), want = blank<float, A, B, C>(extents);
      tensor_scatter(cpu, {"t"}, out.value, axis, false, past.value, update.value, where.value);
      reference::tensor_scatter(want.view(), axis, past.view(), update.view(), where.view());
      ASSERT_EQ(cpu.fault(), nullptr);
      expect_close(out.elements(), want.elements());
      const auto around = lay<std::int64_t, A>({3}, {3, 4, 7}, layout);
      tensor_scatter(cpu, {"t"}, out.value, axis, true, past.value, update.value, around.value);
      reference::tensor_scatter(want.view(), axis, past.view(), update.view(), around.view());
      expect_close(out.elements(), want.elements());
      tensor_scatter(cpu, {"t"}, out.value, axis, false, past.value, update.value, none);
      ASSERT_EQ(cpu.fault(), nullptr);
      tensor_scatter(cpu, {"t"}, out.value, axis, false, past.value, update.value, around.value);
      ASSERT_NE(cpu.fault(), nullptr);
      cpu.clear_fault();
    }
}

}  // namespace
}  // namespace loam
