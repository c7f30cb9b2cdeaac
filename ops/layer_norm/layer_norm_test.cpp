#include "ops/layer_norm/layer_norm.hpp"

#include "ops/layer_norm/cpu.hpp"
#include "ops/layer_norm/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

// A shape that stretches to `shape`: some leading axes absent, some others of one element.
Shape stretches_to(Random& r, const Shape& shape) {
  Shape other(shape.begin() + r.integer(0, static_cast<std::int64_t>(shape.size())), shape.end());
  for (auto& e : other)
    if (r.chance(0.2)) e = 1;
  return other;
}

template <class T, class TX, class TS>
void compare_shapes() {
  Random r(71);
  Cpu cpu;
  for (int i = 0; i < 40; ++i) {
    Shape shape;
    for (std::int64_t n = r.integer(1, 4); n > 0; --n) shape.push_back(r.integer(r.chance(0.05) ? 0 : 1, 4));
    shape.back() = r.integer(1, 70);
    const int axis = static_cast<int>(r.integer(0, static_cast<std::int64_t>(shape.size()) - 1));
    const auto x = random<TX>(r, shape);
    const auto scale = random<TS>(r, stretches_to(r, shape)), bias = random<TS>(r, stretches_to(r, shape));
    auto out = dense<T>(shape);
    auto expected = dense<double>(shape);
    const double absolute = std::is_same_v<T, double> ? 1e-12 : 2e-5;
    run(kernels::LayerNorm{}, cpu, out.view, axis, 1e-2, x.view, scale.view, bias.view);
    reference::normalize(true, expected.view, axis, 1e-2, x.view, scale.view, bias.view);
    EXPECT_TRUE(close(out.view, expected.view, rounding<T>(), absolute)) << text(x.view.dims) << " axis " << axis;
    run(kernels::LayerNorm{}, cpu, out.view, axis, 1e-2, x.view, scale.view, none);
    reference::normalize(true, expected.view, axis, 1e-2, x.view, scale.view, none);
    EXPECT_TRUE(close(out.view, expected.view, rounding<T>(), absolute)) << text(x.view.dims) << " axis " << axis;
  }
}

TEST(LayerNorm, Float) { compare_shapes<float, float, float>(); }
TEST(LayerNorm, Double) { compare_shapes<double, double, double>(); }
TEST(LayerNorm, Float16) { compare_shapes<float16, float16, float16>(); }
TEST(LayerNorm, FloatByFloat16) { compare_shapes<float, float, bfloat16>(); }

TEST(LayerNorm, SquaresPastFloat16) {  // onnxruntime issue 31626
  Cpu cpu;
  const auto x = dense<float16>({1, 4}, {1000, -1000, 1, -1});
  const auto scale = dense<float16>({4}, {1, 1, 1, 1});
  auto out = dense<float16>({1, 4});
  run(kernels::LayerNorm{}, cpu, out.view, 1, 1e-5, x.view, scale.view, none);
  EXPECT_TRUE(close(out.view, dense<double>({1, 4}, {1.414213, -1.414213, 0.001414213, -0.001414213}).view, 1e-3));
}

TEST(LayerNorm, ThroughTheTypedWrapper) {
  struct Seq {};
  struct Embed {};
  Cpu cpu;
  const float x[] = {1, 3}, scale[] = {2, 2}, bias[] = {0, 1};
  const auto value = cpu.upload(Tensor<float, Seq, Embed>::borrow({1, 2}, x));
  const auto s = cpu.upload(Tensor<float, Embed>::borrow({2}, scale));
  const auto t = cpu.upload(Tensor<float, Embed>::borrow({2}, bias));
  auto out = make_output<float, Seq, Embed>(cpu, {1, 2});
  layer_norm(cpu, out, 1, 0.0, value, s, none);
  EXPECT_FLOAT_EQ(cpu.read(out), -2);
  layer_norm(cpu, out, 1, 0.0, value, s, t);
  EXPECT_FLOAT_EQ(cpu.download(out)[1], 3);
}

}  // namespace
