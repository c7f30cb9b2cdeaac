#include "ops/reduce/reduce.hpp"

#include "ops/reduce/cpu.hpp"
#include "ops/reduce/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Reducer, class T, int... Axes>
void compare(Cpu& cpu, Random& r, const Shape& shape) {
  using E = std::conditional_t<std::is_integral_v<T>, T, double>;
  auto x = random<T>(r, shape);
  if (std::is_same_v<Reducer, reducer::LogSum>)
    for (auto& e : x.storage) e = static_cast<T>(static_cast<float>(std::abs(static_cast<float>(e))) + 1);
  Shape kept = shape, gone;
  for (const int axis : {Axes...}) kept[static_cast<std::size_t>(axis)] = 1;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if ((... && (static_cast<int>(i) != Axes))) gone.push_back(shape[i]);
  auto expected = dense<E>(kept);
  reference::reduce<Reducer>(expected.view, x.view);
  auto out = dense<T>(kept);
  run(kernels::Reduce<Reducer, Over<Axes...>>{}, cpu, out.view, x.view);
  const double relative = rounding<T>(), absolute = std::is_same_v<T, double> ? 1e-13 : 2e-5;
  EXPECT_TRUE(close(out.view, expected.view, relative, absolute)) << text(x.view.dims);
  auto without = dense<T>(gone);
  run(kernels::Reduce<Reducer, Over<Axes...>>{}, cpu, without.view, x.view);
  without.view.dims = out.view.dims;
  EXPECT_TRUE(close(without.view, out.view)) << text(x.view.dims);
}

template <class Reducer, class T>
void compare_shapes() {
  Random r(11);
  Cpu cpu;
  for (int i = 0; i < 12; ++i) {
    const auto n = [&] { return r.integer(r.chance(0.1) ? 0 : 1, 9); };
    compare<Reducer, T, 0>(cpu, r, {r.integer(0, 200)});
    compare<Reducer, T, 1>(cpu, r, {n(), r.integer(0, 100)});
    compare<Reducer, T, 0>(cpu, r, {r.integer(0, 80), r.integer(0, 90)});
    compare<Reducer, T, 0, 2>(cpu, r, {n(), n(), n()});
    compare<Reducer, T, 1>(cpu, r, {n(), n(), n()});
    compare<Reducer, T, 1, 2, 3>(cpu, r, {n(), n(), 1, n()});
  }
}

template <class R>
class Reduce : public ::testing::Test {};
using Reducers = ::testing::Types<reducer::Sum, reducer::Mean, reducer::Max, reducer::Min, reducer::Product,
                                  reducer::L1, reducer::L2, reducer::LogSum, reducer::LogSumExp, reducer::SumSquare>;
TYPED_TEST_SUITE(Reduce, Reducers);
TYPED_TEST(Reduce, Float) { compare_shapes<TypeParam, float>(); }

TEST(ReduceTypes, HalfAccumulatesInFloat) {
  compare_shapes<reducer::Sum, float16>();
  compare_shapes<reducer::Mean, bfloat16>();
  Cpu cpu;
  auto x = dense<float16>({5000});
  for (auto& e : x.storage) e = 1.0f;
  auto out = dense<float16>({1});
  run(kernels::Reduce<reducer::Sum, Over<0>>{}, cpu, out.view, x.view);
  EXPECT_EQ(static_cast<float>(out.view.data[0]), 5000.0f);  // float16 sums stop at 2048
}

TEST(ReduceTypes, Double) {
  compare_shapes<reducer::Mean, double>();
  compare_shapes<reducer::LogSumExp, double>();
}

TEST(ReduceTypes, Integers) {
  compare_shapes<reducer::Sum, std::int32_t>();
  compare_shapes<reducer::Product, std::int64_t>();
  compare_shapes<reducer::Mean, std::int64_t>();
  compare_shapes<reducer::Max, std::int8_t>();
  compare_shapes<reducer::Min, std::uint8_t>();
  compare_shapes<reducer::Max, std::uint64_t>();
  compare_shapes<reducer::SumSquare, std::int32_t>();
  compare_shapes<reducer::L1, std::int32_t>();
}

template <class Reducer, class T>
double of(const std::vector<double>& values) {
  Cpu cpu;
  auto x = dense<T>({static_cast<std::int64_t>(values.size())}, values);
  auto out = dense<T>({});
  run(kernels::Reduce<Reducer, Over<0>>{}, cpu, out.view, x.view);
  return static_cast<double>(load(out.view.data[0]));
}

TEST(ReduceValues, OfNoElements) {
  EXPECT_EQ((of<reducer::Sum, float>({})), 0);
  EXPECT_EQ((of<reducer::Product, float>({})), 1);
  EXPECT_TRUE(std::isnan(of<reducer::Mean, float>({})));
  EXPECT_EQ((of<reducer::Mean, std::int32_t>({})), 0);
  EXPECT_EQ((of<reducer::Max, float>({})), -infinity);
  EXPECT_EQ((of<reducer::Min, double>({})), infinity);
  EXPECT_EQ((of<reducer::Max, std::int32_t>({})), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ((of<reducer::Min, std::uint8_t>({})), 255);
  EXPECT_EQ((of<reducer::Max, bool>({})), 0);
  EXPECT_EQ((of<reducer::Min, bool>({})), 1);
  EXPECT_EQ((of<reducer::LogSum, float>({})), -infinity);
  EXPECT_EQ((of<reducer::LogSumExp, float>({})), -infinity);
  EXPECT_EQ((of<reducer::L2, float>({})), 0);
}

TEST(ReduceValues, NanAndInfinity) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(of<reducer::Max, float>({1, nan, 3})));
  EXPECT_TRUE(std::isnan(of<reducer::Min, float>({nan, 1, 3})));
  EXPECT_EQ((of<reducer::LogSumExp, float>({infinity, 5})), infinity);
  EXPECT_EQ((of<reducer::LogSumExp, float>({-infinity, -infinity})), -infinity);
  EXPECT_NEAR((of<reducer::LogSumExp, float>({1000, 1000})), 1000.6931, 1e-3);
}

TEST(ReduceValues, OfIntegersAndBools) {
  EXPECT_EQ((of<reducer::Mean, std::int32_t>({-3, -4})), -3);
  EXPECT_EQ((of<reducer::L2, std::int32_t>({3, 5})), 5);
  EXPECT_EQ((of<reducer::LogSum, std::int32_t>({30, 50})), 4);
  EXPECT_EQ((of<reducer::LogSumExp, std::int32_t>({3, 5})), 5);
  EXPECT_EQ((of<reducer::Max, bool>({0, 1, 0})), 1);
  EXPECT_EQ((of<reducer::Min, bool>({1, 1, 0})), 0);
}

TEST(ReduceValues, LongSumsKeepTheirDigits) {
  Cpu cpu;
  auto x = dense<float>({1 << 20});
  for (auto& e : x.storage) e = 0.1f;
  auto out = dense<float>({1});
  run(kernels::Reduce<reducer::Sum, Over<0>>{}, cpu, out.view, x.view);
  EXPECT_NEAR(out.view.data[0], (1 << 20) * static_cast<double>(0.1f), 0.1);  // one float after another is off by 100
  x.view.dims = Dims{1 << 19, 2};
  auto two = dense<float>({2});
  run(kernels::Reduce<reducer::Sum, Over<0>>{}, cpu, two.view, x.view);
  EXPECT_NEAR(two.view.data[1], (1 << 19) * static_cast<double>(0.1f), 0.05);
}

TEST(ReduceValues, ThroughTheTypedWrapper) {
  struct Row {};
  struct Column {};
  Cpu cpu;
  const float x[] = {1, 2, 3, 4, 5, 6};
  const auto value = cpu.upload(Tensor<float, Row, Column>::borrow({2, 3}, x));
  auto gone = make_output<float, Column>(cpu, {3});
  reduce(cpu, gone, reducer::Sum{}, Over<0>{}, value);
  EXPECT_EQ(cpu.download(gone)[2], 9);
  auto kept = make_output<float, Row, One>(cpu, {2, 1});
  reduce(cpu, kept, reducer::Mean{}, Over<1>{}, value);
  EXPECT_EQ(cpu.download(kept)[1], 5);
  static_assert(!reduces_over<List<Row>, List<Row, Column>, Over<0>>);
  static_assert(!reduces_over<List<One, Column>, List<Row, Column>, Over<1>>);
}

}  // namespace
