#include "ops/softmax/softmax.hpp"

#include "ops/softmax/cpu.hpp"
#include "ops/softmax/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Kind, class T>
void compare_shapes() {
  Random r(21);
  Cpu cpu;
  for (int i = 0; i < 60; ++i) {
    Shape shape;
    for (std::int64_t n = r.integer(1, 4); n > 0; --n) shape.push_back(r.integer(r.chance(0.1) ? 0 : 1, 9));
    shape[static_cast<std::size_t>(r.integer(0, static_cast<std::int64_t>(shape.size()) - 1))] = r.integer(1, 120);
    const auto x = random<T>(r, shape);
    for (int axis = 0; axis < x.view.rank(); ++axis) {
      auto out = dense<T>(shape);
      auto expected = dense<double>(shape);
      run(kernels::Softmax<Kind>{}, cpu, out.view, axis, x.view);
      reference::softmax<Kind>(expected.view, axis, x.view);
      EXPECT_TRUE(close(out.view, expected.view, rounding<T>(), std::is_same_v<T, double> ? 1e-14 : 1e-6))
          << text(x.view.dims) << " axis " << axis;
    }
  }
}

TEST(Softmax, Float) { compare_shapes<Softmax, float>(); }
TEST(Softmax, Double) { compare_shapes<Softmax, double>(); }
TEST(Softmax, Float16) { compare_shapes<Softmax, float16>(); }
TEST(Softmax, Bfloat16) { compare_shapes<LogSoftmax, bfloat16>(); }
TEST(Softmax, Logarithm) { compare_shapes<LogSoftmax, float>(); }
TEST(Softmax, Hard) { compare_shapes<Hardmax, float>(); }

template <class Kind>
void expect(const std::vector<double>& x, const std::vector<double>& expected) {
  Cpu cpu;
  const auto n = static_cast<std::int64_t>(x.size());
  for (const bool down : {false, true}) {
    const Shape shape = down ? Shape{n, 1} : Shape{1, n};
    auto out = dense<float>(shape);
    run(kernels::Softmax<Kind>{}, cpu, out.view, down ? 0 : 1, dense<float>(shape, x).view);
    EXPECT_TRUE(close(out.view, dense<double>(shape, expected).view, 1e-6));
    // Beside another column, so that columns are taken side by side.
    auto two = dense<float>({n, 2});
    auto wide = dense<float>({n, 2});
    for (std::int64_t i = 0; i < n; ++i) wide.view.data[2 * i + 1] = static_cast<float>(x[static_cast<std::size_t>(i)]);
    run(kernels::Softmax<Kind>{}, cpu, two.view, 0, wide.view);
    two.view.data += 1;
    two.view.dims.extents[1] = 1;
    EXPECT_TRUE(close(two.view, dense<double>({n, 1}, expected).view, 1e-6));
  }
}

TEST(SoftmaxValues, Known) {
  expect<Softmax>({0, 1, 2, 3}, {0.0320586033, 0.0871443187, 0.2368828181, 0.6439142599});
  expect<LogSoftmax>({0, 2}, {-2.1269280110, -0.1269280110});
  expect<Softmax>({1000, 1000}, {0.5, 0.5});
  expect<Softmax>({-infinity, 0}, {0, 1});
  expect<LogSoftmax>({-infinity, 0}, {-infinity, 0});
  expect<Hardmax>({1, 3, 3, 2}, {0, 1, 0, 0});
  expect<Hardmax>({1, nan, 3, nan}, {0, 1, 0, 0});
  expect<Hardmax>({-infinity, -infinity}, {1, 0});
}

TEST(SoftmaxValues, RowsWithoutAnAnswer) {
  expect<Softmax>({-infinity, -infinity}, {nan, nan});
  expect<Softmax>({infinity, 1}, {nan, nan});
  expect<Softmax>({nan, 1}, {nan, nan});
  expect<LogSoftmax>({-infinity, -infinity}, {nan, nan});
}

}  // namespace
