#include "ops/gather/gather.hpp"

#include "ops/gather/cpu.hpp"
#include "ops/gather/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

Shape shape_of(Random& r, std::int64_t least_rank, std::int64_t greatest_rank) {
  Shape shape;
  for (std::int64_t n = r.integer(least_rank, greatest_rank); n > 0; --n)
    shape.push_back(r.integer(r.chance(0.1) ? 0 : 1, 6));
  return shape;
}

template <class T, class TX, class TI>
void compare_shapes() {
  Random r(41);
  Cpu cpu;
  for (int i = 0; i < 60; ++i) {
    const Shape shape = shape_of(r, 1, 3), index_shape = shape_of(r, 0, 2);
    const auto x = random<TX>(r, shape);
    for (int axis = 0; axis < x.view.rank(); ++axis) {
      const std::int64_t extent = x.view.extent(axis);
      auto indices = random<TI>(r, index_shape);
      for (auto& e : indices.storage) e = static_cast<TI>(r.integer(-extent, extent));  // extent is out of range
      Shape out_shape(shape.begin(), shape.begin() + axis);
      out_shape.insert(out_shape.end(), index_shape.begin(), index_shape.end());
      out_shape.insert(out_shape.end(), shape.begin() + axis + 1, shape.end());
      auto out = dense<T>(out_shape);
      auto expected = dense<T>(out_shape);
      run(kernels::Gather{}, cpu, Site{"y = Gather"}, out.view, axis, x.view, indices.view);
      reference::gather(expected.view, axis, x.view, indices.view);
      EXPECT_TRUE(close(out.view, expected.view)) << text(x.view.dims) << " axis " << axis;
    }
  }
}

TEST(Gather, Float) { compare_shapes<float, float, std::int64_t>(); }
TEST(Gather, Float16IntoFloat) { compare_shapes<float, float16, std::int32_t>(); }
TEST(Gather, Bfloat16) { compare_shapes<bfloat16, bfloat16, std::int64_t>(); }
TEST(Gather, IntegersAndBools) {
  compare_shapes<std::int64_t, std::int64_t, std::int64_t>();
  compare_shapes<bool, bool, std::int32_t>();
}

TEST(Gather, OutOfRangeIsReported) {
  Cpu cpu;
  const auto x = dense<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  auto out = dense<float>({3, 2}, {9, 9, 9, 9, 9, 9});
  run(kernels::Gather{}, cpu, Site{"y = Gather"}, out.view, 0, x.view, dense<std::int64_t>({3}, {-1, 4, 0}).view);
  ASSERT_TRUE(cpu.fault());
  EXPECT_EQ(*cpu.fault(), "y = Gather: position 1 holds index 4, and axis 0 has 4 elements");
  EXPECT_TRUE(close(out.view, dense<float>({3, 2}, {7, 8, 0, 0, 1, 2}).view));
}

TEST(Gather, ThroughTheTypedWrapper) {
  struct Vocab {};
  struct Embed {};
  struct Seq {};
  Cpu cpu;
  const float x[] = {1, 2, 3, 4};
  const std::int64_t ids[] = {1, 0, 1};
  const auto table = cpu.upload(Tensor<float, Vocab, Embed>::borrow({2, 2}, x));
  const auto tokens = cpu.upload(Tensor<std::int64_t, Seq>::borrow({3}, ids));
  auto out = make_output<float, Seq, Embed>(cpu, {3, 2});
  gather(cpu, {"y = Gather"}, out, 0, table, tokens);
  EXPECT_EQ(cpu.download(out)[1], 4);
  static_assert(!gathers<List<Vocab, Embed>, List<Vocab, Embed>, List<Seq>>);
}

}  // namespace
