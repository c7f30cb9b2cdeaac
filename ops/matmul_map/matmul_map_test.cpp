#include "ops/matmul_map/matmul_map.hpp"

#include "ops/matmul_map/cpu.hpp"
#include "ops/matmul_map/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

// A bias, an activation and a residual, in the type of the product.
struct Epilogue {
  template <class P, class B, class R>
  constexpr auto operator()(P product, B bias, R residual) const {
    const P sum = product + static_cast<P>(bias);
    return (sum > P{0} ? sum : P{0}) * P{2} + static_cast<P>(residual);
  }
};

template <class T, class W = T>
void compare(Cpu& cpu, Random& r, const Shape& a_shape, const Shape& w_shape, const Shape& out_shape) {
  const auto a = random<T>(r, a_shape);
  const auto w = random<W>(r, w_shape);
  const auto bias = random<T>(r, {out_shape.back()});
  const auto residual = random<T>(r, out_shape);
  const auto row = random<T>(r, Shape(out_shape.size(), 1));
  auto out = dense<T>(out_shape);
  auto expected = dense<double>(out_shape);
  const double depth = static_cast<double>(a_shape.back());
  const auto close_enough = [&] {
    return close(out.view, expected.view, 4 * rounding<T>(), 8 * rounding<T>() + 3e-6 * depth);
  };
  run(kernels::MatmulMap<Epilogue>{}, cpu, out.view, a.view, w.view, bias.view, residual.view);
  reference::matmul_map<Epilogue>(expected.view, a.view, w.view, bias.view, residual.view);
  EXPECT_TRUE(close_enough()) << text(a.view.dims) << " x " << text(w.view.dims);
  run(kernels::MatmulMap<Epilogue>{}, cpu, out.view, a.view, w.view, scalar(0.5f), row.view);
  reference::matmul_map<Epilogue>(expected.view, a.view, w.view, scalar(0.5f), row.view);
  EXPECT_TRUE(close_enough()) << text(a.view.dims) << " x " << text(w.view.dims);
}

template <class T, class W>
void compare_shapes(int times) {
  Random r(7);
  Cpu cpu(2);
  for (int i = 0; i < times; ++i) {
    const std::int64_t m = r.integer(0, 30), k = r.integer(0, 40), n = r.integer(0, 80), b = r.integer(1, 3);
    compare<T, W>(cpu, r, {m, k}, {k, n}, {m, n});
    compare<T, W>(cpu, r, {b, 1, k}, {k, n}, {b, 1, n});
    compare<T, W>(cpu, r, {b, m, k}, {b, k, n}, {b, m, n});
    compare<T, W>(cpu, r, {m, k}, {k, 1}, {m, 1});
  }
  compare<T, W>(cpu, r, {13, 600}, {600, 1100}, {13, 1100});  // past every block
  compare<T, W>(cpu, r, {2, 600}, {600, 1100}, {2, 1100});
}

TEST(MatmulMap, Float) { compare_shapes<float, float>(60); }
TEST(MatmulMap, FloatByFloat16) { compare_shapes<float, float16>(20); }
TEST(MatmulMap, Float16) { compare_shapes<float16, float16>(20); }

}  // namespace
