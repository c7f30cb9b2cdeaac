#include "ops/pool/pool.hpp"

#include "ops/pool/cpu.hpp"
#include "ops/pool/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

struct Case {
  Window window;
  std::array<std::int64_t, 3> pads_end{};
  Shape x, out;
};

Case draw(Random& r) {
  Case c;
  c.window.spatial = static_cast<int>(r.integer(1, 3));
  c.x = {r.integer(0, 2), r.integer(1, 3)};
  c.out = c.x;
  for (std::size_t s = 0; s < static_cast<std::size_t>(c.window.spatial); ++s) {
    c.window.kernel[s] = r.integer(1, 4);
    c.window.strides[s] = r.integer(1, 3);
    c.window.dilations[s] = r.integer(1, 2);
    c.window.pads[s] = r.integer(0, 3);
    c.pads_end[s] = r.integer(0, 3);
    c.x.push_back(c.window.spatial == 1 ? r.integer(1, 600) : r.integer(1, 8));
    const std::int64_t reach = c.window.dilations[s] * (c.window.kernel[s] - 1) + 1, hanging = r.integer(0, 2);
    const std::int64_t room = c.x.back() + c.window.pads[s] + c.pads_end[s] + hanging - reach;
    c.out.push_back(std::max<std::int64_t>(0, (room + c.window.strides[s]) / c.window.strides[s]));
  }
  return c;
}

template <class T>
void compare_max() {
  Random r(111);
  Cpu cpu;
  for (int i = 0; i < 120; ++i) {
    const Case c = draw(r);
    auto x = random<T>(r, c.x);
    if (!std::is_integral_v<T>)
      for (auto& e : x.storage)
        if (r.chance(0.02)) e = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
    const bool column_major = r.chance(0.5);
    auto out = dense<T>(c.out), alone = dense<T>(c.out), expected = dense<T>(c.out);
    auto indices = dense<std::int64_t>(c.out), expected_indices = dense<std::int64_t>(c.out);
    run(kernels::MaxPool{}, cpu, alone.view, c.window, x.view);
    run(kernels::MaxPoolIndices{}, cpu, out.view, indices.view, c.window, column_major, x.view);
    reference::max_pool(expected.view, expected_indices.view, c.window, column_major, x.view);
    EXPECT_TRUE(close(alone.view, expected.view)) << text(x.view.dims);
    EXPECT_TRUE(close(out.view, expected.view)) << text(x.view.dims);
    EXPECT_TRUE(close(indices.view, expected_indices.view)) << text(x.view.dims);
  }
}

TEST(Pool, MaxFloat) { compare_max<float>(); }
TEST(Pool, MaxDouble) { compare_max<double>(); }
TEST(Pool, MaxFloat16) { compare_max<float16>(); }
TEST(Pool, MaxIntegers) {
  compare_max<std::int8_t>();
  compare_max<std::uint8_t>();
}

template <class T>
void compare_means() {
  Random r(121);
  Cpu cpu;
  for (int i = 0; i < 120; ++i) {
    const Case c = draw(r);
    const auto x = random<T>(r, c.x);
    auto out = dense<T>(c.out);
    auto expected = dense<double>(c.out);
    const bool include = r.chance(0.5);
    run(kernels::AveragePool{}, cpu, out.view, c.window, include, c.pads_end, x.view);
    reference::average_pool(expected.view, c.window, include, c.pads_end, x.view);
    EXPECT_TRUE(close(out.view, expected.view, rounding<T>(), 1e-7)) << text(x.view.dims);
    for (const int p : {1, 2, 3}) {
      run(kernels::LpPool{}, cpu, out.view, c.window, p, x.view);
      reference::lp_pool(expected.view, c.window, p, x.view);
      EXPECT_TRUE(close(out.view, expected.view, rounding<T>(), 1e-7)) << text(x.view.dims) << " p " << p;
    }
  }
}

TEST(Pool, MeansFloat) { compare_means<float>(); }
TEST(Pool, MeansDouble) { compare_means<double>(); }
TEST(Pool, MeansBfloat16) { compare_means<bfloat16>(); }

std::vector<double> count_from(double first, int n) {
  std::vector<double> v;
  for (int i = 0; i < n; ++i) v.push_back(first + i);
  return v;
}

TEST(PoolValues, AverageOfAHangingWindow) {  // onnxruntime issues 20938 and 21206: the divisor under ceil_mode
  Cpu cpu;
  const Window window{2, {3, 3}, {2, 2}, {1, 1}, {1, 1}};
  auto out = dense<float>({1, 1, 3, 3});
  run(kernels::AveragePool{}, cpu, out.view, window, true, std::array<std::int64_t, 3>{1, 1},
      dense<float>({1, 1, 4, 4}, count_from(1, 16)).view);
  const auto expected = dense<double>({1, 1, 3, 3}, {14 / 9.0, 30 / 9.0, 2, 57 / 9.0, 11, 6, 4.5, 7.5, 4});
  EXPECT_TRUE(close(out.view, expected.view, 1e-6));
}

TEST(PoolValues, AverageOfOnesIsOne) {
  Cpu cpu;
  auto out = dense<float>({1, 1, 3, 3});
  run(kernels::AveragePool{}, cpu, out.view, Window{2, {4, 4}, {4, 4}, {1, 1}, {2, 2}}, false,
      std::array<std::int64_t, 3>{2, 2}, dense<float>({1, 1, 9, 9}, std::vector<double>(81, 1)).view);
  EXPECT_TRUE(close(out.view, dense<float>({1, 1, 3, 3}, std::vector<double>(9, 1)).view));
}

TEST(PoolValues, MaxOfAHangingWindow) {
  Cpu cpu;
  auto out = dense<float>({1, 1, 3, 3});
  auto indices = dense<std::int64_t>({1, 1, 3, 3});
  const auto x = dense<float>({1, 1, 5, 5}, count_from(0, 25));
  const Window window{2, {2, 2}, {2, 2}, {1, 1}, {0, 0}};
  run(kernels::MaxPool{}, cpu, out.view, window, x.view);
  const std::vector<double> expected{6, 8, 9, 16, 18, 19, 21, 23, 24};
  EXPECT_TRUE(close(out.view, dense<float>({1, 1, 3, 3}, expected).view));
  run(kernels::MaxPoolIndices{}, cpu, out.view, indices.view, window, false, x.view);
  EXPECT_TRUE(close(indices.view, dense<std::int64_t>({1, 1, 3, 3}, expected).view));
  run(kernels::MaxPoolIndices{}, cpu, out.view, indices.view, window, true, x.view);
  EXPECT_EQ(indices.view.data[0], 6);   // row 1, column 1
  EXPECT_EQ(indices.view.data[2], 21);  // row 1, column 4
}

TEST(PoolValues, MinusInfinityHasAPlace) {
  Cpu cpu;
  auto out = dense<float>({1, 1, 3});
  auto indices = dense<std::int64_t>({1, 1, 3});
  const double least = -std::numeric_limits<double>::infinity();
  run(kernels::MaxPoolIndices{}, cpu, out.view, indices.view, Window{1, {2}, {1}, {1}, {0}}, false,
      dense<float>({1, 1, 4}, std::vector<double>(4, least)).view);
  EXPECT_TRUE(close(indices.view, dense<std::int64_t>({1, 1, 3}, {0, 1, 2}).view));
}

TEST(PoolValues, ThroughTheTypedWrapper) {
  struct N {};
  struct C {};
  struct In {};
  struct Half {};
  Cpu cpu;
  const float x[] = {3, 4, -6, 8};
  const auto value = cpu.upload(Tensor<float, N, C, In>::borrow({1, 1, 4}, x));
  auto out = make_output<float, N, C, Half>(cpu, {1, 1, 2});
  auto indices = make_output<std::int64_t, N, C, Half>(cpu, {1, 1, 2});
  const Window window{1, {2}, {2}, {1}, {0}};
  lp_pool(cpu, out, window, 2, value);
  EXPECT_FLOAT_EQ(cpu.read(out), 5);
  average_pool(cpu, out, window, false, {0}, value);
  EXPECT_FLOAT_EQ(cpu.read(out), 3.5);
  max_pool(cpu, out, window, value);
  max_pool_indices(cpu, out, indices, window, false, value);
  EXPECT_EQ(cpu.download(indices)[1], 3);
}

}  // namespace
