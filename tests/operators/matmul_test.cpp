// MatMul, Gemm and FusedMatMul; the reductions; Softmax and its kin.
#include <gtest/gtest.h>

#include "tests/operators/nn_graph.hpp"

namespace loam::nn {
namespace {

TEST(MatMul, ContractsAndBroadcasts) {
  Graph g;
  g.input("A", shape("B", 12, "S", 64)).input("K", shape("B", 12, 64, "T")).node("MatMul", {"A", "K"}, {"Y"});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, 12, S, T]");
  EXPECT_EQ(g.lowered(), "Y = matmul(A, K)\n");
  EXPECT_TRUE(g.one_axis("A", 3, "K", 2));
  EXPECT_TRUE(g.one_axis("Y", 2, "A", 2));
  EXPECT_TRUE(g.one_axis("Y", 3, "K", 3));
}

TEST(MatMul, TakesVectorsAndLendsBatches) {
  Graph g;
  g.input("M", shape(5, 2, 3)).input("V", shape(3)).input("U", shape(2)).input("W", shape(1, 3, 7));
  g.node("MatMul", {"M", "V"}, {"MV"})
      .node("MatMul", {"U", "M"}, {"UM"})
      .node("MatMul", {"V", "V"}, {"VV"})
      .node("MatMul", {"M", "W"}, {"MW"});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("MV"), "float32[5, 2]");
  EXPECT_EQ(g.type("UM"), "float32[5, 3]");
  EXPECT_EQ(g.type("VV"), "float32[]");
  EXPECT_EQ(g.type("MW"), "float32[5, 2, 7]");
}

TEST(MatMul, RefusesAnotherLength) {
  Graph g;
  g.input("X", shape("N", "Hidden"))
      .weight("W", {32, 8})
      .layout("X", {"Batch", "Hidden"})
      .node("MatMul", {"X", "W"}, {"T"});
  EXPECT_EQ(g.errors(), "");  // a symbol meets a number: owed
  EXPECT_EQ(g.owed(), "Hidden - 32 >= 0: axis Hidden is Hidden on the left and 32 on the right\n"
                      "-Hidden + 32 >= 0: axis Hidden is Hidden on the left and 32 on the right\n");
  Graph h;
  h.input("X", shape("N", 64)).weight("W", {32, 8}).layout("X", {"Batch", "Hidden"}).node("MatMul", {"X", "W"}, {"T"});
  EXPECT_EQ(h.errors(), "T = MatMul: axis Hidden is 64 on the left and 32 on the right [extent-mismatch]\n");
  Graph types;
  types.input("X", shape(2, 3))
      .input("W", shape(3, 4), f16)
      .input("S", shape())
      .node("MatMul", {"X", "W"}, {"A"})
      .node("MatMul", {"S", "X"}, {"B"});
  EXPECT_EQ(types.errors(), "A = MatMul: X is float32 and W is float16 [element-type]\n"
                            "B = MatMul: S has 0 axes, and the operator takes 1 or more [rank-mismatch]\n");
}

TEST(Gemm, TransposesByViewsAndAddsInOneMap) {
  Graph g(13);
  g.input("X", shape("K", "N")).weight("W", {8, 16}).weight("C", {8});
  g.node("Gemm", {"X", "W", "C"}, {"Y"},
         {integer("transA", 1), integer("transB", 1), number("alpha", 0.5f), number("beta", 2)});
  EXPECT_EQ(g.type("Y"), "float32[N, 8]");
  EXPECT_EQ(g.lowered(),
            "transpose(X)\ntranspose(W)\nY_product = matmul(Y, Y)\nY = map((x0 * 0.5f) + (x1 * 2.0f), Y_product, C)\n");
}

TEST(Gemm, LeavesOutWhatAddsNothing) {
  Graph g(13);
  g.input("X", shape("N", 16)).weight("W", {16, 8}).scalar("Zero", 0);
  g.node("Gemm", {"X", "W"}, {"A"})
      .node("Gemm", {"X", "W", "Zero"}, {"B"})
      .node("Gemm", {"X", "W", ""}, {"C"}, {number("alpha", 3)});
  EXPECT_EQ(g.lowered(),
            "A = matmul(X, W)\nB = matmul(X, W)\nC_product = matmul(X, W)\nC = map(x0 * 3.0f, C_product)\n");
}

TEST(Gemm, RefusesABiasThatDoesNotStretch) {
  Graph g(13);
  g.input("X", shape(2, 16)).weight("W", {16, 8}).weight("C", {2}).weight("D", {1, 2, 8});
  g.node("Gemm", {"X", "W", "C"}, {"Y"}).node("Gemm", {"X", "W", "D"}, {"Z"});
  EXPECT_EQ(g.errors(), "Y = Gemm: axis 1 of W is 8 in the result and 2 in C [extent-mismatch]\n"
                        "Z = Gemm: D has 3 axes, and stretches to 2 [rank-mismatch]\n");
}

TEST(FusedMatMul, ReadsBatchesInFront) {
  Graph g;
  g.input("A", shape(5, 2, 3)).input("B", shape(2, 7, 3));
  // A's axis 0 becomes its rows: [2, 5, 3] x [2, 3, 7].
  g.node("FusedMatMul", {"A", "B"}, {"Y"}, {integer("transBatchA", 1), integer("transB", 1), number("alpha", 0.125f)},
         "com.microsoft");
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[2, 5, 7]");
}

TEST(Reduce, ReadsAxesFromEitherPlace) {
  Graph g(18);
  g.input("X", shape("N", 3, 4)).list("Axes", {-1, 0}).list("None", {});
  g.node("ReduceSum", {"X", "Axes"}, {"A"}).node("ReduceMean", {"X", "Axes"}, {"B"}, {integer("keepdims", 0)});
  g.node("ReduceMax", {"X"}, {"C"}).node("ReduceSum", {"X", "None"}, {"D"}, {integer("noop_with_empty_axes", 1)});
  g.node("ReduceSumSquare", {"X"}, {"E"}, {integer("noop_with_empty_axes", 1)});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("A"), "float32[1, 3, 1]");
  EXPECT_EQ(g.type("B"), "float32[3]");
  EXPECT_EQ(g.type("C"), "float32[1, 1, 1]");
  EXPECT_EQ(g.type("D"), "float32[N, 3, 4]");
  EXPECT_EQ(g.lowered(), "A = reduce(loam::reducer::Sum{}, loam::Over<0, 2>{}, X)\n"
                         "B = reduce(loam::reducer::Mean{}, loam::Over<0, 2>{}, X)\n"
                         "C = reduce(loam::reducer::Max{}, loam::Over<0, 1, 2>{}, X)\n"
                         "E = map(x0 * x0, X)\n");
  Graph old(11);
  old.input("X", shape("N", 3, 4)).node("ReduceL2", {"X"}, {"A"}, {ints("axes", {1})});
  EXPECT_EQ(old.type("A"), "float32[N, 1, 4]");
}

TEST(Reduce, FoldsShapes) {
  Graph g(18);
  g.input("X", shape("N", 3, 4)).list("L", {7, 2, 9, 4});
  g.node("Shape", {"X"}, {"S"})
      .node("ReduceProd", {"S"}, {"P"}, {integer("keepdims", 0)})
      .node("ReduceMin", {"L"}, {"M"});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.elements("P"), "{12*N}");
  EXPECT_EQ(g.elements("M"), "{2}");
}

TEST(Reduce, TakesAxesThatOnlyTheRunKnows) {
  Graph g(18);
  g.input("X", shape(2, "N")).input("Axes", shape(1), DType::int64).node("ReduceSum", {"X", "Axes"}, {"A"});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("A").find("float32["), 0u);
  EXPECT_NE(g.lowered().find("A = reduce_chosen(loam::reducer::Sum{}, "), std::string::npos) << g.lowered();
  Graph h(18);
  h.input("X", shape(2, 3, 4))
      .input("Axes", shape(2), DType::int64)
      .node("ReduceMax", {"X", "Axes"}, {"A"}, {integer("keepdims", 0)});
  EXPECT_EQ(h.errors(), "");
  // One axis is left of three, whatever its length reads.
  int axes = 1, depth = 0;
  for (const char c : h.type("A")) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    axes += c == ',' && depth == 0;
  }
  EXPECT_EQ(axes, 1);
}

TEST(Reduce, RefusesAxesItCannotRead) {
  Graph g(18);
  g.input("X", shape(2, 3))
      .input("Y", shape(2), DType::boolean)
      .list("Past", {2})
      .list("Twice", {0, -2});
  g.node("ReduceSum", {"X", "Past"}, {"B"})
      .node("ReduceSum", {"X", "Twice"}, {"C"})
      .node("ReduceSum", {"Y"}, {"D"});
  EXPECT_EQ(g.errors(), "B = ReduceSum: axis 2 of a tensor of 2 axes [index-out-of-range]\n"
                        "C = ReduceSum: axis -2 is listed twice [bad-attribute]\n"
                        "D = ReduceSum: Y is bool, and the operator takes float32, int32, int64, float16, float64, "
                        "uint32, uint64, bfloat16 [element-type]\n");
}

TEST(ArgMax, GivesPlaces) {
  Graph g(13);
  g.input("X", shape("N", "V"))
      .node("ArgMax", {"X"}, {"A"}, {integer("axis", -1), integer("keepdims", 0), integer("select_last_index", 1)});
  EXPECT_EQ(g.type("A"), "int64[N]");
  EXPECT_EQ(g.lowered(), "A = arg_reduce(loam::ArgMax{}, 1, true, X)\n");
}

TEST(Softmax, FlattensBeforeOpset13) {
  Graph g(12);
  g.input("X", shape("N", 3, 4));
  g.node("Softmax", {"X"}, {"A"})
      .node("Softmax", {"X"}, {"B"}, {integer("axis", 2)})
      .node("LogSoftmax", {"X"}, {"C"}, {integer("axis", 0)});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("A"), "float32[N, 3, 4]");
  EXPECT_EQ(g.lowered(), "reshape(X)\nA_lanes = softmax(loam::Softmax{}, 1, A)\nreshape(A_lanes)\n"
                         "B = softmax(loam::Softmax{}, 2, X)\n"
                         "reshape(X)\nC_lanes = softmax(loam::LogSoftmax{}, 1, C)\nreshape(C_lanes)\n");
  Graph h(13);
  h.input("X", shape("N", 3, 4)).node("Softmax", {"X"}, {"A"}).node("Hardmax", {"X"}, {"B"}, {integer("axis", 1)});
  EXPECT_EQ(h.lowered(), "A = softmax(loam::Softmax{}, 2, X)\nB = softmax(loam::Hardmax{}, 1, X)\n");
}

}  // namespace
}  // namespace loam::nn
