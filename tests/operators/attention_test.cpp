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

// One that is shorter than the keys hides those past it, which no integer could.
TEST(Attention, AddsAMaskOfIntegersAsFloats) {
  Graph g(23);
  g.input("Q", shape(1, 1, 2, 8)).input("K", shape(1, 1, 3, 8)).input("M", shape(2, 2), DType::int32);
  g.node("Attention", {"Q", "K", "K", "M"}, {"Y"});
  EXPECT_EQ(g.errors(), "");
  const std::string lowered = g.lowered();
  EXPECT_NE(lowered.find("Y_bias = map(loam::fn"), std::string::npos) << lowered;
  EXPECT_NE(lowered.find("Y_mask = "), std::string::npos) << lowered;
}

TEST(Attention, RefusesKeysOfAnotherWidth) {
  Graph g(23);
  g.input("Q", shape("B", 6, "S", 64))
      .input("K", shape("B", 6, "T", 32))
      .input("V", shape("B", 6, "T", 64))
      .node("Attention", {"Q", "K", "V"}, {"Y"});
  EXPECT_EQ(g.errors(), "Y = Attention: axis 3 of Q is 64 in Q and 32 in K [extent-mismatch]\n");
  Graph h(23);
  h.input("Q", shape("B", 6, "S", 64))
      .input("K", shape("B", 4, "T", 64))
      .input("V", shape("B", 4, "T", 64))
      .node("Attention", {"Q", "K", "V"}, {"Y"});
  EXPECT_EQ(h.errors(), "Y = Attention: Q has 6 heads, which the 4 of K do not divide [operator-form]\n");
}

// A subgraph that gives what the operator makes of its one input.
std::shared_ptr<const loam::Graph> subgraph(std::string op) {
  loam::Graph graph;
  graph.name = "mod";
  graph.inputs.push_back({"in", {ValueType::Kind::tensor, DType::float32, std::nullopt, nullptr}});
  graph.outputs.push_back({"out", {}});
  graph.nodes.push_back({.name = {}, .op_type = std::move(op), .domain = {}, .inputs = {"in"}, .outputs = {"out"},
                         .attributes = {}, .overload = {}});
  return std::make_shared<const loam::Graph>(std::move(graph));
}

Graph flex(Attributes attributes) {
  Graph g(26);
  g.input("Q", shape("B", 8, "S", 16)).input("K", shape("B", 2, "T", 16)).input("V", shape("B", 2, "T", 4));
  g.node("FlexAttention", {"Q", "K", "V"}, {"Y"}, std::move(attributes), "ai.onnx.preview");
  return g;
}

TEST(FlexAttention, ChangesScoresAndWeightsBySubgraphs) {
  Graph g = flex({attribute("score_mod", subgraph("Tanh")), attribute("prob_mod", subgraph("Neg"))});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, 8, S, 4]");
  EXPECT_EQ(g.lowered(), "reshape(Q)\n"
                         "transpose(K)\n"
                         "Y_scores = matmul(Y, Y)\n"
                         "reshape(Y_scores)\n"
                         "Y_masked = map(x0 * 0.25f, Y)\n"
                         "out = map(loam::fn::tanh(x0), Y_masked)\n"
                         "relabel(out)\n"
                         "Y_weights = softmax(loam::Softmax{}, 3, Y)\n"
                         "out = map(-x0, Y_weights)\n"
                         "relabel(out)\n"
                         "reshape(Y)\n"
                         "Y_attended = matmul(Y, V)\n"
                         "reshape(Y_attended)\n");
}

TEST(FlexAttention, HoldsSubgraphsToWhatTheyTake) {
  EXPECT_EQ(flex({attribute("score_mod", subgraph("Shape"))}).errors(),
            "Y = FlexAttention: score_mod gives int64, and takes float32 [element-type]\n");
  EXPECT_EQ(flex({attribute("prob_mod", subgraph("Flatten"))}).errors(),
            "Y = FlexAttention: prob_mod gives 2 axes, and takes 4 [rank-mismatch]\n");
  EXPECT_EQ(flex({integer("softmax_precision", 11)}).errors(),
            "Y = FlexAttention: takes a softmax of float64 over float32, and the kernels compute in one type "
            "throughout [operator-form]\n");
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
