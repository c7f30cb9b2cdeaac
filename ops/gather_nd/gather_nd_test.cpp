#include "ops/gather_nd/gather_nd.hpp"

#include "ops/gather_nd/cpu.hpp"
#include "ops/gather_nd/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

template <class T, class TX, class TI>
void compare_shapes() {
  Random r(61);
  Cpu cpu;
  for (int i = 0; i < 120; ++i) {
    Shape shape;
    for (std::int64_t n = r.integer(1, 4); n > 0; --n) shape.push_back(r.integer(1, 5));
    const auto rank = static_cast<std::int64_t>(shape.size());
    const std::int64_t batch = r.integer(0, rank - 1), k = r.integer(1, rank - batch);
    Shape index_shape(shape.begin(), shape.begin() + batch);
    for (std::int64_t n = r.integer(0, 2); n > 0; --n) index_shape.push_back(r.integer(r.chance(0.1) ? 0 : 1, 5));
    Shape out_shape = index_shape;
    out_shape.insert(out_shape.end(), shape.begin() + batch + k, shape.end());
    index_shape.push_back(k);
    const auto x = random<TX>(r, shape);
    auto indices = random<TI>(r, index_shape);
    const std::int64_t reach = r.integer(1, 5);
    for (auto& e : indices.storage) e = static_cast<TI>(r.integer(-reach, reach - 1));
    auto out = dense<T>(out_shape);
    auto expected = dense<T>(out_shape);
    run(kernels::GatherNd{}, cpu, Site{"y"}, out.view, static_cast<int>(batch), x.view, indices.view);
    reference::gather_nd(expected.view, static_cast<int>(batch), x.view, indices.view);
    EXPECT_TRUE(close(out.view, expected.view)) << text(x.view.dims) << text(indices.view.dims) << batch;
  }
}

TEST(GatherNd, Types) {
  compare_shapes<float, float, std::int64_t>();
  compare_shapes<float, float16, std::int64_t>();
  compare_shapes<std::int64_t, std::int64_t, std::int32_t>();
}

TEST(GatherNd, Known) {  // the examples of ONNX GatherND
  Cpu cpu;
  const auto x = dense<std::int32_t>({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  auto out = dense<std::int32_t>({2, 2});
  run(kernels::GatherNd{}, cpu, Site{"y"}, out.view, 0, x.view, dense<std::int64_t>({2, 2}, {0, 1, 1, 0}).view);
  EXPECT_TRUE(close(out.view, dense<std::int32_t>({2, 2}, {2, 3, 4, 5}).view));
  run(kernels::GatherNd{}, cpu, Site{"y"}, out.view, 1, x.view, dense<std::int64_t>({2, 1}, {1, 0}).view);
  EXPECT_TRUE(close(out.view, dense<std::int32_t>({2, 2}, {2, 3, 4, 5}).view));
  EXPECT_FALSE(cpu.fault());
  run(kernels::GatherNd{}, cpu, Site{"y"}, out.view, 0, x.view, dense<std::int64_t>({2, 2}, {0, 1, 1, 5}).view);
  EXPECT_EQ(*cpu.fault(), "y: position 3 holds index 5, and axis 1 has 2 elements");
  EXPECT_TRUE(close(out.view, dense<std::int32_t>({2, 2}, {2, 3, 0, 0}).view));
}

}  // namespace
