// com.microsoft's attention, embedding and activations, and CausalConvWithState: types, conditions, and that they
// lower.
#include <gtest/gtest.h>

#include "tests/operators/nn_graph.hpp"

namespace loam::nn {
namespace {

constexpr const char* ms = "com.microsoft";
constexpr DType i32 = DType::int32;

TEST(MultiHeadAttention, ReadsQueriesKeysAndValuesApart) {
  Graph g;
  g.input("Q", shape("B", "S", 64))
      .input("K", shape("B", "T", 64))
      .input("V", shape("B", "T", 96))
      .weight("Bias", {224})
      .input("M", shape("B", "T"), i32);
  g.node("MultiHeadAttention", {"Q", "K", "V", "Bias", "M"}, {"Y"}, {integer("num_heads", 8)}, ms);
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, S, 96]");
  EXPECT_NE(g.lowered().find("Y_scores = matmul"), std::string::npos) << g.lowered();
}

TEST(MultiHeadAttention, ReadsPackedOnes) {
  Graph g;
  g.input("QKV", shape("B", "S", 8, 3, 16)).node("MultiHeadAttention", {"QKV"}, {"Y"}, {integer("num_heads", 8)}, ms);
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, S, 128]");
  EXPECT_NE(g.lowered().find("Y_scores = matmul"), std::string::npos) << g.lowered();
}

TEST(MultiHeadAttention, LaysThePastBefore) {
  Graph g;
  g.input("Q", shape("B", "S", 64)).input("K", shape("B", "S", 64)).input("V", shape("B", "S", 64));
  g.input("PK", shape("B", 8, "P", 8)).input("PV", shape("B", 8, "P", 8));
  g.node("MultiHeadAttention", {"Q", "K", "V", "", "", "", "PK", "PV"}, {"Y", "K2", "V2"},
         {integer("num_heads", 8), integer("unidirectional", 1)}, ms);
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("K2"), "float32[B, 8, S + P, 8]");
  EXPECT_NE(g.lowered().find("Y_scores = matmul"), std::string::npos) << g.lowered();
}

TEST(Attention, ProjectsFirst) {
  Graph g;
  g.input("X", shape("B", "S", 32))
      .weight("W", {32, 96})
      .weight("Bias", {96})
      .input("M", shape("B", "T"), i32)
      .input("Past", shape(2, "B", 4, "P", 8));
  g.node("Attention", {"X", "W", "Bias", "M", "Past"}, {"Y", "Present"},
         {integer("num_heads", 4), integer("unidirectional", 1)}, ms);
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, S, 32]");
  EXPECT_EQ(g.type("Present"), "float32[2, B, 4, S + P, 8]");
  EXPECT_NE(g.lowered().find("Y_scores = matmul"), std::string::npos) << g.lowered();
}

TEST(GroupQueryAttention, FillsItsCache) {
  Graph g;
  g.input("QKV", shape("B", "S", 96))
      .input("PK", shape("B", 2, "P", 8))
      .input("PV", shape("B", 2, "P", 8))
      .input("Last", shape("B"), i32);
  g.known("Total", i32, {}, std::vector<std::int32_t>{40}).weight("Cos", {64, 4}).weight("Sin", {64, 4});
  g.node("GroupQueryAttention", {"QKV", "", "", "PK", "PV", "Last", "Total", "Cos", "Sin"}, {"Y", "K2", "V2"},
         {integer("num_heads", 8), integer("kv_num_heads", 2), integer("do_rotary", 1)}, ms);
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, S, 64]");
  EXPECT_EQ(g.type("K2"), "float32[B, 2, max(P, 40), 8]");
  EXPECT_NE(g.lowered().find("K2 = tensor_scatter(2, false, "), std::string::npos) << g.lowered();
  Graph h;
  h.input("QKV", shape("B", "S", 90)).input("Last", shape("B"), i32).input("Total", shape(), i32);
  h.node("GroupQueryAttention", {"QKV", "", "", "", "", "Last", "Total"}, {"Y"},
         {integer("num_heads", 8), integer("kv_num_heads", 3)}, ms);
  EXPECT_EQ(h.errors(),
            "Y = GroupQueryAttention: QKV has 90 elements a position, which are not 8 heads of queries over 3 of keys "
            "[bad-attribute]\n");
}

TEST(EmbedLayerNormalization, AddsThreeTables) {
  Graph g;
  g.input("Ids", shape("B", "S"), i32)
      .input("Segments", shape("B", "S"), i32)
      .weight("W", {100, 16})
      .weight("P", {50, 16})
      .weight("T", {2, 16})
      .weight("Gamma", {16})
      .weight("Beta", {16});
  g.node("EmbedLayerNormalization", {"Ids", "Segments", "W", "P", "T", "Gamma", "Beta"}, {"Y", "Mask"}, {}, ms);
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, S, 16]");
  EXPECT_EQ(g.type("Mask"), "int32[B]");
  EXPECT_EQ(g.owed(), "-S + 50 >= 0: P has 50 positions and must hold the S of a sentence\n");
}

TEST(Gelu, TakesABias) {
  Graph g;
  g.input("X", shape("B", "S", 16))
      .weight("Bias", {16})
      .node("BiasGelu", {"X", "Bias"}, {"A"}, {}, ms)
      .node("FastGelu", {"X"}, {"B"}, {}, ms);
  g.node("QuickGelu", {"X"}, {"C"}, {}, ms).node("BiasSplitGelu", {"X", "Bias"}, {"D"}, {}, ms);
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("D"), "float32[B, S, 8]");
}

TEST(CausalConvWithState, CarriesPositions) {
  Graph g(27);
  g.input("X", shape("B", 4, "L")).weight("W", {4, 1, 3}).input("Past", shape("B", 4, 2));
  g.node("CausalConvWithState", {"X", "W", "", "Past"}, {"Y", "State"}, {text("activation", "silu")})
      .node("CausalConvWithState", {"X", "W"}, {"Z"});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, 4, L]");
  EXPECT_EQ(g.type("State"), "float32[B, 4, 2]");
  EXPECT_NE(g.lowered().find("Z = conv(loam::Window{1, {3}, {1}, {1}, {2}}, 4, X, W, none)\n"), std::string::npos)
      << g.lowered();
}

}  // namespace
}  // namespace loam::nn
