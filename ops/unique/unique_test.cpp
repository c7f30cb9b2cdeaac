#include <limits>

#include "ops/strided_test.hpp"
#include "ops/unique/cpu.hpp"
#include "ops/unique/reference.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;
const double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
void check(unsigned seed, Layout layout) {
  Cpu cpu;
  Random random(seed);
  const std::array<std::int64_t, 3> extents{random.integer(0, 4), random.integer(1, 6), random.integer(1, 3)};
  auto elements = random.integers(80, 0, random.integer(1, 3));
  if (!std::numeric_limits<T>::is_integer) elements[static_cast<std::size_t>(random.integer(0, 79))] = nan;
  const auto x = lay<T, A, B, C>(extents, elements, layout);
  for (int axis = -1; axis < 3; ++axis)
    for (const bool sorted : {false, true}) {
      const auto want = reference::unique(axis, sorted, x.view());
      const auto count = blank<std::int64_t>({});
      unique_count(cpu, count.value, axis, x.value);
      const std::int64_t n = count.storage[0];
      ASSERT_EQ(n, static_cast<std::int64_t>(want.slices.size()));
      const std::int64_t places = axis < 0 ? x.value.dims.elements() : extents[static_cast<std::size_t>(axis)];
      const auto first = blank<std::int64_t, D>({n}), counts = blank<std::int64_t, D>({n});
      const auto inverse = blank<std::int64_t, E>({places});
      Doubles values;
      if (axis < 0) {
        const auto out = blank<T, D>({n});
        unique(cpu, out.value, first.value, inverse.value, counts.value, axis, sorted, x.value);
        for (const auto& s : want.slices) values.push_back(s[0]);
        expect_close(out.elements(), values, 0);
      } else {
        auto kept = extents;
        kept[static_cast<std::size_t>(axis)] = n;
        const auto out = blank<T, A, B, C>(kept);
        unique(cpu, out.value, first.value, inverse.value, counts.value, axis, sorted, x.value);
        std::vector<std::size_t> next(want.slices.size());
        for (const auto& p : reference::places(out.value.dims)) {
          const auto slice = static_cast<std::size_t>(p[static_cast<std::size_t>(axis)]);
          values.push_back(want.slices[slice][next[slice]++]);
        }
        expect_close(out.elements(), values, 0);
      }
      expect_close(first.elements(), want.first, 0);
      expect_close(counts.elements(), want.counts, 0);
      expect_close(inverse.elements(), want.inverse, 0);
    }
}

TEST(Unique, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 20; ++seed) {
      check<float>(seed, layout);
      check<float16>(seed, layout);
      check<std::int64_t>(seed, layout);
      check<std::uint8_t>(seed, layout);
    }
}

TEST(Unique, KnownAnswers) {  // ONNX Unique, the examples of its documentation
  Cpu cpu;
  const auto x = lay<float, A>({6}, {2, 1, 1, 3, 4, 3});
  const auto out = blank<float, B>({4});
  const auto first = blank<std::int64_t, B>({4}), counts = blank<std::int64_t, B>({4});
  const auto inverse = blank<std::int64_t, A>({6});
  unique(cpu, out.value, first.value, inverse.value, counts.value, -1, false, x.value);
  EXPECT_EQ(out.elements(), (Doubles{2, 1, 3, 4}));
  EXPECT_EQ(first.elements(), (Doubles{0, 1, 3, 4}));
  EXPECT_EQ(inverse.elements(), (Doubles{0, 1, 1, 2, 3, 2}));
  EXPECT_EQ(counts.elements(), (Doubles{1, 2, 2, 1}));
  unique(cpu, out.value, none, none, none, -1, true, x.value);
  EXPECT_EQ(out.elements(), (Doubles{1, 2, 3, 4}));
}

}  // namespace
}  // namespace loam
