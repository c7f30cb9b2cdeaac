// What is joined, what is not, and the reason given.
#include <gtest/gtest.h>

#include "tests/operators/build_graph.hpp"

namespace loam::test {
namespace {

Attribute attribute(std::string name, std::int64_t value) { return {std::move(name), value, {}}; }
Attribute attribute(std::string name, std::vector<std::int64_t> values) { return {std::move(name), std::move(values), {}}; }

GraphBuilder layer() {
  GraphBuilder g;
  g.input("x", "N 4").floats("w", {4, 3}, std::vector<float>(12, 1.0f)).floats("b", {3}, {1, 2, 3});
  return g;
}

TEST(Fuse, AChainOfMapsIsOne) {
  GraphBuilder g;
  g.input("x", "N 4").node("Neg", {"x"}, {"a"}).node("Exp", {"a"}, {"c"}).node("Sqrt", {"c"}, {"y"});
  EXPECT_EQ(g.type().steps(), "map map map");
  EXPECT_EQ(g.type().fused(), "map\nc: 16*N bytes\na: 16*N bytes");
}

TEST(Fuse, WhatTheSameMapReadsTwiceIsTaken) {
  GraphBuilder g;
  g.input("x", "N 4").node("Neg", {"x"}, {"a"}).node("Exp", {"a"}, {"c"}).node("Mul", {"a", "c"}, {"y"});
  EXPECT_EQ(g.type().fused(), "map\nc: 16*N bytes\na: 16*N bytes");
}

TEST(Fuse, WhatIsReturnedOrReadTwiceIsMade) {
  GraphBuilder g;
  g.input("x", "N 4").node("Neg", {"x"}, {"a"}).node("Exp", {"a"}, {"y"});
  EXPECT_EQ(g.type({"a", "y"}).fused(), "map map\na: it is read in several places");
  g.node("Sqrt", {"a"}, {"z"});
  EXPECT_EQ(g.type({"y", "z"}).fused(), "map map map\na: it is read in several places");
}

TEST(Fuse, WhatIsBroadcastIsComputedOnce) {
  GraphBuilder g;
  g.input("x", "N 4").input("y", "N 1").node("Exp", {"y"}, {"e"}).node("Mul", {"x", "e"}, {"z"});
  EXPECT_EQ(g.type().fused(), "map map\ne: it is computed once and read at many places");
}

TEST(Fuse, ASliceIsTakenBeforeRowsAreComputed) {
  GraphBuilder g = layer();
  g.floats("s", {4}, {1, 1, 1, 1}).integers("start", {0}).integers("end", {1}).integers("axes", {0}).integers("column", {1});
  g.node("LayerNormalization", {"x", "s"}, {"n"}).node("MatMul", {"n", "w"}, {"p"}).node("Add", {"p", "b"}, {"h"});
  g.node("Slice", {"h", "start", "end", "axes"}, {"y"});
  EXPECT_EQ(g.type().fused(), "slice layer_norm matmul_map\np: 12*N bytes\nh: 12*N - 12*min(N, 1) bytes\nn: 16*N - 16*min(N, 1) bytes");
  GraphBuilder columns = layer();  // part of each row: the row is computed whole
  columns.integers("start", {0}).integers("end", {1}).integers("axes", {1});
  columns.node("MatMul", {"x", "w"}, {"p"}).node("Slice", {"p", "start", "end", "axes"}, {"y"});
  EXPECT_EQ(columns.type().fused(), "matmul slice");
  EXPECT_EQ(g.type({"h", "y"}).fused(), "layer_norm matmul_map slice\np: 12*N bytes");
}

TEST(Fuse, ThroughAReshapeOperandsFollow) {
  GraphBuilder g;
  g.input("x", "6 4").floats("b", {4}, {1, 2, 3, 4}).integers("shape", {2, 3, 4});
  g.node("Add", {"x", "b"}, {"a"}).node("Reshape", {"a", "shape"}, {"r"}).node("Exp", {"r"}, {"y"});
  EXPECT_EQ(g.type().fused(), "reshape map\na: 96 bytes");
}

TEST(Fuse, ABroadcastOperandDoesNotFollowWhereItsAxisIsSplit) {
  GraphBuilder g;
  g.input("x", "6 4").floats("b", {6, 1}, {1, 2, 3, 4, 5, 6}).integers("shape", {2, 3, 4});
  g.node("Add", {"x", "b"}, {"a"}).node("Reshape", {"a", "shape"}, {"r"}).node("Exp", {"r"}, {"y"});
  EXPECT_EQ(g.type().fused(),
            "map reshape map\na: an operand is broadcast along axes that the view between them changes");
}

TEST(Fuse, ThroughATransposeOperandsFollow) {
  GraphBuilder g;
  g.input("x", "N 4").input("z", "N 4").node("Add", {"x", "z"}, {"a"}).node("Transpose", {"a"}, {"t"});
  g.node("Exp", {"t"}, {"y"});
  EXPECT_EQ(g.type().fused(), "transpose transpose map\na: 16*N bytes");
}

TEST(Fuse, ABiasAnActivationAndAResidualStandBehindAProduct) {
  GraphBuilder g = layer();
  g.input("r", "N 3").node("MatMul", {"x", "w"}, {"p"}).node("Add", {"p", "b"}, {"s"}).node("Relu", {"s"}, {"h"});
  g.node("Add", {"r", "h"}, {"y"});
  EXPECT_EQ(g.type().steps(), "matmul map map map");
  EXPECT_EQ(g.type().fused(), "matmul_map\nh: 12*N bytes\ns: 12*N bytes\np: 12*N bytes");
}

TEST(Fuse, AProductThatIsReturnedStandsAlone) {
  GraphBuilder g = layer();
  g.node("MatMul", {"x", "w"}, {"p"}).node("Add", {"p", "b"}, {"y"});
  EXPECT_EQ(g.type({"p", "y"}).fused(), "matmul map\np: it is read in several places");
}

TEST(Fuse, ARowsFactorStandsBehindAProduct) {
  GraphBuilder g = layer();
  g.input("f", "N 1").node("MatMul", {"x", "w"}, {"p"}).node("Mul", {"p", "f"}, {"y"});
  EXPECT_EQ(g.type().fused(), "matmul_map\np: 12*N bytes");
}

TEST(Fuse, ActivationsStandBehindAConvolution) {
  GraphBuilder g;
  g.input("x", "N 2 5 5").floats("w", {3, 2, 3, 3}, std::vector<float>(54, 1.0f));
  g.node("Conv", {"x", "w"}, {"c"}).node("Sigmoid", {"c"}, {"s"}).node("Mul", {"c", "s"}, {"y"});
  EXPECT_EQ(g.type().fused(), "conv_map\ns: 108*N bytes\nc: 108*N bytes");
}

TEST(Fuse, HeadsAreSplitWithoutACopy) {
  GraphBuilder g;
  g.input("x", "S 12").input("k", "S 4").integers("shape", {0, 2, 2}).integers("parts", {4, 8});
  g.node("Split", {"x", "parts"}, {"a", "rest"}, {attribute("axis", 1)});
  g.node("Reshape", {"a", "shape"}, {"h"}).node("Exp", {"h"}, {"y"});
  EXPECT_EQ(g.type().steps(), "slice slice map reshape map");
  EXPECT_EQ(g.type().fused(), "slice reshape map\na_dense: 16*S bytes");
}

TEST(Fuse, JoinedAxesAreCopied) {
  GraphBuilder g;
  g.input("x", "2 3 4").integers("shape", {8, 3});
  g.node("Transpose", {"x"}, {"t"}, {attribute("perm", std::vector<std::int64_t>{2, 0, 1})}).node("Reshape", {"t", "shape"}, {"r"});
  g.node("Exp", {"r"}, {"y"});
  EXPECT_EQ(g.type().fused(),
            "transpose map reshape map\n"
            "t_dense: an operand's axes do not lie as one, and the view between them joins them");
}

TEST(Fuse, ALayerNormSpelledOutIsOneKernel) {
  GraphBuilder g(17);
  g.input("x", "N 4").floats("w", {4}, {1, 2, 3, 4}).floats("b", {4}, {1, 2, 3, 4}).number("two", 2);
  g.number("epsilon", 1e-5f);
  g.node("ReduceMean", {"x"}, {"m"}, {attribute("axes", std::vector<std::int64_t>{-1})}).node("Sub", {"x", "m"}, {"d"});
  g.node("Pow", {"d", "two"}, {"p"}).node("ReduceMean", {"p"}, {"v"}, {attribute("axes", std::vector<std::int64_t>{-1})});
  g.node("Add", {"v", "epsilon"}, {"e"}).node("Sqrt", {"e"}, {"s"}).node("Div", {"d", "s"}, {"q"});
  g.node("Mul", {"q", "w"}, {"z"}).node("Add", {"z", "b"}, {"y"});
  EXPECT_TRUE(g.type().fused().starts_with("layer_norm\n")) << g.type().fused();
}

TEST(Fuse, AnRmsNormSpelledOutIsOneKernel) {
  GraphBuilder g(17);
  g.input("x", "N 4").floats("w", {4}, {1, 2, 3, 4}).number("one", 1).number("epsilon", 1e-5f).number("two", 2);
  g.node("Pow", {"x", "two"}, {"p"}).node("ReduceMean", {"p"}, {"v"}, {attribute("axes", std::vector<std::int64_t>{-1})});
  g.node("Add", {"v", "epsilon"}, {"e"}).node("Sqrt", {"e"}, {"s"}).node("Div", {"one", "s"}, {"i"});
  g.node("Mul", {"x", "i"}, {"q"}).node("Mul", {"w", "q"}, {"y"});
  EXPECT_TRUE(g.type().fused().starts_with("rms_norm\n")) << g.type().fused();
  // A mean that is read elsewhere is made beside it.
  EXPECT_TRUE(g.type({"v", "y"}).fused().starts_with("map reduce rms_norm")) << g.type({"v", "y"}).fused();
}

GraphBuilder attention() {
  GraphBuilder g;
  g.input("q", "B M 4").input("k", "B N 4").input("v", "B N 3").node("Transpose", {"k"}, {"t"}, {attribute("perm", std::vector<std::int64_t>{0, 2, 1})});
  return g;
}

TEST(Fuse, TwoProductsWithASoftmaxBetweenThemAreAttention) {
  GraphBuilder g = attention();
  g.node("MatMul", {"q", "t"}, {"s"}).node("Softmax", {"s"}, {"p"}).node("MatMul", {"p", "v"}, {"y"});
  EXPECT_EQ(g.type().fused(), "transpose attend\np: 4*B*M*N bytes\ns: 4*B*M*N bytes");
}

TEST(Fuse, AScaleAndAMaskAreAttentionsExpression) {
  GraphBuilder g = attention();
  g.input("mask", "M N").number("scale", 0.5f).node("MatMul", {"q", "t"}, {"s"}).node("Mul", {"s", "scale"}, {"c"});
  g.node("Add", {"c", "mask"}, {"m"}).node("Softmax", {"m"}, {"p"}).node("IsNaN", {"p"}, {"hidden"}).number("zero", 0);
  g.node("Where", {"hidden", "zero", "p"}, {"w"}).node("MatMul", {"w", "v"}, {"y"});
  EXPECT_TRUE(g.type().fused().starts_with("transpose attend\n")) << g.type().fused();
}

TEST(Fuse, WeightsThatAreReturnedAreMade) {
  GraphBuilder g = attention();
  g.node("MatMul", {"q", "t"}, {"s"}).node("Softmax", {"s"}, {"p"}).node("MatMul", {"p", "v"}, {"y"});
  EXPECT_EQ(g.type({"p", "y"}).fused(), "transpose matmul softmax matmul\np: it is read in several places");
}

TEST(Fuse, ASoftmaxOverQueriesIsNoAttention) {
  GraphBuilder g = attention();
  g.node("MatMul", {"q", "t"}, {"s"}).node("Softmax", {"s"}, {"p"}, {attribute("axis", 1)}).node("MatMul", {"p", "v"}, {"y"});
  EXPECT_EQ(g.type().fused(), "transpose matmul softmax matmul");
}

TEST(Fuse, WhatQueriesAndKeysAreScaledByMultipliesTheScore) {
  GraphBuilder g = attention();
  g.number("half", 0.5f).number("quarter", 0.25f).node("Mul", {"q", "half"}, {"r"}).node("Mul", {"quarter", "t"}, {"u"});
  g.node("MatMul", {"r", "u"}, {"s"}).node("Softmax", {"s"}, {"p"}).node("MatMul", {"p", "v"}, {"y"});
  EXPECT_EQ(g.type().fused(), "transpose attend\np: 4*B*M*N bytes\ns: 4*B*M*N bytes\nr: 16*B*M bytes\nu: 16*B*N bytes");
}

// Exporters join batch and heads to turn the keys, and part them again.
TEST(Fuse, AxesJoinedTurnedAndPartedAreOneTurn) {
  GraphBuilder g;
  g.input("x", "4 2 7 4").integers("joined", {-1, 5, 4}).integers("parted", {3, 2, 4, 5});
  g.node("Slice", {"x", "zero", "three", "first"}, {"b"}).node("Slice", {"b", "zero", "five", "third"}, {"c"});
  g.integers("zero", {0}).integers("three", {3}).integers("five", {5}).integers("first", {0}).integers("third", {2});
  g.node("Reshape", {"c", "joined"}, {"j"}).node("Transpose", {"j"}, {"t"}, {attribute("perm", std::vector<std::int64_t>{0, 2, 1})});
  g.node("Reshape", {"t", "parted"}, {"p"}).node("Softmax", {"p"}, {"y"});
  EXPECT_EQ(g.type().fused(), "slice slice transpose softmax\nt_dense: 480 bytes\nc_dense: 480 bytes");
}

TEST(Fuse, HeadsThatShareKeysReadThemWhereTheyLie) {
  GraphBuilder g;
  g.input("q", "B 6 M 4").input("k", "B 2 N 4").input("v", "B 2 N 3").integers("thrice", {1, 1, 3, 1, 1}).integers("axes", {2});
  g.integers("heads", {0, 6, -1, 4}).integers("of_values", {0, 6, -1, 3});
  g.node("Unsqueeze", {"k", "axes"}, {"k1"}).node("Expand", {"k1", "thrice"}, {"k3"}).node("Reshape", {"k3", "heads"}, {"k6"});
  g.node("Unsqueeze", {"v", "axes"}, {"v1"}).node("Expand", {"v1", "thrice"}, {"v3"}).node("Reshape", {"v3", "of_values"}, {"v6"});
  g.node("Transpose", {"k6"}, {"t"}, {attribute("perm", std::vector<std::int64_t>{0, 1, 3, 2})});
  g.node("MatMul", {"q", "t"}, {"s"}).node("Softmax", {"s"}, {"p"}).node("MatMul", {"p", "v6"}, {"y"});
  const std::string fused = g.type().fused();
  EXPECT_TRUE(fused.starts_with("check units expand units expand transpose reshape reshape attend\n")) << fused;
}

TEST(Fuse, WhatIsComputedTwiceIsComputedOnce) {
  GraphBuilder g;
  g.input("x", "N 4").input("w", "4 4").node("ReduceMax", {"x"}, {"a"}).node("ReduceMax", {"x"}, {"b"});
  g.node("MatMul", {"x", "w"}, {"p"}).node("MatMul", {"x", "w"}, {"q"}).node("Sub", {"p", "a"}, {"u"}).node("Mul", {"q", "b"}, {"v"});
  EXPECT_EQ(g.type({"u", "v"}).fused(), "reduce matmul_map matmul_map\np: 16*N bytes\nq: 16*N bytes\nb: 4 bytes");
}

TEST(Fuse, AttentionWritesWhatItsResultIsTurnedInto) {
  GraphBuilder g;
  g.input("q", "B 2 M 4").input("k", "B 2 4 N").input("v", "B 2 N 3").integers("rows", {0, -1, 6});
  g.node("MatMul", {"q", "k"}, {"s"}).node("Softmax", {"s"}, {"p"}).node("MatMul", {"p", "v"}, {"o"});
  g.node("Transpose", {"o"}, {"t"}, {attribute("perm", std::vector<std::int64_t>{0, 2, 1, 3})}).node("Reshape", {"t", "rows"}, {"y"});
  EXPECT_TRUE(g.type().fused().starts_with("check transpose attend reshape\n")) << g.type().fused();
}

// Float16 is rounded between two functions where the graph stores it there.
TEST(Fuse, WhatWasRoundedIsRoundedStill) {
  GraphBuilder g;
  g.input("x", "N", DType::float16).node("Exp", {"x"}, {"a"}).node("Log", {"a"}, {"y"});
  EXPECT_EQ(g.type().fused(), "map\na: 2*N bytes");
}

}  // namespace
}  // namespace loam::test
