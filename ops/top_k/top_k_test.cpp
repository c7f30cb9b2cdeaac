#include <limits>

#include "ops/strided_test.hpp"
#include "ops/top_k/cpu.hpp"
#include "ops/top_k/reference.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;
const double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
void check(unsigned seed, Layout layout) {
  Cpu cpu;
  Random random(seed);
  const std::array<std::int64_t, 3> extents{random.integer(0, 3), random.integer(1, 40), random.integer(0, 3)};
  auto elements = random.integers(400, 0, 20);
  if (!std::numeric_limits<T>::is_integer)
    for (int i = 0; i < 9; ++i) elements[static_cast<std::size_t>(random.integer(0, 399))] = nan;
  const auto x = lay<T, A, B, C>(extents, elements, layout);
  for (int axis = 0; axis < 3; ++axis)
    for (const bool largest : {false, true}) {
      auto kept = extents;
      auto& k = kept[static_cast<std::size_t>(axis)];
      k = random.integer(0, k);
      const auto check_on = [&](const auto& values, const auto& indices, const auto& want_values,
                                const auto& want_indices) {
        top_k(cpu, values.value, indices.value, axis, largest, true, x.value);
        reference::top_k(want_values.view(), want_indices.view(), axis, largest, x.view());
        expect_close(values.elements(), want_values.elements(), 0);
        expect_close(indices.elements(), want_indices.elements(), 0);
      };
      check_on(blank<T, A, B, C>(kept), blank<std::int64_t, A, B, C>(kept), blank<T, A, B, C>(kept),
               blank<std::int64_t, A, B, C>(kept));
    }
}

TEST(TopK, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 15; ++seed) {
      check<float>(seed, layout);
      check<float16>(seed, layout);
      check<std::int64_t>(seed, layout);
      check<std::uint8_t>(seed, layout);
    }
}

TEST(TopK, KnownAnswers) {  // ONNX TopK, the example of its documentation; then ties and NaN
  Cpu cpu;
  const auto x = lay<float, A, B>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 11, 10, 9, 8});
  const auto values = blank<float, A, C>({3, 3});
  const auto indices = blank<std::int64_t, A, C>({3, 3});
  top_k(cpu, values.value, indices.value, 1, true, true, x.value);
  EXPECT_EQ(values.elements(), (Doubles{3, 2, 1, 7, 6, 5, 11, 10, 9}));
  EXPECT_EQ(indices.elements(), (Doubles{3, 2, 1, 3, 2, 1, 0, 1, 2}));

  const auto tied = lay<float, B>({5}, {1, nan, 2, 2, 1});
  const auto tied_values = blank<float, C>({4});
  const auto tied_indices = blank<std::int64_t, C>({4});
  top_k(cpu, tied_values.value, tied_indices.value, 0, true, true, tied.value);
  EXPECT_EQ(tied_indices.elements(), (Doubles{1, 2, 3, 0}));
  top_k(cpu, tied_values.value, tied_indices.value, 0, false, true, tied.value);
  EXPECT_EQ(tied_indices.elements(), (Doubles{0, 4, 2, 3}));
}

}  // namespace
}  // namespace loam
