#include "ops/gather_elements/gather_elements.hpp"

#include "ops/gather_elements/cpu.hpp"
#include "ops/gather_elements/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

template <class T, class TX, class TI>
void compare_shapes() {
  Random r(51);
  Cpu cpu;
  for (int i = 0; i < 60; ++i) {
    Shape shape, index_shape;
    for (std::int64_t n = r.integer(1, 4); n > 0; --n) {
      shape.push_back(r.integer(1, 7));
      index_shape.push_back(r.chance(0.05) ? 0 : r.integer(1, shape.back()));
    }
    const auto x = random<TX>(r, shape);
    for (int axis = 0; axis < x.view.rank(); ++axis) {
      const std::int64_t extent = x.view.extent(axis);
      auto indices = random<TI>(r, index_shape);
      for (auto& e : indices.storage) e = static_cast<TI>(r.integer(-extent, extent));
      auto out = dense<T>(index_shape);
      auto expected = dense<T>(index_shape);
      run(kernels::GatherElements{}, cpu, Site{"y"}, out.view, axis, x.view, indices.view);
      reference::gather_elements(expected.view, axis, x.view, indices.view);
      EXPECT_TRUE(close(out.view, expected.view)) << text(x.view.dims) << " axis " << axis;
    }
  }
}

TEST(GatherElements, Types) {
  compare_shapes<float, float, std::int64_t>();
  compare_shapes<float, float16, std::int32_t>();
  compare_shapes<std::uint8_t, std::uint8_t, std::int64_t>();
}

TEST(GatherElements, Known) {  // the example of ONNX GatherElements
  Cpu cpu;
  const auto x = dense<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  auto out = dense<float>({2, 3});
  const auto indices = dense<std::int64_t>({2, 3}, {1, 2, 0, 2, 0, 0});
  run(kernels::GatherElements{}, cpu, Site{"y"}, out.view, 0, x.view, indices.view);
  EXPECT_TRUE(close(out.view, dense<float>({2, 3}, {4, 8, 3, 7, 2, 3}).view));
  EXPECT_FALSE(cpu.fault());
  const auto outside = dense<std::int32_t>({2, 3}, {1, 2, 0, -4, 0, 0});
  run(kernels::GatherElements{}, cpu, Site{"y"}, out.view, 0, x.view, outside.view);
  EXPECT_EQ(*cpu.fault(), "y: position 3 holds index -4, and axis 0 has 3 elements");
}

}  // namespace
