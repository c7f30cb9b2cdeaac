#include "ops/arg_reduce/arg_reduce.hpp"

#include "ops/arg_reduce/cpu.hpp"
#include "ops/arg_reduce/reference.hpp"
#include "ops/testing.hpp"

namespace {

using namespace loam;
using namespace loam::testing;

template <class Which, class T>
void compare_shapes() {
  Random r(31);
  Cpu cpu;
  for (int i = 0; i < 60; ++i) {
    Shape shape;
    for (std::int64_t n = r.integer(1, 4); n > 0; --n) shape.push_back(r.integer(r.chance(0.1) ? 0 : 1, 9));
    shape[0] = r.integer(0, 70);
    auto x = random<T>(r, shape);
    for (auto& e : x.storage) {  // few values, so that many are equal
      e = static_cast<T>(static_cast<float>(r.integer(0, 3)));
      if (!std::is_integral_v<T> && r.chance(0.02)) e = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
    }
    for (int axis = 0; axis < x.view.rank(); ++axis)
      for (const bool last : {false, true}) {
        Shape kept = shape;
        kept[static_cast<std::size_t>(axis)] = 1;
        auto out = dense<std::int64_t>(kept);
        auto expected = dense<std::int64_t>(kept);
        run(kernels::ArgReduce<Which>{}, cpu, out.view, axis, last, x.view);
        reference::arg_reduce<Which>(expected.view, axis, last, x.view);
        EXPECT_TRUE(close(out.view, expected.view)) << text(x.view.dims) << " axis " << axis;
      }
  }
}

TEST(ArgReduce, Float) {
  compare_shapes<ArgMax, float>();
  compare_shapes<ArgMin, float>();
}
TEST(ArgReduce, Float16) { compare_shapes<ArgMax, float16>(); }
TEST(ArgReduce, Integers) {
  compare_shapes<ArgMin, std::int64_t>();
  compare_shapes<ArgMax, std::uint8_t>();
}

TEST(ArgReduce, ThroughTheTypedWrapper) {
  struct Row {};
  struct Column {};
  Cpu cpu;
  const float x[] = {1, 5, 5, 7, 0, 7};
  const auto value = cpu.upload(Tensor<float, Row, Column>::borrow({2, 3}, x));
  auto out = make_output<std::int64_t, Row>(cpu, {2});
  arg_reduce(cpu, out, ArgMax{}, 1, false, value);
  EXPECT_EQ(cpu.read(out), 1);
  arg_reduce(cpu, out, ArgMax{}, 1, true, value);
  EXPECT_EQ(cpu.download(out)[1], 2);
}

}  // namespace
