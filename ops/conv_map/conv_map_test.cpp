#include "ops/conv_map/conv_map.hpp"

#include "ops/conv_map/cpu.hpp"
#include "ops/conv_map/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

// A residual, then an activation.
struct Epilogue {
  template <class S, class R>
  constexpr S operator()(S sum, R residual) const {
    const S y = sum + static_cast<S>(residual);
    return y > S{0} ? y : S{0};
  }
};

template <class T>
void compare(Cpu& cpu, Random& r, std::int64_t groups, std::int64_t channels, std::int64_t outputs, const Window& window,
             Shape in, Shape places) {
  Shape x{2, groups * channels}, w{groups * outputs, channels}, out{2, groups * outputs};
  for (std::size_t s = 0; s < in.size(); ++s) {
    x.push_back(in[s]);
    w.push_back(window.kernel[s]);
    out.push_back(places[s]);
  }
  const auto sample = random<T>(r, x), weights = random<T>(r, w), bias = random<T>(r, {w[0]}), residual = random<T>(r, out);
  auto actual = dense<T>(out);
  auto expected = dense<double>(out);
  const auto both = [&](const auto& b) {
    run(kernels::ConvMap<Epilogue>{}, cpu, actual.view, window, groups, sample.view, weights.view, b, residual.view);
    reference::conv_map<Epilogue>(expected.view, window, groups, sample.view, weights.view, b, residual.view);
    EXPECT_TRUE(close(actual.view, expected.view, 4 * rounding<T>(), 1e-4 + 8 * rounding<T>())) << groups << " " << outputs;
  };
  both(bias.view);
  both(none);
  const auto packed = [&]<class Form>(Form) {
    using Element = Packed<detail::sum_t<T>, Form>;
    HostMemory memory;
    const View<Element> held{memory.take<Element>(Form::template elements<T>(weights.view.dims)), Dims(weights.view.dims.shape())};
    run(kernels::Pack<Form>{}, cpu, held, weights.view);
    run(kernels::ConvMap<Epilogue>{}, cpu, actual.view, window, groups, sample.view, held, bias.view, residual.view);
    reference::conv_map<Epilogue>(expected.view, window, groups, sample.view, weights.view, bias.view, residual.view);
    EXPECT_TRUE(close(actual.view, expected.view, 4 * rounding<T>(), 1e-4 + 8 * rounding<T>())) << groups << " " << outputs;
  };
  if (groups != 1) return;
  packed(form::Outputs{});
  if (window.kernel[0] != 3 || window.kernel[1] != 3 || window.strides[0] != 1) return;
  packed(form::Winograd<2>{});
  packed(form::Winograd<4>{});
}

template <class T>
void compare_kinds() {
  Random r(3);
  Cpu cpu(2);
  const Window padded{2, {3, 3, 1}, {2, 1, 1}, {1, 1, 1}, {1, 1, 0}}, plain{2, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
  const Window tiles{2, {3, 3, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 0}};
  const Window line{1, {5, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
  compare<T>(cpu, r, 1, 5, 9, padded, {17, 19}, {9, 19});
  compare<T>(cpu, r, 1, 300, 13, plain, {30, 29}, {30, 29});  // past a block of the depth and of the columns
  compare<T>(cpu, r, 1, 5, 39, tiles, {17, 19}, {17, 19});
  compare<T>(cpu, r, 1, 5, 9, tiles, {3, 300}, {3, 300});     // parts of lines of tiles
  compare<T>(cpu, r, 6, 1, 1, padded, {17, 19}, {9, 19});     // depthwise
  compare<T>(cpu, r, 2, 3, 2, line, {600}, {596});
}

TEST(ConvMap, Float) { compare_kinds<float>(); }
TEST(ConvMap, Float16) { compare_kinds<float16>(); }

}  // namespace
