// Attention and RotaryEmbedding: types, how heads share keys, and what is done to the scores.
#include <gtest/gtest.h>

#include "tests/operators/nn_graph.hpp"

namespace loam::nn {
namespace {

TEST(Attention, IsTwoProductsAndASoftmax) {
  Graph g(23);
  g.input("Q", shape("B", 8, "S", 64))
      .input("K", shape("B", 8, "T", 64))
      .input("V", shape("B", 8, "T", 32))
      .node("Attention", {"Q", "K", "V"}, {"Y"});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, 8, S, 32]");
  EXPECT_EQ(g.lowered(), "Y_queries = map(x0 * 0.125f, Q)\n"
                         "transpose(K)\n"
                         "Y_scores = matmul(Y_queries, Y)\n"
                         "Y_weights = softmax(loam::Softmax{}, 3, Y_scores)\n"
                         "Y = matmul(Y_weights, V)\n");
}

TEST(Attention, SplitsHeadsAndSharesKeys) {
  Graph g(24);
  g.input("Q", shape("B", "S", 72)).input("K", shape("B", "T", 24)).input("V", shape("B", "T", 30));
  g.node("Attention", {"Q", "K", "V"}, {"Y"},
         {integer("q_num_heads", 9), integer("kv_num_heads", 3), integer("is_causal", 1)});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, S, 90]");
  EXPECT_NE(g.lowered().find("softmax"), std::string::npos) << g.lowered();
  Graph h(24);
  h.input("Q", shape("B", "S", 70)).input("K", shape("B", "T", 24)).input("V", shape("B", "T", 24));
  h.node("Attention", {"Q", "K", "V"}, {"Y"}, {integer("q_num_heads", 9), integer("kv_num_heads", 3)});
  EXPECT_EQ(h.errors(),
            "Y = Attention: Q has 70 elements a position, which 9 q_num_heads do not divide [bad-attribute]\n");
}

TEST(Attention, LaysThePastBefore) {
  Graph g(23);
  g.input("Q", shape("B", 4, "S", 8)).input("K", shape("B", 4, "S", 8)).input("V", shape("B", 4, "S", 8));
  g.input("M", shape("S", "T")).input("PK", shape("B", 4, "P", 8)).input("PV", shape("B", 4, "P", 8));
  g.node("Attention", {"Q", "K", "V", "M", "PK", "PV"}, {"Y", "K2", "V2", "QK"},
         {integer("is_causal", 1), integer("qk_matmul_output_mode", 2)});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("K2"), "float32[B, 4, S + P, 8]");
  EXPECT_EQ(g.type("QK"), "float32[B, 4, S, S + P]");
  EXPECT_EQ(g.owed(), "S - T + P >= 0: M masks T keys and there are S + P\n");
  EXPECT_EQ(g.lowered().find("error"), std::string::npos) << g.lowered();
}

TEST(Attention, RefusesKeysOfAnotherWidth) {
  Graph g(23);
  g.input("Q", shape("B", 6, "S", 64))
      .input("K", shape("B", 6, "T", 32))
      .input("V", shape("B", 6, "T", 64))
      .node("Attention", {"Q", "K", "V"}, {"Y"});
  EXPECT_EQ(g.errors(), "Y = Attention: axis 3 of K is 64 in Q and 32 in K [extent-mismatch]\n");
  Graph h(23);
  h.input("Q", shape("B", 6, "S", 64))
      .input("K", shape("B", 4, "T", 64))
      .input("V", shape("B", 4, "T", 64))
      .node("Attention", {"Q", "K", "V"}, {"Y"});
  EXPECT_EQ(h.errors(), "Y = Attention: Q has 6 heads, which the 4 of K do not divide [operator-form]\n");
}

TEST(RotaryEmbedding, TurnsAllInOneMap) {
  Graph g(23);
  g.input("X", shape("B", "S", 64))
      .weight("Cos", {50, 8})
      .weight("Sin", {50, 8})
      .input("Pos", shape("B", "S"), DType::int64);
  g.node("RotaryEmbedding", {"X", "Cos", "Sin", "Pos"}, {"Y"}, {integer("num_heads", 4)});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, S, 64]");
  const std::string lowered = g.lowered();
  EXPECT_NE(lowered.find("Y_angles = gather(0, Cos, Pos)\nY_angles = gather(0, Sin, Pos)\n"), std::string::npos)
      << lowered;
  EXPECT_NE(lowered.find("Y_rotated = map("), std::string::npos) << lowered;
}

TEST(RotaryEmbedding, TurnsAPart) {
  Graph g(23);
  g.input("X", shape("B", 4, "S", 16)).input("Cos", shape("B", "S", 4)).input("Sin", shape("B", "S", 4));
  g.node("RotaryEmbedding", {"X", "Cos", "Sin"}, {"Y"},
         {integer("rotary_embedding_dim", 8), integer("interleaved", 1)});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, 4, S, 16]");
  EXPECT_EQ(g.lowered().find("error"), std::string::npos) << g.lowered();
  Graph h;
  h.input("X", shape("B", "S", 64)).weight("Cos", {50, 8}).weight("Sin", {50, 8}).input("Pos", shape(1), DType::int64);
  h.node("RotaryEmbedding", {"X", "Pos", "Cos", "Sin"}, {"Y"}, {}, "com.microsoft");
  EXPECT_EQ(h.errors(), "");
  EXPECT_EQ(h.type("Y"), "float32[B, S, 64]");
}

}  // namespace
}  // namespace loam::nn
