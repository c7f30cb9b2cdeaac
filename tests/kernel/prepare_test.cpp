// What is computed or packed before the first run, and what is not.
#include <gtest/gtest.h>

#include "tests/operators/build_graph.hpp"

namespace loam::test {
namespace {

GraphBuilder product(std::vector<std::int64_t> w) {
  GraphBuilder g;
  std::int64_t n = 1;
  for (const std::int64_t d : w) n *= d;
  g.input("x", "N 64").floats("w", w, std::vector<float>(static_cast<std::size_t>(n), 1.0f));
  return g;
}

TEST(Prepare, AProductsWeightIsPacked) {
  EXPECT_EQ(product({64, 32}).node("MatMul", {"x", "w"}, {"y"}).type().prepared(), "matmul\nw: loam::form::Columns");
}

TEST(Prepare, ATransposedWeightIsPackedAsItIsRead) {
  GraphBuilder g = product({32, 64});
  g.node("Transpose", {"w"}, {"t"}).node("MatMul", {"x", "t"}, {"y"});
  EXPECT_EQ(g.type().prepared(), "matmul\nw: loam::form::Columns");
}

TEST(Prepare, WeightsOfSeveralProductsArePackedOnce) {
  GraphBuilder g = product({64, 64});
  g.node("MatMul", {"x", "w"}, {"h"}).node("MatMul", {"h", "w"}, {"y"});
  EXPECT_EQ(g.type().prepared(), "matmul matmul\nw: loam::form::Columns");
}

TEST(Prepare, WhatIsNoMatrixOrSmallIsReadWhereItLies) {
  GraphBuilder small;
  small.input("x", "N 4").floats("w", {4, 3}, std::vector<float>(12, 1.0f)).node("MatMul", {"x", "w"}, {"y"});
  EXPECT_EQ(small.type().prepared(), "matmul");
  EXPECT_EQ(product({64}).node("MatMul", {"x", "w"}, {"y"}).type().prepared(), "matmul");
  GraphBuilder left;  // the weight is on the left
  left.input("x", "64 N").floats("w", {32, 64}, std::vector<float>(2048, 1.0f)).node("MatMul", {"w", "x"}, {"y"});
  EXPECT_EQ(left.type().prepared(), "matmul");
}

// A convolution of x [N, channels, 8, 8] by M outputs of `side` x `side` windows.
std::string convolution(std::int64_t outputs, std::int64_t channels, std::int64_t side, std::vector<Attribute> attributes = {}) {
  GraphBuilder g;
  const bool halves = !attributes.empty() && attributes.back().name == "group";
  g.input("x", "N " + std::to_string(halves ? 2 * channels : channels) + " 8 8");
  g.floats("w", {outputs, channels, side, side}, std::vector<float>(static_cast<std::size_t>(outputs * channels * side * side), 1.0f));
  g.node("Conv", {"x", "w"}, {"c"}, std::move(attributes)).node("Relu", {"c"}, {"y"});
  return g.type().prepared();
}

TEST(Prepare, AConvolutionsWeightIsTransformedWhereTilesServeIt) {
  EXPECT_EQ(convolution(32, 16, 3), "conv_map\nw: loam::form::Winograd<4>");
  EXPECT_EQ(convolution(260, 256, 3), "conv_map\nw: loam::form::Winograd<2>");
  EXPECT_EQ(convolution(16, 16, 3), "conv_map");
  EXPECT_EQ(convolution(32, 8, 3), "conv_map");
}

TEST(Prepare, OrLiesByOutputsWhereThatServes) {
  const std::string by_outputs = "conv_map\nw: loam::form::Outputs";
  EXPECT_EQ(convolution(32, 16, 5), by_outputs);
  EXPECT_EQ(convolution(32, 32, 3, {attribute("strides", std::vector<std::int64_t>{2, 2})}), by_outputs);
  EXPECT_EQ(convolution(32, 32, 3, {attribute("dilations", std::vector<std::int64_t>{1, 2})}), by_outputs);
  EXPECT_EQ(convolution(64, 64, 1), by_outputs);
  EXPECT_EQ(convolution(400, 80, 1), by_outputs);
  EXPECT_EQ(convolution(400, 40, 1), "conv_map");
  EXPECT_EQ(convolution(32, 40, 1, {attribute("group", 2)}), "conv_map");
}

TEST(Prepare, WhatComesOfWeightsAloneIsComputedOnce) {
  GraphBuilder g = product({64, 32});
  g.floats("scale", {32}, std::vector<float>(32, 2.0f));
  g.node("Mul", {"w", "scale"}, {"scaled"}).node("MatMul", {"x", "scaled"}, {"y"});
  EXPECT_EQ(g.type().prepared(), "matmul\nscaled: computed\nscaled: loam::form::Columns");
}

TEST(Prepare, AnAttributesNumbersArePackedWhereTheyAreMany) {  // more than a shape could be: 8192
  const auto linear = [](std::int64_t targets) {
    const std::vector<float> coefficients(static_cast<std::size_t>(targets) * 64, 1.0f);
    GraphBuilder g = product({64, 32});
    g.node("LinearRegressor", {"x"}, {"y"},
           {attribute("coefficients", coefficients), attribute("targets", targets)}, "ai.onnx.ml");
    return g.type().prepared();
  };
  EXPECT_EQ(linear(129), "matmul_map\ny_constant: loam::form::Columns");
  EXPECT_EQ(linear(128), "transpose matmul_map");
}

TEST(Prepare, WhatTheRunDecidesIsNot) {
  GraphBuilder g = product({64, 32});
  g.input("s", "").node("Mul", {"w", "s"}, {"scaled"}).node("MatMul", {"x", "scaled"}, {"y"});
  EXPECT_EQ(g.type().prepared(), "map matmul");
  GraphBuilder returned = product({64, 32});
  returned.node("Neg", {"w"}, {"y"});
  EXPECT_EQ(returned.type().prepared(), "map");
}

TEST(Prepare, NorWhatGrowsManifold) {
  GraphBuilder g;
  g.input("x", "64 64").floats("w", {1, 64}, std::vector<float>(64, 1.0f)).integers("shape", {64, 64});
  g.node("Expand", {"w", "shape"}, {"e"}).node("Neg", {"e"}, {"m"}).node("MatMul", {"x", "m"}, {"y"});
  EXPECT_EQ(g.type().prepared(), "expand map matmul");
}

}  // namespace
}  // namespace loam::test
