#include "ops/matmul/matmul.hpp"

#include "ops/matmul/cpu.hpp"
#include "ops/matmul/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

// The reference's result is in double, or in the integer type itself.
template <class T>
using Exact = std::conditional_t<std::is_integral_v<T>, T, double>;

template <class T, class TA = T, class TW = T>
void compare(Cpu& cpu, Random& r, const Shape& a_shape, const Shape& w_shape, const Shape& out_shape) {
  const auto a = random<TA>(r, a_shape);
  const auto w = random<TW>(r, w_shape);
  auto out = dense<T>(out_shape);
  auto expected = dense<Exact<T>>(out_shape);
  run(kernels::Matmul{}, cpu, out.view, a.view, w.view);
  reference::matmul(expected.view, a.view, w.view);
  // Terms are at most 4, so a sum's error is bounded by that of its partial sums.
  const double depth = static_cast<double>(a_shape.back());
  EXPECT_TRUE(close(out.view, expected.view, rounding<T>(), std::is_same_v<T, double> ? 1e-13 * depth : 1e-6 * depth))
      << text(a.view.dims) << " x " << text(w.view.dims);
}

TEST(Matmul, EveryShapeAndStride) {
  Random r(1);
  Cpu cpu;
  for (int i = 0; i < 300; ++i) {
    const std::int64_t m = r.integer(0, 20), k = r.integer(0, 40), n = r.integer(0, 80);
    const std::int64_t b = r.integer(1, 3), c = r.integer(1, 3);
    switch (r.integer(0, 6)) {
      case 0: compare<float>(cpu, r, {m, k}, {k, n}, {m, n}); break;
      case 1: compare<float>(cpu, r, {k}, {k, n}, {n}); break;
      case 2: compare<float>(cpu, r, {m, k}, {k}, {m}); break;
      case 3: compare<float>(cpu, r, {b, c, m, k}, {c, k, n}, {b, c, m, n}); break;
      case 4: compare<float>(cpu, r, {b, 1, m, k}, {1, c, k, n}, {b, c, m, n}); break;
      case 5: compare<float>(cpu, r, {b, c, m, k}, {k, n}, {b, c, m, n}); break;
      default: compare<float>(cpu, r, {k}, {b, c, k, n}, {b, c, n}); break;
    }
  }
}

// The same product with its right side packed, within the bounds of the reference's.
template <class T, class TW = T>
void compare_packed(Cpu& cpu, Random& r, const Shape& a_shape, std::int64_t columns, const Shape& out_shape) {
  using Strips = Packed<TW, form::Columns>;
  const std::int64_t depth = a_shape.back();
  const auto a = random<T>(r, a_shape);
  const auto w = random<TW>(r, {depth, columns});
  HostMemory memory;
  const View<Strips> packed{memory.take<Strips>(form::Columns::elements<TW>(w.view.dims)), Dims{depth, columns}};
  auto out = dense<T>(out_shape);
  auto expected = dense<double>(out_shape);
  run(kernels::Pack<form::Columns>{}, cpu, packed, w.view);
  run(kernels::Matmul{}, cpu, out.view, a.view, packed);
  reference::matmul(expected.view, a.view, w.view);
  EXPECT_TRUE(close(out.view, expected.view, rounding<T>(), std::is_same_v<T, double> ? 1e-13 * static_cast<double>(depth) : 1e-6 * static_cast<double>(depth)))
      << text(a.view.dims) << " x " << text(w.view.dims);
}

TEST(Matmul, PackedColumns) {
  Random r(4);
  Cpu cpu;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t m = r.integer(1, 20), k = r.integer(2, i < 90 ? 60 : 600), n = r.integer(1, i < 90 ? 100 : 900), b = r.integer(1, 3);
    compare_packed<float>(cpu, r, {m, k}, n, {m, n});
    compare_packed<float>(cpu, r, {k}, n, {n});
    compare_packed<float>(cpu, r, {b, m, k}, n, {b, m, n});
    compare_packed<double>(cpu, r, {m, k}, n, {m, n});
    compare_packed<float16>(cpu, r, {m, k}, n, {m, n});
    compare_packed<float, float16>(cpu, r, {m, k}, n, {m, n});
    compare_packed<float, bfloat16>(cpu, r, {b, 1, k}, n, {b, 1, n});
  }
}

template <class T>
class MatmulTypes : public ::testing::Test {};
using Types = ::testing::Types<float, double, float16, bfloat16, std::int32_t, std::uint32_t, std::int64_t,
                               std::uint64_t, std::int8_t, std::uint16_t>;
TYPED_TEST_SUITE(MatmulTypes, Types);
TYPED_TEST(MatmulTypes, FewRowsManyRowsAndVectors) {
  using T = TypeParam;
  Random r(2);
  Cpu cpu;
  for (int i = 0; i < 40; ++i) {
    const std::int64_t m = r.integer(1, 30), k = r.integer(1, 60), n = r.integer(1, 70);
    compare<T>(cpu, r, {m, k}, {k, n}, {m, n});
    compare<T>(cpu, r, {2, 1, k}, {k, n}, {2, 1, n});
    compare<T>(cpu, r, {m, k}, {k}, {m});
  }
}

TEST(Matmul, OperandsOfOtherTypes) {
  Random r(3);
  Cpu cpu;
  for (int i = 0; i < 30; ++i) {
    const std::int64_t m = r.integer(1, 9), k = r.integer(1, 80), n = r.integer(1, 80);
    compare<float, float, float16>(cpu, r, {m, k}, {k, n}, {m, n});
    compare<float, float, bfloat16>(cpu, r, {m, k}, {k, n}, {m, n});
    compare<float16, float16, float>(cpu, r, {m, k}, {k, n}, {m, n});
    compare<std::int32_t, std::int8_t, std::uint8_t>(cpu, r, {m, k}, {k, n}, {m, n});
  }
}

TEST(Matmul, PastEveryBlock) {
  Random r(4);
  Cpu cpu;
  compare<float>(cpu, r, {13, 600}, {600, 1100}, {13, 1100});
  compare<float16>(cpu, r, {13, 600}, {600, 1100}, {13, 1100});
  compare<float>(cpu, r, {1, 1300}, {1300, 1100}, {1, 1100});
  compare<double>(cpu, r, {3, 1300}, {1300, 600}, {3, 600});
  compare<std::int32_t>(cpu, r, {7, 520}, {520, 600}, {7, 600});
}

TEST(Matmul, KnownProducts) {
  Cpu cpu;
  const auto a = dense<std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto w = dense<std::int32_t>({3, 2}, {7, 8, 9, 10, 11, 12});
  auto out = dense<std::int32_t>({2, 2});
  run(kernels::Matmul{}, cpu, out.view, a.view, w.view);
  EXPECT_TRUE(close(out.view, dense<std::int32_t>({2, 2}, {58, 64, 139, 154}).view));
}

TEST(Matmul, NoTermsGiveZeros) {
  Cpu cpu;
  for (const std::int64_t rows : {1, 7}) {
    auto out = dense<float>({rows, 3}, std::vector<double>(static_cast<std::size_t>(rows * 3), 9.0));
    run(kernels::Matmul{}, cpu, out.view, dense<float>({rows, 0}).view, dense<float>({0, 3}).view);
    EXPECT_TRUE(close(out.view, dense<float>({rows, 3}).view));
  }
}

TEST(Matmul, ThroughTheTypedWrapper) {
  struct M {};
  struct K {};
  struct N {};
  Cpu cpu;
  const float a[] = {1, 2}, w[] = {3, 4};
  const auto left = cpu.upload(Tensor<float, M, K>::borrow({1, 2}, a));
  const auto right = cpu.upload(Tensor<float, N, K>::borrow({1, 2}, w));
  auto out = make_output<float, M, N>(cpu, {1, 1});
  matmul(cpu, out, left, transpose<1, 0>(right));
  EXPECT_EQ(cpu.read(out), 11.0f);
}

}  // namespace
