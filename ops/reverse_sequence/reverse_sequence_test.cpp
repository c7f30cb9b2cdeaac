#include "ops/reverse_sequence/cpu.hpp"
#include "ops/reverse_sequence/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

TEST(ReverseSequence, AgreesWithTheReference) {
  Cpu cpu;
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 10; ++seed)
      for (const int time_axis : {0, 1}) {
        Random random(seed);
        const std::array<std::int64_t, 3> extents{random.integer(1, 5), random.integer(1, 5), random.integer(0, 3)};
        const auto times = static_cast<std::size_t>(time_axis), batches = 1 - times;
        const auto x = lay<float, A, B, C>(extents, random.reals(75), layout);
        const auto lens = lay<std::int64_t, D>({extents[batches]}, random.integers(5, 0, extents[times]), layout);
        const auto out = blank<float, A, B, C>(extents), want = blank<float, A, B, C>(extents);
        reverse_sequence(cpu, Site{}, out.value, time_axis, 1 - time_axis, x.value, lens.value);
        reference::reverse_sequence(want.view(), times, batches, x.view(), lens.view());
        ASSERT_EQ(cpu.fault(), nullptr);
        expect_close(out.elements(), want.elements(), 0);
      }
}

TEST(ReverseSequence, KnownAnswers) {  // ONNX's test case reversesequence_time
  Cpu cpu;
  const auto x = lay<float, A, B>({4, 4}, {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15});
  const auto lens = lay<std::int64_t, B>({4}, {4, 3, 2, 1});
  const auto out = blank<float, A, B>({4, 4});
  reverse_sequence(cpu, Site{}, out.value, 0, 1, x.value, lens.value);
  EXPECT_EQ(out.elements(), (Doubles{3, 6, 9, 12, 2, 5, 8, 13, 1, 4, 10, 14, 0, 7, 11, 15}));
  const auto long_lens = lay<std::int64_t, B>({4}, {4, 3, 5, 1});
  reverse_sequence(cpu, Site{}, out.value, 0, 1, x.value, long_lens.value);
  EXPECT_NE(cpu.fault(), nullptr);
}

}  // namespace
}  // namespace loam
