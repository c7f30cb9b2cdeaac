#include "ops/attend/attend.hpp"

#include "ops/attend/cpu.hpp"
#include "ops/attend/reference.hpp"
#include "ops/testing.hpp"
#include "runtime/functions.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Plain {
  template <class P>
  constexpr P operator()(P product) const { return product; }
};
// A scale, a bias, and a mask that hides.
struct Masked {
  template <class P, class B, class M>
  constexpr P operator()(P product, B bias, M seen) const {
    return seen ? product * P{0.5} + static_cast<P>(bias) : -std::numeric_limits<P>::infinity();
  }
};
// A row that sees nothing is nothing.
struct Seen {
  template <class P>
  constexpr P operator()(P weight) const { return weight != weight ? P{0} : weight; }
};

template <class T, class W = T>
void compare(Cpu& cpu, Random& r, const Shape& q_shape, const Shape& k_shape, const Shape& v_shape, const Shape& out_shape) {
  const auto q = random<T>(r, q_shape);
  const auto k = random<W>(r, k_shape);
  const auto v = random<W>(r, v_shape);
  const std::int64_t m = out_shape[out_shape.size() - 2], n = k_shape.back();
  const auto bias = random<T>(r, {m, 1});
  const auto seen = random<bool>(r, {m, n});
  auto out = dense<T>(out_shape);
  auto expected = dense<double>(out_shape);
  const auto close_enough = [&] {
    return close(out.view, expected.view, 4 * rounding<T>(), 4 * rounding<T>() + 2e-5);
  };
  run(kernels::Attend<Plain, Plain>{}, cpu, out.view, q.view, k.view, v.view);
  reference::attend<Plain, Plain>(expected.view, q.view, k.view, v.view);
  EXPECT_TRUE(close_enough()) << text(q.view.dims) << " x " << text(k.view.dims) << " x " << text(v.view.dims);
  run(kernels::Attend<Masked, Plain>{}, cpu, out.view, q.view, k.view, v.view, bias.view, seen.view);
  reference::attend<Masked, Plain>(expected.view, q.view, k.view, v.view, bias.view, seen.view);
  EXPECT_TRUE(close_enough()) << text(q.view.dims) << " x " << text(k.view.dims) << " x " << text(v.view.dims);
  run(kernels::Attend<Masked, Seen>{}, cpu, out.view, q.view, k.view, v.view, scalar(0.5f), seen.view);
  reference::attend<Masked, Seen>(expected.view, q.view, k.view, v.view, scalar(0.5f), seen.view);
  EXPECT_TRUE(close_enough()) << text(q.view.dims) << " x " << text(k.view.dims) << " x " << text(v.view.dims);
}

template <class T, class W = T>
void compare_shapes(int times) {
  Random r(31);
  Cpu cpu(2);
  for (int i = 0; i < times; ++i) {
    const std::int64_t m = r.integer(0, 30), e = r.integer(0, 40), n = r.integer(0, 90), d = r.integer(0, 70), b = r.integer(1, 3);
    compare<T, W>(cpu, r, {m, e}, {e, n}, {n, d}, {m, d});
    compare<T, W>(cpu, r, {b, 2, m, e}, {b, 2, e, n}, {b, 2, n, d}, {b, 2, m, d});
    compare<T, W>(cpu, r, {b, 3, 1, e}, {b, 1, e, n}, {b, 1, n, d}, {b, 3, 1, d});
    compare<T, W>(cpu, r, {b, m, e}, {e, n}, {n, d}, {b, m, d});
  }
}

TEST(Attend, Float) { compare_shapes<float>(40); }
TEST(Attend, ManyKeys) {
  Random r(32);
  Cpu cpu(2);
  compare<float>(cpu, r, {19, 64}, {64, 600}, {600, 64}, {19, 64});
  compare<float>(cpu, r, {2, 64}, {64, 600}, {600, 64}, {2, 64});
}
TEST(Attend, Double) { compare_shapes<double>(8); }
TEST(Attend, FloatByFloat16) { compare_shapes<float, float16>(8); }
TEST(Attend, Float16) { compare_shapes<float16>(8); }
TEST(Attend, Bfloat16) { compare_shapes<bfloat16>(8); }

// Heads one beside another, as the product after attention reads them, and columns that do not follow one another.
template <class T>
void compare_turned(const std::vector<int>& order, std::int64_t rows, std::int64_t keys) {
  Random r(33);
  Cpu cpu(2);
  const Shape shape{2, 3, rows, 20};
  const auto q = random<T>(r, {2, 3, rows, 8}), k = random<T>(r, {2, 3, 8, keys}), v = random<T>(r, {2, 3, keys, 20});
  auto whole = dense<T>(shape), expected = dense<T>(shape);
  View<T> turned = whole.view;
  std::int64_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(order[i]);
    turned.dims.strides[axis] = stride;
    stride *= shape[axis];
  }
  run(kernels::Attend<Plain, Plain>{}, cpu, turned, q.view, k.view, v.view);
  run(kernels::Attend<Plain, Plain>{}, cpu, expected.view, q.view, k.view, v.view);
  EXPECT_TRUE(close(turned, expected.view, 0, 0)) << rows << " rows, " << keys << " keys";
}
TEST(Attend, WritesOnAnyStrides) {
  for (const std::int64_t rows : {1, 21})
    for (const std::int64_t keys : {0, 30}) {
      compare_turned<float>({0, 2, 1, 3}, rows, keys);
      compare_turned<float>({3, 0, 2, 1}, rows, keys);
      compare_turned<float16>({0, 2, 1, 3}, rows, keys);
    }
}

// What an unfused softmax gives: NaN, unless the expression of weights makes something else of it.
TEST(Attend, ARowThatSeesNothing) {
  Cpu cpu;
  for (const std::int64_t rows : {1, 20}) {
    const auto q = dense<float>({rows, 2}, std::vector<double>(static_cast<std::size_t>(2 * rows), 1));
    const auto k = dense<float>({2, 3}, {1, 1, 1, 1, 1, 1}), v = dense<float>({3, 1}, {1, 2, 3});
    std::vector<double> mask(static_cast<std::size_t>(3 * rows), 0);
    std::fill_n(mask.begin(), 3, -infinity);
    mask.back() = -infinity;
    const auto bias = dense<float>({rows, 3}, mask);
    auto out = dense<float>({rows, 1});
    run(kernels::Attend<fn::Add, Seen>{}, cpu, out.view, q.view, k.view, v.view, bias.view);
    EXPECT_EQ(out.view.data[0], 0.0f);
    if (rows > 1) {
      EXPECT_FLOAT_EQ(out.view.data[rows - 1], 1.5f);
    }
    run(kernels::Attend<fn::Add, Plain>{}, cpu, out.view, q.view, k.view, v.view, bias.view);
    EXPECT_TRUE(std::isnan(out.view.data[0]));
  }
}

TEST(Attend, ThreadsDoNotChangeABit) {
  Random r(5);
  Cpu one(1), three(3);
  for (const std::int64_t rows : {1, 100}) {
    const auto q = random<float>(r, {6, rows, 64}), k = random<float>(r, {6, 64, 300}), v = random<float>(r, {6, 300, 64});
    auto a = dense<float>({6, rows, 64}), b = dense<float>({6, rows, 64});
    run(kernels::Attend<Plain, Plain>{}, one, a.view, q.view, k.view, v.view);
    run(kernels::Attend<Plain, Plain>{}, three, b.view, q.view, k.view, v.view);
    EXPECT_EQ(a.storage, b.storage);
  }
}

}  // namespace
