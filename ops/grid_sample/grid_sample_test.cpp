#include <cmath>
#include <limits>

#include "ops/grid_sample/cpu.hpp"
#include "ops/grid_sample/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

constexpr GridMode modes[] = {GridMode::Nearest, GridMode::Linear, GridMode::Cubic};
constexpr GridPadding paddings[] = {GridPadding::Zeros, GridPadding::Border, GridPadding::Reflection};

template <class T>
void check(unsigned seed, Layout layout, double tolerance) {
  Cpu cpu;
  Random random(seed);
  const auto size = [&] { return random.integer(1, 4); };
  const std::int64_t n = random.integer(0, 2), c = size();
  const auto x2 = lay<T, A, B, C, D>({n, c, size(), size()}, random.reals(128), layout);
  const auto x3 = lay<T, A, B, C, D, E>({n, c, size(), size(), size()}, random.reals(512), layout);
  const std::int64_t o = size(), p = size(), q = random.integer(1, 2);
  const auto grid2 = lay<T, A, C, D, F>({n, o, p, 2}, random.reals(64, -1.7, 1.7), layout);
  const auto grid3 = lay<T, A, C, D, E, F>({n, o, p, q, 3}, random.reals(192, -1.7, 1.7), layout);
  for (const GridMode mode : modes)
    for (const GridPadding padding : paddings)
      for (const bool align : {false, true}) {
        const auto out = blank<T, A, B, E, F>({n, c, o, p}), want = blank<T, A, B, E, F>({n, c, o, p});
        grid_sample(cpu, out.value, mode, padding, align, x2.value, grid2.value);
        reference::grid_sample(want.view(), mode, padding, align, x2.view(), grid2.view());
        expect_close(out.elements(), want.elements(), tolerance);
        const auto deep = blank<T, A, B, C, D, F>({n, c, o, p, q});
        const auto deep_want = blank<T, A, B, C, D, F>({n, c, o, p, q});
        grid_sample(cpu, deep.value, mode, padding, align, x3.value, grid3.value);
        reference::grid_sample(deep_want.view(), mode, padding, align, x3.view(), grid3.view());
        expect_close(deep.elements(), deep_want.elements(), tolerance);
      }
}

TEST(GridSample, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 6; ++seed) {
      check<float>(seed, layout, 1e-5);
      check<double>(seed, layout, 1e-12);
    }
}

TEST(GridSample, KnownAnswers) {  // onnxruntime 1.30
  struct Case {
    GridMode mode;
    GridPadding padding;
    bool align_corners;
    Doubles want;
  };
  const Case cases[] = {
      {GridMode::Nearest, GridPadding::Zeros, false, {0, 0, 0, 0, 0, 0}},
      {GridMode::Nearest, GridPadding::Zeros, true, {0, -0.982453, 0, 0, 0.656987, 0}},
      {GridMode::Nearest, GridPadding::Border, false, {0.988168, -0.982453, 0, 0, 0.656987, 0.988168}},
      {GridMode::Nearest, GridPadding::Border, true, {0.988168, -0.982453, 0, 0, 0.656987, 0.988168}},
      {GridMode::Nearest, GridPadding::Reflection, false, {0.988168, -0.982453, 0, 0, 0.656987, 0.656987}},
      {GridMode::Nearest, GridPadding::Reflection, true,
       {-0.871576, -0.982453, 0.334988, 0.644218, 0.656987, 0.656987}},
      {GridMode::Linear, GridPadding::Zeros, false, {0, -0.266006, 0, 0, 0, 0}},
      {GridMode::Linear, GridPadding::Zeros, true,
       {0.196246, -0.748241, 0.00885824, 0.0511078, 0.472456, 0.116518}},
      {GridMode::Linear, GridPadding::Border, false, {0.988168, -0.785797, 0, 0.034402, 0.821561, 0.988168}},
      {GridMode::Linear, GridPadding::Border, true,
       {0.988168, -0.851349, 0.0203193, 0.134597, 0.73902, 0.988168}},
      {GridMode::Linear, GridPadding::Reflection, false,
       {0.207891, -0.785797, 0.11593, 0.200426, 0.7498, 0.767619}},
      {GridMode::Linear, GridPadding::Reflection, true,
       {-0.205248, -0.841482, 0.185607, 0.202725, 0.148174, 0.60233}},
      {GridMode::Cubic, GridPadding::Zeros, false,
       {0.0101973, -0.300974, 0.00721574, -0.00390204, -0.027571, -0.0300531}},
      {GridMode::Cubic, GridPadding::Zeros, true,
       {0.27609, -0.864675, -0.018353, 0.0667397, 0.746755, 0.1105}},
      {GridMode::Cubic, GridPadding::Border, false,
       {0.988168, -0.937373, -0.065012, 0.0351278, 0.881817, 1.13423}},
      {GridMode::Cubic, GridPadding::Border, true,
       {1.16908, -0.964219, -0.00891106, 0.198691, 0.992001, 1.07099}},
      {GridMode::Cubic, GridPadding::Reflection, false,
       {0.118082, -0.945596, 0.14288, 0.182024, 0.820004, 1.15839}},
      {GridMode::Cubic, GridPadding::Reflection, true,
       {-0.286951, -0.954147, 0.264989, 0.260763, 0.275546, 0.722941}},
  };
  Cpu cpu;
  Doubles x, grid;
  for (const double i : counting(12)) x.push_back(std::sin(i * 0.7));
  for (const double i : counting(12)) grid.push_back(std::sin(i * 0.7 + 1) * 1.6);
  const auto image = lay<float, A, B, C, D>({1, 1, 3, 4}, x);
  const auto places = lay<float, A, C, D, F>({1, 2, 3, 2}, grid);
  const auto out = blank<float, A, B, E, F>({1, 1, 2, 3});
  for (const Case& c : cases) {
    grid_sample(cpu, out.value, c.mode, c.padding, c.align_corners, image.value, places.value);
    SCOPED_TRACE(static_cast<int>(c.mode) * 100 + static_cast<int>(c.padding) * 10 + c.align_corners);
    expect_close(out.elements(), c.want, 3e-6);
  }
}

TEST(GridSample, PlacesThatAreNone) {
  Cpu cpu;
  const double inf = std::numeric_limits<double>::infinity();
  const auto x = lay<float, A, B, C>({1, 1, 3}, {1, 2, 3});
  const auto grid = lay<float, A, C, F>({1, 4, 1}, {inf, -inf, std::nan(""), 1e30});
  const auto out = blank<float, A, B, C>({1, 1, 4});
  for (const GridMode mode : modes)
    for (const GridPadding padding : paddings) grid_sample(cpu, out.value, mode, padding, false, x.value, grid.value);
  grid_sample(cpu, out.value, GridMode::Linear, GridPadding::Border, false, x.value, grid.value);
  EXPECT_EQ(out.elements(), (Doubles{3, 1, 1, 3}));
  grid_sample(cpu, out.value, GridMode::Linear, GridPadding::Zeros, false, x.value, grid.value);
  EXPECT_EQ(out.elements(), (Doubles{0, 0, 0, 0}));
}

}  // namespace
}  // namespace loam
