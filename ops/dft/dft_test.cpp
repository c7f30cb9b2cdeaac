#include "ops/dft/cpu.hpp"
#include "ops/dft/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;

template <class T>
void check(std::int64_t length, Layout layout, double tolerance) {
  Cpu cpu;
  Random random(static_cast<unsigned>(length));
  for (int axis = 0; axis < 2; ++axis)
    for (const bool inverse : {false, true})
      for (const bool onesided : {false, true})
        for (const std::int64_t given : {length, length / 2 + 1, length + 2}) {
          const auto a = static_cast<std::size_t>(axis);
          std::array<std::int64_t, 3> from{2, 2, onesided && !inverse ? 1 : random.integer(1, 2)};
          std::array<std::int64_t, 3> to{2, 2, onesided && inverse ? 1 : 2};
          from[a] = given;
          to[a] = onesided && !inverse ? length / 2 + 1 : length;
          const auto x = lay<T, A, B, C>(from, random.reals(4 * given), layout);
          const auto out = blank<T, A, B, D>(to), want = blank<T, A, B, D>(to);
          dft(cpu, out.value, axis, length, inverse, onesided, x.value);
          reference::dft(want.view(), a, length, inverse, onesided, x.view());
          expect_close(out.elements(), want.elements(), tolerance);
        }
}

TEST(Dft, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (const std::int64_t length : {1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 60, 64, 97}) {
      check<float>(length, layout, 1e-6);
      check<double>(length, layout, 1e-12);
    }
}

TEST(Dft, KnownAnswers) {
  Cpu cpu;
  const auto x = lay<float, A, B>({4, 1}, {1, 2, 3, 4});
  const auto half = blank<float, A, B>({3, 2}), whole = blank<float, A, B>({4, 2});
  dft(cpu, half.value, 0, false, true, x.value);
  expect_close(half.elements(), {10, 0, -2, 2, -2, 0}, 1e-6);
  dft(cpu, whole.value, 0, false, false, x.value);
  expect_close(whole.elements(), {10, 0, -2, 2, -2, 0, -2, -2}, 1e-6);
  const auto back = blank<float, A, B>({4, 1});
  dft(cpu, back.value, 0, true, true, half.value);
  expect_close(back.elements(), {1, 2, 3, 4}, 1e-6);
  const auto back_whole = blank<float, A, B>({4, 2});
  dft(cpu, back_whole.value, 0, true, false, whole.value);
  expect_close(back_whole.elements(), {1, 0, 2, 0, 3, 0, 4, 0}, 1e-6);
}

}  // namespace
}  // namespace loam
