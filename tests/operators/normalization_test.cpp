// The normalizations: which are one kernel, and what their statistics are made of.
#include <gtest/gtest.h>

#include "tests/operators/nn_graph.hpp"

namespace loam::nn {
namespace {

TEST(LayerNormalization, IsOneKernel) {
  Graph g;
  g.input("X", shape("N", "S", 64)).weight("Scale", {64}).weight("Bias", {64});
  g.node("LayerNormalization", {"X", "Scale", "Bias"}, {"Y"})
      .node("LayerNormalization", {"X", "Scale"}, {"Z"}, {number("epsilon", 1e-3f)});
  EXPECT_EQ(g.type("Y"), "float32[N, S, 64]");
  EXPECT_TRUE(g.one_axis("X", 2, "Scale", 0));
  EXPECT_EQ(g.lowered(), "Y = layer_norm(2, 1e-05f, X, Scale, Bias)\nZ = layer_norm(2, 0.001f, X, Scale, none)\n");
}

TEST(LayerNormalization, GivesItsStatistics) {
  Graph g;
  g.input("X", shape("N", 4, 8), f16).weight("Scale", {4, 8}, f16);
  g.node("LayerNormalization", {"X", "Scale"}, {"Y", "Mean", "Inverse"}, {integer("axis", 1)});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float16[N, 4, 8]");
  EXPECT_EQ(g.type("Mean"), "float32[N, 1, 1]");
  EXPECT_EQ(g.type("Inverse"), "float32[N, 1, 1]");
}

TEST(SkipLayerNormalization, AddsOnce) {
  Graph g;
  g.input("X", shape("N", "S", 64))
      .input("Skip", shape("N", "S", 64))
      .weight("Gamma", {64})
      .weight("Beta", {64})
      .weight("Bias", {64});
  g.node("SkipLayerNormalization", {"X", "Skip", "Gamma", "Beta", "Bias"}, {"Y", "", "", "Sum"}, {}, "com.microsoft");
  EXPECT_EQ(g.lowered(), "Sum = map((x0 + x1) + x2, X, Skip, Bias)\nY = layer_norm(2, 1e-12f, Sum, Gamma, Beta)\n");
  Graph h;
  h.input("X", shape("N", "S", 64)).input("Skip", shape("N", "S", 64)).weight("Gamma", {64});
  h.node("SkipSimplifiedLayerNormalization", {"X", "Skip", "Gamma"}, {"Y"}, {number("epsilon", 1e-6f)},
         "com.microsoft");
  EXPECT_EQ(h.lowered(), "Y_sum = map(x0 + x1, X, Skip)\nY = rms_norm(2, 1e-06f, Y_sum, Gamma)\n");
}

TEST(BatchNormalization, IsOneMap) {
  Graph g(15);
  g.input("X", shape("N", 3, "H", "W"));
  for (const char* name : {"S", "B", "M", "V"}) g.weight(name, {3});
  g.node("BatchNormalization", {"X", "S", "B", "M", "V"}, {"Y"});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[N, 3, H, W]");
  EXPECT_TRUE(g.one_axis("X", 1, "V", 0));
}

TEST(BatchNormalization, Trains) {
  Graph g(15);
  g.input("X", shape("N", 3, "H", "W"));
  for (const char* name : {"S", "B", "M", "V"}) g.weight(name, {3});
  g.node("BatchNormalization", {"X", "S", "B", "M", "V"}, {"Y", "RM", "RV"}, {integer("training_mode", 1)});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("RV"), "float32[3]");
  Graph old(9);
  old.input("X", shape("N", 3, "H", "W"));
  for (const char* name : {"S", "B", "M", "V"}) old.weight(name, {3});
  old.node("BatchNormalization", {"X", "S", "B", "M", "V"}, {"Y", "RM", "RV", "SM", "SV"});
  EXPECT_EQ(old.errors(),
            "Y = BatchNormalization: asks for the statistics of a training step, whose form before opset 14 no kernel "
            "computes [operator-form]\n");
}

TEST(GroupNormalization, ScalesGroupsBeforeOpset21) {
  for (const std::int64_t opset : {18, 21}) {
    Graph g(opset);
    g.input("X", shape("N", 6, "H", "W")).weight("S", {opset == 18 ? 3 : 6}).weight("B", {opset == 18 ? 3 : 6});
    g.node("GroupNormalization", {"X", "S", "B"}, {"Y"}, {integer("num_groups", 3)});
    EXPECT_EQ(g.errors(), "");
    EXPECT_EQ(g.type("Y"), "float32[N, 6, H, W]");
    EXPECT_NE(g.lowered().find("layer_norm(2, "), std::string::npos);
  }
  Graph g(21);
  g.input("X", shape("N", 7, "L"))
      .weight("S", {7})
      .weight("B", {7})
      .node("GroupNormalization", {"X", "S", "B"}, {"Y"}, {integer("num_groups", 3)});
  EXPECT_EQ(g.errors(),
            "Y = GroupNormalization: num_groups is 3, which does not divide the 7 channels [bad-attribute]\n");
}

TEST(MeanVarianceNormalization, CentresBeforeItSquares) {
  Graph g;
  g.input("X", shape("N", 3, 4, 5)).node("MeanVarianceNormalization", {"X"}, {"Y"});
  EXPECT_EQ(g.lowered(),
            "Y_mean = reduce(loam::reducer::Mean{}, loam::Over<0, 2, 3>{}, X)\n"
            "Y_centred = map(x0 - x1, X, Y_mean)\n"
            "Y_squares = reduce(loam::reducer::SumSquare{}, loam::Over<0, 2, 3>{}, Y_centred)\n"
            "Y = map(x0 / (loam::fn::sqrt((x1 / loam::fn::cast<float>(x2))) + 1e-09f), Y_centred, Y_squares, 20*N)\n");
}

TEST(LpNormalization, LeavesZeros) {
  Graph g;
  g.input("X", shape("N", 3))
      .node("LpNormalization", {"X"}, {"Y"}, {integer("p", 1)})
      .node("LpNormalization", {"X"}, {"Z"}, {integer("p", 3)});
  EXPECT_EQ(g.errors(), "Z = LpNormalization: p is 3, and the operator takes 1 or 2 [bad-attribute]\n");
}

}  // namespace
}  // namespace loam::nn
