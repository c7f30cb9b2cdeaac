#include "ops/conv/conv.hpp"

#include "ops/conv/cpu.hpp"
#include "ops/conv/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

template <class T, class TX, class TW>
void compare_shapes(int times) {
  using E = std::conditional_t<std::is_integral_v<T>, T, double>;
  Random r(91);
  Cpu cpu;
  for (int i = 0; i < times; ++i) {
    const std::int64_t groups = r.chance(0.5) ? 1 : r.integer(1, 4);
    const std::int64_t channels = r.integer(1, 4), outputs = r.integer(1, 9);
    Window window{static_cast<int>(r.integer(1, 3)), {}, {}, {}, {}};
    Shape x{r.integer(0, 2), groups * channels}, w{groups * outputs, channels}, out{x[0], w[0]};
    for (std::size_t s = 0; s < static_cast<std::size_t>(window.spatial); ++s) {
      const bool plain = r.chance(0.3);
      window.kernel[s] = plain ? 1 : r.integer(1, 4);
      window.strides[s] = plain ? 1 : r.integer(1, 3);
      window.dilations[s] = plain ? 1 : r.integer(1, 2);
      window.pads[s] = plain ? 0 : r.integer(0, 3);
      const bool last = s + 1 == static_cast<std::size_t>(window.spatial);
      const std::int64_t in = window.spatial == 1 ? r.integer(1, 600) : r.integer(1, last && r.chance(0.2) ? 80 : 9);
      const std::int64_t padded = in + window.pads[s] + r.integer(0, plain ? 0 : 3);
      const std::int64_t reach = window.dilations[s] * (window.kernel[s] - 1) + 1;
      x.push_back(in);
      w.push_back(window.kernel[s]);
      out.push_back(std::max<std::int64_t>(0, padded - reach + window.strides[s]) / window.strides[s]);
    }
    const auto sample_x = random<TX>(r, x);
    const auto sample_w = random<TW>(r, w);
    const auto bias = random<T>(r, {w[0]});
    auto actual = dense<T>(out);
    auto expected = dense<E>(out);
    run(kernels::Conv{}, cpu, actual.view, window, groups, sample_x.view, sample_w.view, bias.view);
    reference::conv(expected.view, window, groups, sample_x.view, sample_w.view, bias.view);
    const double absolute = std::is_same_v<T, double> ? 1e-12 : 1e-4;
    EXPECT_TRUE(close(actual.view, expected.view, 2 * rounding<T>(), absolute + 4 * rounding<T>()))
        << text(sample_x.view.dims) << text(sample_w.view.dims) << " groups " << groups;
    run(kernels::Conv{}, cpu, actual.view, window, groups, sample_x.view, sample_w.view, none);
    reference::conv(expected.view, window, groups, sample_x.view, sample_w.view, none);
    EXPECT_TRUE(close(actual.view, expected.view, 2 * rounding<T>(), absolute));
  }
}

TEST(Conv, Float) { compare_shapes<float, float, float>(200); }
TEST(Conv, Double) { compare_shapes<double, double, double>(40); }
TEST(Conv, Float16) { compare_shapes<float16, float16, float16>(40); }
TEST(Conv, FloatByFloat16) { compare_shapes<float, float, float16>(40); }
TEST(Conv, Integers) { compare_shapes<std::int32_t, std::int8_t, std::uint8_t>(60); }

TEST(Conv, DepthwiseInBlocksOfRows) {  // planes larger than what is padded at a time
  Random r(17);
  Cpu cpu;
  for (const std::int64_t stride : {1, 2, 3}) {
    const Window window{2, {5, 3}, {stride, stride}, {2, 1}, {3, 1}};
    const std::int64_t high = (150 + 2 * 3 - 9) / stride + 1, wide = (70 + 2 * 1 - 3) / stride + 1;
    const auto x = random<float>(r, {2, 3, 150, 70}), w = random<float>(r, {6, 1, 5, 3}), bias = random<float>(r, {6});
    auto actual = dense<float>({2, 6, high, wide});
    auto expected = dense<double>({2, 6, high, wide});
    run(kernels::Conv{}, cpu, actual.view, window, std::int64_t{3}, x.view, w.view, bias.view);
    reference::conv(expected.view, window, std::int64_t{3}, x.view, w.view, bias.view);
    EXPECT_TRUE(close(actual.view, expected.view, 2 * rounding<float>(), 1e-4));
  }
}

// Of transformed weights. `tolerance` is of the scale of a sum, 4 * sqrt(C) for elements drawn from [-2, 2]: terms larger than
// the result cancel, so that a small result's error is not small beside it (ops/conv/winograd.hpp).
template <int Tile, class T>
void compare_winograd(double tolerance) {
  using Form = form::Winograd<Tile>;
  using Element = Packed<detail::sum_t<T>, Form>;
  Random r(23);
  Cpu one(1), several(3);
  for (int i = 0; i < 30; ++i) {
    const std::int64_t images = r.integer(0, 3), channels = r.integer(1, i == 0 ? 300 : 24), outputs = r.integer(1, 70);
    const Window window{2, {3, 3}, {1, 1}, {1, 1}, {r.integer(0, 3), r.integer(0, 3)}};
    const Shape x{images, channels, r.integer(3, 14), r.integer(3, r.chance(0.2) ? 150 : 14)};
    const Shape out{images, outputs, x[2] + window.pads[0] + r.integer(-1, 2) - 1, x[3] + window.pads[1] + r.integer(-1, 2) - 1};
    const auto sample = random<T>(r, x), w = random<T>(r, {outputs, channels, 3, 3}), bias = random<T>(r, {outputs});
    HostMemory memory;
    const View<Element> packed{memory.take<Element>(Form::template elements<T>(w.view.dims)), Dims{outputs, channels, 3, 3}};
    run(kernels::Pack<Form>{}, one, packed, w.view);
    auto actual = dense<T>(out), shared = dense<T>(out);
    auto expected = dense<double>(out);
    run(kernels::Conv{}, one, actual.view, window, std::int64_t{1}, sample.view, packed, bias.view);
    run(kernels::Conv{}, several, shared.view, window, std::int64_t{1}, sample.view, packed, bias.view);
    reference::conv(expected.view, window, 1, sample.view, w.view, bias.view);
    EXPECT_TRUE(close(actual.view, expected.view, tolerance + rounding<T>(), tolerance * 4 * std::sqrt(static_cast<double>(channels))))
        << text(sample.view.dims) << text(w.view.dims);
    EXPECT_TRUE(std::equal(actual.view.data, actual.view.data + actual.view.elements(), shared.view.data));
  }
}

TEST(ConvWinograd, TilesOfFour) { compare_winograd<4, float>(1e-5); }
TEST(ConvWinograd, TilesOfTwo) { compare_winograd<2, float>(3e-6); }
TEST(ConvWinograd, Float16) { compare_winograd<4, float16>(1e-5); }
TEST(ConvWinograd, Double) { compare_winograd<4, double>(1e-13); }

// Windows of any kind over weights packed with outputs in lanes.
template <class T, class TX, class TW>
void compare_outputs(int times) {
  using Element = Packed<detail::sum_t<TW>, form::Outputs>;
  Random r(29);
  Cpu cpu(3);
  for (int i = 0; i < times; ++i) {
    const std::int64_t channels = r.integer(1, r.chance(0.1) ? 300 : 9), outputs = r.integer(1, 70);
    Window window{static_cast<int>(r.integer(1, 3)), {}, {}, {}, {}};
    Shape x{r.integer(0, 2), channels}, w{outputs, channels}, out{x[0], outputs};
    const bool plain = r.chance(0.4), place = plain && r.chance(0.3);
    for (std::size_t s = 0; s < static_cast<std::size_t>(window.spatial); ++s) {
      window.kernel[s] = plain ? 1 : r.integer(1, 3);
      window.strides[s] = plain ? 1 : r.integer(1, 3);
      window.dilations[s] = plain ? 1 : r.integer(1, 2);
      window.pads[s] = plain ? 0 : r.integer(0, 2);
      const std::int64_t in = place ? 1 : window.spatial == 1 ? r.integer(1, 300) : r.integer(1, window.spatial == 2 ? 18 : 6);
      const std::int64_t reach = window.dilations[s] * (window.kernel[s] - 1) + 1;
      x.push_back(in);
      w.push_back(window.kernel[s]);
      out.push_back(std::max<std::int64_t>(0, in + window.pads[s] + (plain ? 0 : r.integer(0, 2)) - reach + window.strides[s]) / window.strides[s]);
    }
    const auto sample = random<TX>(r, x);
    const auto weights = random<TW>(r, w);
    const auto bias = random<T>(r, {outputs});
    HostMemory memory;
    const View<Element> packed{memory.take<Element>(form::Outputs::elements<TW>(weights.view.dims)), Dims(weights.view.dims.shape())};
    run(kernels::Pack<form::Outputs>{}, cpu, packed, weights.view);
    auto actual = dense<T>(out);
    auto expected = dense<double>(out);
    run(kernels::Conv{}, cpu, actual.view, window, std::int64_t{1}, sample.view, packed, bias.view);
    reference::conv(expected.view, window, 1, sample.view, weights.view, bias.view);
    const double absolute = std::is_same_v<T, double> ? 1e-12 : 1e-3;
    EXPECT_TRUE(close(actual.view, expected.view, 2 * rounding<T>(), absolute)) << text(sample.view.dims) << text(weights.view.dims);
  }
}

TEST(ConvOutputs, AnyNumberOfPlaces) {  // in blocks of rows of tiles, whatever a tile's are
  Random r(31);
  Cpu cpu(1);
  const auto w = dense<float>({3, 2, 1}, {1, 2, 3, 4, 5, 6});
  HostMemory memory;
  using Element = Packed<float, form::Outputs>;
  const View<Element> packed{memory.take<Element>(form::Outputs::elements<float>(w.view.dims)), Dims{3, 2, 1}};
  run(kernels::Pack<form::Outputs>{}, cpu, packed, w.view);
  for (std::int64_t places = 1; places <= 270; ++places) {
    const Window line{1, {1}, {1}, {1}, {0}};
    const auto x = random<float>(r, {1, 2, places});
    auto actual = dense<float>({1, 3, places});
    auto expected = dense<double>({1, 3, places});
    run(kernels::Conv{}, cpu, actual.view, line, std::int64_t{1}, x.view, packed, none);
    reference::conv(expected.view, line, 1, x.view, w.view, none);
    ASSERT_TRUE(close(actual.view, expected.view, 1e-6, 1e-5)) << places;
  }
}
TEST(ConvOutputs, Float) { compare_outputs<float, float, float>(150); }
TEST(ConvOutputs, Double) { compare_outputs<double, double, double>(40); }
TEST(ConvOutputs, Float16) { compare_outputs<float16, float16, float16>(60); }
TEST(ConvOutputs, FloatByFloat16) { compare_outputs<float, float, float16>(40); }

TEST(Conv, DepthwiseOfAnyWidth) {  // rows shorter than a vector, as long as some, and any number of them and of planes
  Random r(19);
  Cpu cpu;
  for (int i = 0; i < 60; ++i) {
    const std::int64_t kernel = r.chance(0.5) ? 3 : 5, stride = r.integer(1, 2), pad = r.integer(0, 2);
    const std::int64_t high = r.integer(5, 14), wide = r.integer(5, 75), channels = r.integer(1, 20);
    const Window window{2, {kernel, r.integer(1, 5)}, {stride, r.integer(1, 2)}, {1, 1}, {pad, pad}};
    const Shape out{1, channels, (high + 2 * pad - window.kernel[0]) / stride + 1,
                    (wide + 2 * pad - window.kernel[1]) / window.strides[1] + 1};
    const auto x = random<float>(r, {1, channels, high, wide}), bias = random<float>(r, {channels});
    const auto w = random<float>(r, {channels, 1, kernel, window.kernel[1]});
    auto actual = dense<float>(out);
    auto expected = dense<double>(out);
    actual.storage.back() = 7;  // one element past the result
    run(kernels::Conv{}, cpu, actual.view, window, channels, x.view, w.view, bias.view);
    reference::conv(expected.view, window, channels, x.view, w.view, bias.view);
    EXPECT_TRUE(close(actual.view, expected.view, 2 * rounding<float>(), 1e-4)) << text(x.view.dims) << text(w.view.dims);
    EXPECT_EQ(actual.storage.back(), 7);
  }
}

std::vector<double> count_from(double first, int n) {
  std::vector<double> v;
  for (int i = 0; i < n; ++i) v.push_back(first + i);
  return v;
}

TEST(ConvValues, UnevenPads) {  // onnxruntime issue 26734: SAME_UPPER and SAME_LOWER at stride 2
  Cpu cpu;
  const auto x = dense<float>({1, 1, 6, 6}, count_from(0, 36));
  const auto w = dense<float>({1, 1, 3, 3}, std::vector<double>(9, 1));
  auto out = dense<float>({1, 1, 3, 3});
  run(kernels::Conv{}, cpu, out.view, Window{2, {3, 3}, {2, 2}, {1, 1}, {0, 0}}, std::int64_t{1}, x.view, w.view, none);
  EXPECT_TRUE(close(out.view, dense<float>({1, 1, 3, 3}, {63, 81, 63, 171, 189, 135, 168, 180, 126}).view));
  run(kernels::Conv{}, cpu, out.view, Window{2, {3, 3}, {2, 2}, {1, 1}, {1, 1}}, std::int64_t{1}, x.view, w.view, none);
  EXPECT_TRUE(close(out.view, dense<float>({1, 1, 3, 3}, {14, 30, 42, 75, 126, 144, 147, 234, 252}).view));
}

TEST(ConvValues, Biased) {  // onnxruntime issue 21467, before its tanh
  Cpu cpu;
  const auto x = dense<float>({1, 1, 3, 3}, {0, .1, .2, .3, .4, .5, .6, .7, .8});
  const auto w = dense<float>({1, 1, 2, 2}, {1, -1, .5, .25});
  const auto bias = dense<float>({1}, {.1});
  auto out = dense<float>({1, 1, 2, 2});
  const Window window{2, {2, 2}, {1, 1}, {1, 1}, {0, 0}};
  run(kernels::Conv{}, cpu, out.view, window, std::int64_t{1}, x.view, w.view, bias.view);
  for (int i = 0; i < 4; ++i) out.view.data[i] = std::tanh(out.view.data[i]);
  EXPECT_TRUE(close(out.view, dense<double>({1, 1, 2, 2}, {0.2449187, 0.3140209, 0.4422303, 0.5005202}).view, 1e-6));
}

TEST(ConvValues, ThroughTheTypedWrapper) {
  struct N {};
  struct C {};
  struct M {};
  struct K {};
  struct In {};
  struct Length {};
  Cpu cpu;
  const float x[] = {1, 2, 3}, w[] = {1, 10}, bias[] = {0.5f};
  const auto value = cpu.upload(Tensor<float, N, C, In>::borrow({1, 1, 3}, x));
  const auto weight = cpu.upload(Tensor<float, M, C, K>::borrow({1, 1, 2}, w));
  const auto offset = cpu.upload(Tensor<float, M>::borrow({1}, bias));
  auto out = make_output<float, N, M, Length>(cpu, {1, 1, 2});
  conv(cpu, out, Window{1, {2}, {1}, {1}, {0}}, 1, value, weight, none);
  EXPECT_EQ(cpu.read(out), 21);
  conv(cpu, out, Window{1, {2}, {1}, {1}, {0}}, 1, value, weight, offset);
  EXPECT_EQ(cpu.download(out)[1], 32.5f);
}

}  // namespace
