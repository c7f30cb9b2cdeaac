#include <limits>

#include "ops/select/cpu.hpp"
#include "ops/select/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

std::int64_t one(const Laid<std::int64_t>& count) { return count.storage[0]; }

template <class T>
void check_nonzero(unsigned seed, Layout layout) {
  Cpu cpu;
  Random random(seed);
  const std::array<std::int64_t, 3> extents{random.integer(0, 4), random.integer(1, 4), random.integer(0, 5)};
  const auto x = lay<T, A, B, C>(extents, random.integers(80, 0, 2), layout);
  const auto found = reference::nonzero(x.view());
  const auto count = blank<std::int64_t>({});
  nonzero_count(cpu, count.value, x.value);
  ASSERT_EQ(one(count), static_cast<std::int64_t>(found.size()));
  const auto out = blank<std::int64_t, D, E>({3, one(count)});
  nonzero(cpu, out.value, x.value);
  for (std::size_t n = 0; n < found.size(); ++n)
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_EQ(out.storage[axis * found.size() + n], found[n][axis]);
}

TEST(Select, NonzeroAgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 20; ++seed) {
      check_nonzero<float>(seed, layout);
      check_nonzero<bool>(seed, layout);
      check_nonzero<std::int64_t>(seed, layout);
      check_nonzero<bfloat16>(seed, layout);
    }
}

TEST(Select, NonzeroKnownAnswers) {
  Cpu cpu;
  const auto x = lay<float, A, B>({2, 2}, {1, -0.0, std::numeric_limits<double>::quiet_NaN(), 1});
  const auto count = blank<std::int64_t>({});
  nonzero_count(cpu, count.value, x.value);
  EXPECT_EQ(one(count), 3);
  const auto out = blank<std::int64_t, C, D>({2, 3});
  nonzero(cpu, out.value, x.value);
  EXPECT_EQ(out.elements(), (Doubles{0, 1, 1, 0, 0, 1}));
  const auto scalar = lay<float>({}, {5});
  nonzero_count(cpu, count.value, scalar.value);
  EXPECT_EQ(one(count), 1);
  nonzero(cpu, blank<std::int64_t, C, D>({0, 1}).value, scalar.value);
}

TEST(Select, CompressAgreesWithTheReference) {
  Cpu cpu;
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 30; ++seed)
      for (int axis = -1; axis < 3; ++axis) {
        Random random(seed);
        const std::array<std::int64_t, 3> extents{random.integer(0, 4), random.integer(1, 4), random.integer(0, 5)};
        const auto x = lay<float, A, B, C>(extents, random.reals(80), layout);
        const auto condition = lay<bool, D>({random.integer(0, 8)}, random.integers(8, 0, 1), layout);
        const std::int64_t extent =
            axis < 0 ? x.value.dims.elements() : extents[static_cast<std::size_t>(axis)];
        const auto count = blank<std::int64_t>({});
        compress_count(cpu, count.value, extent, condition.value);
        const auto want = reference::compress(axis, x.view(), condition.view());
        if (axis < 0) {
          const auto out = blank<float, E>({one(count)});
          compress(cpu, out.value, axis, x.value, condition.value);
          expect_close(out.elements(), want, 0);
        } else {
          auto kept = extents;
          kept[static_cast<std::size_t>(axis)] = one(count);
          const auto out = blank<float, A, B, C>(kept);
          compress(cpu, out.value, axis, x.value, condition.value);
          expect_close(out.elements(), want, 0);
        }
      }
}

TEST(Select, CompressKnownAnswer) {  // ONNX Compress, the example of its documentation
  Cpu cpu;
  const auto x = lay<float, A, B>({3, 2}, counting(6, 1));
  const auto condition = lay<bool, C>({3}, {0, 1, 1});
  const auto out = blank<float, D, B>({2, 2});
  compress(cpu, out.value, 0, x.value, condition.value);
  EXPECT_EQ(out.elements(), (Doubles{3, 4, 5, 6}));
}

}  // namespace
}  // namespace loam
