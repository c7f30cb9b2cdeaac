#include "ops/rms_norm/rms_norm.hpp"

#include "ops/rms_norm/cpu.hpp"
#include "ops/rms_norm/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

template <class T, class TX, class TS>
void compare_shapes() {
  Random r(81);
  Cpu cpu;
  for (int i = 0; i < 40; ++i) {
    Shape shape;
    for (std::int64_t n = r.integer(1, 4); n > 0; --n) shape.push_back(r.integer(r.chance(0.05) ? 0 : 1, 4));
    shape.back() = r.integer(1, 70);
    const int axis = static_cast<int>(r.integer(0, static_cast<std::int64_t>(shape.size()) - 1));
    const auto x = random<TX>(r, shape);
    const auto scale = random<TS>(r, Shape(shape.begin() + axis, shape.end()));
    auto out = dense<T>(shape);
    auto expected = dense<double>(shape);
    run(kernels::RmsNorm{}, cpu, out.view, axis, 1e-2, x.view, scale.view);
    reference::rms_norm(expected.view, axis, 1e-2, x.view, scale.view);
    EXPECT_TRUE(close(out.view, expected.view, rounding<T>(), std::is_same_v<T, double> ? 1e-12 : 1e-5));
  }
}

TEST(RmsNorm, Types) {
  compare_shapes<float, float, float>();
  compare_shapes<double, double, double>();
  compare_shapes<float16, float16, float16>();
  compare_shapes<float, float, float16>();
}

TEST(RmsNorm, SquaresPastFloat16) {  // the twin of layer_norm's case: 9000^2 is no float16
  Cpu cpu;
  const auto x = dense<float16>({1, 4}, {9000, -9000, 1, 2});
  auto out = dense<float>({1, 4});
  run(kernels::RmsNorm{}, cpu, out.view, 1, 1e-6, x.view, dense<float16>({4}, {1, 1, 1, 1}).view);
  EXPECT_TRUE(close(out.view, dense<double>({1, 4}, {1.414214, -1.414214, 0.000157135, 0.00031427}).view, 1e-5));
}

}  // namespace
