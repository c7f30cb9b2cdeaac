#include "ops/conv_transpose/conv_transpose.hpp"

#include "ops/conv_transpose/cpu.hpp"
#include "ops/conv_transpose/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

template <class T, class TX, class TW>
void compare_shapes(int times) {
  Random r(101);
  Cpu cpu;
  for (int i = 0; i < times; ++i) {
    const std::int64_t groups = r.chance(0.5) ? 1 : r.integer(1, 4);
    const std::int64_t channels = r.integer(1, 4), outputs = r.integer(1, r.chance(0.3) ? 20 : 4);
    Window window{static_cast<int>(r.integer(1, 3)), {}, {}, {}, {}};
    Shape x{r.integer(0, 2), groups * channels}, w{groups * channels, outputs}, out{x[0], groups * outputs};
    for (std::size_t s = 0; s < static_cast<std::size_t>(window.spatial); ++s) {
      window.kernel[s] = r.integer(1, 4);
      window.strides[s] = r.integer(1, 3);
      window.dilations[s] = r.integer(1, 2);
      window.pads[s] = r.integer(0, 3);
      x.push_back(window.spatial == 1 ? r.integer(1, 500) : r.integer(1, s + 1 == static_cast<std::size_t>(window.spatial) && r.chance(0.3) ? 70 : 6));
      w.push_back(window.kernel[s]);
      const std::int64_t full = (x.back() - 1) * window.strides[s] + window.dilations[s] * (window.kernel[s] - 1) + 1;
      out.push_back(std::max<std::int64_t>(0, full - window.pads[s] + r.integer(-2, 2)));
    }
    const auto sample_x = random<TX>(r, x);
    const auto sample_w = random<TW>(r, w);
    const auto bias = random<T>(r, {out[1]});
    auto actual = dense<T>(out);
    auto expected = dense<double>(out);
    run(kernels::ConvTranspose{}, cpu, actual.view, window, groups, sample_x.view, sample_w.view, bias.view);
    reference::conv_transpose(expected.view, window, groups, sample_x.view, sample_w.view, bias.view);
    const double absolute = std::is_same_v<T, double> ? 1e-12 : 1e-4;
    EXPECT_TRUE(close(actual.view, expected.view, rounding<T>(), absolute))
        << text(sample_x.view.dims) << text(sample_w.view.dims) << " groups " << groups;
    run(kernels::ConvTranspose{}, cpu, actual.view, window, groups, sample_x.view, sample_w.view, none);
    reference::conv_transpose(expected.view, window, groups, sample_x.view, sample_w.view, none);
    EXPECT_TRUE(close(actual.view, expected.view, rounding<T>(), absolute));
  }
}

TEST(ConvTranspose, Float) { compare_shapes<float, float, float>(120); }
TEST(ConvTranspose, Double) { compare_shapes<double, double, double>(40); }
TEST(ConvTranspose, Float16) { compare_shapes<float16, float16, float16>(40); }
TEST(ConvTranspose, FloatByFloat16) { compare_shapes<float, float, float16>(40); }

TEST(ConvTransposeValues, OutputPadding) {  // onnxruntime issue 23403: the tail that output_padding adds
  Cpu cpu;
  const auto x = dense<float>({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto w = dense<float>({2, 1, 3}, {1, 2, 3, -1, 0.5, 2});
  auto out = dense<float>({1, 2, 8});
  run(kernels::ConvTranspose{}, cpu, out.view, Window{1, {3}, {2}, {1}, {1}}, std::int64_t{2}, x.view, w.view, none);
  EXPECT_TRUE(close(out.view, dense<float>({1, 2, 8}, {2, 5, 4, 9, 6, 13, 8, 12, 2.5, 4, 3, 5, 3.5, 6, 4, 16}).view));
}

TEST(ConvTransposeValues, ChannelsOfAnyCount) {  // onnxruntime pull request 27749
  Cpu cpu;
  const std::vector<double> expected[] = {{565, 1220, 660, 1310, 2820, 1520, 765, 1640, 880},
                                          {1631, 3444, 1820, 3626, 7644, 4032, 2023, 4256, 2240}};
  for (int i = 0; i < 2; ++i) {
    const std::int64_t c = i == 0 ? 5 : 7;
    std::vector<double> counted;
    for (int n = 1; n <= 4 * c; ++n) counted.push_back(n);
    auto out = dense<float>({1, 1, 3, 3});
    run(kernels::ConvTranspose{}, cpu, out.view, Window{2, {2, 2}, {1, 1}, {1, 1}, {0, 0}}, std::int64_t{1},
        dense<float>({1, c, 2, 2}, counted).view, dense<float>({c, 1, 2, 2}, counted).view, none);
    EXPECT_TRUE(close(out.view, dense<float>({1, 1, 3, 3}, expected[i]).view));
  }
}

}  // namespace
