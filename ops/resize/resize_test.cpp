#include "ops/resize/cpu.hpp"
#include "ops/resize/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

constexpr ResizeCoordinates all_coordinates[] = {
    ResizeCoordinates::HalfPixel,    ResizeCoordinates::HalfPixelSymmetric, ResizeCoordinates::PytorchHalfPixel,
    ResizeCoordinates::AlignCorners, ResizeCoordinates::Asymmetric,         ResizeCoordinates::TfHalfPixelForNn,
    ResizeCoordinates::TfCropAndResize};

template <class T>
void check(unsigned seed, Layout layout, ResizeMode mode, double tolerance) {
  Cpu cpu;
  Random random(seed);
  for (const ResizeCoordinates coordinates : all_coordinates) {
    Resize how{mode, coordinates};
    how.antialias = mode != ResizeMode::Nearest && random.integer(0, 1) == 1;
    how.exclude_outside = mode == ResizeMode::Cubic && random.integer(0, 1) == 1;
    how.rounding = static_cast<ResizeRounding>(random.integer(0, 3));
    how.extrapolation_value = 9;
    std::array<std::int64_t, 3> from{}, to{};
    for (std::size_t i = 0; i < 3; ++i) {
      from[i] = random.integer(1, 6);
      const bool kept = i == 0 && coordinates != ResizeCoordinates::TfCropAndResize;
      to[i] = kept ? from[i] : random.integer(1, 7);
      how.scales[i] = static_cast<double>(to[i]) / static_cast<double>(from[i]);
      how.roi_begins[i] = random.reals(1, -0.2, 0.4)[0];
      how.roi_ends[i] = random.reals(1, 0.5, 1.2)[0];
    }
    if (mode == ResizeMode::Nearest && coordinates != ResizeCoordinates::TfCropAndResize)
      for (std::size_t i = 1; i < 3; ++i) {  // scales of which float and double place the ties alike
        to[i] = from[i] * 2;
        how.scales[i] = 2;
      }
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " coordinates " << static_cast<int>(coordinates)
                                      << " antialias " << how.antialias << " exclude " << how.exclude_outside
                                      << " rounding " << static_cast<int>(how.rounding) << " from " << from[0] << ","
                                      << from[1] << "," << from[2] << " to " << to[0] << "," << to[1] << "," << to[2]);
    const auto x = lay<T, A, B, C>(from, random.integers(216, -30, 90), layout);
    const auto out = blank<T, D, E, F>(to), want = blank<T, D, E, F>(to);
    resize(cpu, out.value, how, x.value);
    reference::resize(want.view(), how, x.view());
    ASSERT_EQ(cpu.fault(), nullptr);
    expect_close(out.elements(), want.elements(), tolerance);
  }
}

TEST(Resize, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 8; ++seed)
      for (const ResizeMode mode : {ResizeMode::Nearest, ResizeMode::Linear, ResizeMode::Cubic}) {
        check<float>(seed, layout, mode, 2e-5);
        check<double>(seed, layout, mode, 1e-12);
        check<float16>(seed, layout, mode, 2e-3);
        check<std::int8_t>(seed, layout, mode, 1);
      }
}

Doubles resized(const Doubles& x, std::int64_t length, double scale, Resize how) {
  Cpu cpu;
  const auto in = lay<float, A>({static_cast<std::int64_t>(x.size())}, x);
  const auto out = blank<float, B>({length});
  how.scales[0] = scale;
  resize(cpu, out.value, how, in.value);
  return out.elements();
}

TEST(Resize, KnownAnswers) {  // onnxruntime 1.30 on CPU, with which onnx 1.23's reference agrees
  const Doubles x{3, 1, 4, 1, 5, 9, 2, 6};
  Resize linear{ResizeMode::Linear}, cubic{ResizeMode::Cubic};
  linear.antialias = cubic.antialias = true;
  expect_close(resized(x, 4, 0.6f, linear), {2.25, 2.6666667, 4, 5.8750005}, 1e-5);
  expect_close(resized(x, 3, 3 / 8.0, cubic), {2.1207666, 4.101894, 5.4418354}, 1e-5);
  linear.exclude_outside = cubic.exclude_outside = true;
  expect_close(resized(x, 4, 0.6f, linear), {2.1428573, 2.666667, 4, 5.8750005}, 1e-5);
  expect_close(resized(x, 3, 3 / 8.0, cubic), {2.058593, 4.116406, 5.402365}, 1e-5);
  cubic.antialias = false;
  expect_close(resized(x, 13, 1.7f, cubic),
               {3.2380362, 2.1526127, 0.98431826, 2.8450603, 3.8106108, 1.4119997, 1.6713382, 4.477286, 8.03125,
                8.697057, 3.897799, 2.3566573, 5.447774}, 1e-5);
  const Resize symmetric{ResizeMode::Linear, ResizeCoordinates::HalfPixelSymmetric};
  expect_close(resized(x, 4, 0.6f, symmetric), {1, 2, 6.333333, 2}, 1e-5);
}

TEST(Resize, NearestKnownAnswers) {
  const Resize floor{ResizeMode::Nearest, ResizeCoordinates::Asymmetric, ResizeRounding::Floor};
  EXPECT_EQ(resized(counting(5), 13, 2.6f, floor), (Doubles{0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4}));
  EXPECT_EQ(resized(counting(49), 21, 21 / 49.0, floor),
            (Doubles{0, 2, 4, 7, 9, 11, 14, 16, 18, 21, 23, 25, 28, 30, 32, 35, 37, 39, 42, 44, 46}));
  Resize crop{ResizeMode::Nearest, ResizeCoordinates::TfCropAndResize};
  crop.extrapolation_value = 7;
  crop.roi_begins[0] = -0.2, crop.roi_ends[0] = 0.9;
  EXPECT_EQ(resized({3, 1, 4, 1, 5, 9, 2, 6}, 5, 5 / 8.0, crop), (Doubles{7, 1, 4, 5, 2}));
}

TEST(Resize, OfNothing) {
  Cpu cpu;
  const auto none_there = lay<float, A>({0}, {});
  resize(cpu, blank<float, B>({0}).value, Resize{}, none_there.value);
  EXPECT_EQ(cpu.fault(), nullptr);
  resize(cpu, blank<float, B>({2}).value, Resize{}, none_there.value);
  EXPECT_NE(cpu.fault(), nullptr);
}

}  // namespace
}  // namespace loam
