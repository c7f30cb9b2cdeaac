// Einsum: which equations are views, which are one product, and how the rest are composed.
#include <gtest/gtest.h>

#include "tests/operators/nn_graph.hpp"

namespace loam::nn {
namespace {

std::string einsum(std::string equation, std::vector<Shape> operands, bool types = false) {
  Graph g;
  std::vector<std::string> names;
  for (Shape& s : operands) {
    names.push_back(std::string(1, static_cast<char>('A' + names.size())));
    g.input(names.back(), std::move(s));
  }
  g.node("Einsum", names, {"Y"}, {text("equation", std::move(equation))});
  if (!g.errors().empty()) return g.errors();
  return types ? g.type("Y") : g.lowered();
}

TEST(Einsum, IsAViewOrAReduction) {
  EXPECT_EQ(einsum("ij->ji", {shape(2, "N")}), "transpose(A)\n");
  EXPECT_EQ(einsum("ij->ji", {shape(2, "N")}, true), "float32[N, 2]");
  EXPECT_EQ(einsum("...ij->...", {shape(2, 3, "N")}), "Y = reduce(loam::reducer::Sum{}, loam::Over<1, 2>{}, A)\n");
  EXPECT_EQ(einsum("ii->i", {shape(3, 3)}, true), "float32[3]");
  EXPECT_EQ(einsum("...ii->...i", {shape(2, 3, 3)}), "transpose(A)\nreshape(Y)\nslice(Y)\n");
}

TEST(Einsum, IsOneProduct) {
  EXPECT_EQ(einsum("bij,bjk->bik", {shape("B", 2, 3), shape("B", 3, 4)}), "Y = matmul(A, B)\n");
  EXPECT_EQ(einsum("bhqd,bhkd->bhqk", {shape("B", 8, "Q", 64), shape("B", 8, "K", 64)}),
            "transpose(B)\nY = matmul(A, Y)\n");
  EXPECT_EQ(einsum("ij,jk", {shape(2, 3), shape(3, 4)}, true), "float32[2, 4]");
  // The output's columns come from the left operand: the product is taken the other way round.
  EXPECT_EQ(einsum("ij,jk->ki", {shape(2, 3), shape(3, 4)}), "transpose(B)\ntranspose(A)\nY = matmul(Y, Y)\n");
  EXPECT_EQ(einsum("...ij,...jk->...ik", {shape(1, 2, 3), shape(5, 3, 4)}, true), "float32[5, 2, 4]");
}

TEST(Einsum, MergesWhatOneProductTakesTogether) {
  EXPECT_EQ(einsum("bshd,hdm->bsm", {shape("B", "S", 12, 64), shape(12, 64, 768)}),
            "reshape(A)\nreshape(B)\nY_product = matmul(Y, Y)\nreshape(Y_product)\n");
  EXPECT_EQ(einsum("i,i->", {shape(3), shape(3)}), "units(A)\nunits(B)\nY_product = matmul(Y, Y)\nunits(Y_product)\n");
}

TEST(Einsum, MultipliesByMapsWhereNothingEnds) {
  EXPECT_EQ(einsum("i,j->ij", {shape(3), shape(4)}), "units(A)\nunits(B)\nY = map(x0 * x1, Y, Y)\n");
  EXPECT_EQ(einsum("ij,ij,j->i", {shape(2, 3), shape(2, 3), shape(3)}, true), "float32[2]");
}

TEST(Einsum, RefusesWhatItCannotRead) {
  EXPECT_EQ(einsum("ij,jk->ik", {shape(2, 3)}),
            "Y = Einsum: equation has 2 terms, and the node 1 inputs [operator-form]\n");
  EXPECT_EQ(einsum("ij->ii", {shape(2, 3)}), "Y = Einsum: equation gives i twice [bad-attribute]\n");
  EXPECT_EQ(einsum("ij->ik", {shape(2, 3)}), "Y = Einsum: equation gives k, which no operand has [bad-attribute]\n");
  EXPECT_EQ(einsum("i->i", {shape(2, 3)}),
            "Y = Einsum: equation spells 1 axes as i, and the operand has 2 [rank-mismatch]\n");
  EXPECT_EQ(einsum("i1->i", {shape(2, 3)}),
            "Y = Einsum: equation holds 1, which no term of letters and an ellipsis starts with [bad-attribute]\n");
  EXPECT_EQ(einsum("ij,jk->ik", {shape(2, 3), shape(4, 5)}),
            "Y = Einsum: axis 1 of A is 3 on the left and 4 on the right [extent-mismatch]\n");
}

}  // namespace
}  // namespace loam::nn
