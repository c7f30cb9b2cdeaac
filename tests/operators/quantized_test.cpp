// The operators over quantized tensors: what is one map, what is summed in int32, and how packed weights unpack.
#include <gtest/gtest.h>

#include "tests/operators/nn_graph.hpp"

namespace loam::nn {
namespace {

constexpr DType u8 = DType::uint8, s8 = DType::int8;

TEST(QuantizeLinear, IsOneMap) {
  Graph g(13);
  g.input("X", shape("N", 3, 4))
      .weight("S", {3})
      .weight("Z", {3}, s8)
      .scalar("One", 0.5f)
      .known("Zero", u8, {}, std::vector<std::uint8_t>{7});
  g.node("QuantizeLinear", {"X", "S", "Z"}, {"A"})
      .node("QuantizeLinear", {"X", "One", "Zero"}, {"B"})
      .node("QuantizeLinear", {"X", "One"}, {"C"});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("A"), "int8[N, 3, 4]");
  EXPECT_EQ(g.type("B"), "uint8[N, 3, 4]");
  EXPECT_EQ(g.type("C"), "uint8[N, 3, 4]");
  EXPECT_TRUE(g.one_axis("S", 0, "X", 1));
  EXPECT_NE(g.lowered().find("B = map(loam::fn::saturate<std::uint8_t>((loam::fn::round((x0 / 0.5f)) + 7.0f)), X)\n"),
            std::string::npos)
      << g.lowered();
}

TEST(DequantizeLinear, TakesBlocks) {
  Graph g(21);
  g.input("X", shape("N", 6, 4), s8)
      .weight("S", {1, 2, 4})
      .node("DequantizeLinear", {"X", "S"}, {"Y"}, {integer("block_size", 3), integer("axis", 1)});
  EXPECT_EQ(g.owed(), "N - 1 >= 0: axis N is N in X and 1 in S\n-N + 1 >= 0: axis N is N in X and 1 in S\n");
  Graph h(21);
  h.input("X", shape("N", 6, 4), s8)
      .input("S", shape("N", 2, 4))
      .node("DequantizeLinear", {"X", "S"}, {"Y"}, {integer("block_size", 4), integer("axis", 1)});
  EXPECT_EQ(h.errors(), "");
  EXPECT_EQ(h.type("Y"), "float32[N, 6, 4]");
  Graph k(21);
  k.input("X", shape("N", 6, 4), s8)
      .input("S", shape("N", 2, 4))
      .node("DequantizeLinear", {"X", "S"}, {"Y"}, {integer("block_size", 2), integer("axis", 1)});
  EXPECT_EQ(k.errors(),
            "Y = DequantizeLinear: S has 2 scales along axis 1 of X, and blocks of 2 make 3 [extent-mismatch]\n");
  Graph f(21);
  f.input("X", shape(4)).scalar("S", 1).node("QuantizeLinear", {"X", "S"}, {"Y"}, {integer("output_dtype", 17)});
  EXPECT_EQ(f.type("Y"), "float8e4m3fn[4]");
  EXPECT_NE(f.lowered().find("Y = map(loam::load(loam::fn::cast<loam::float8e4m3fn>("), std::string::npos) << f.lowered();
  Graph e(21);
  e.input("X", shape(4)).scalar("S", 1).node("QuantizeLinear", {"X", "S"}, {"Y"}, {integer("output_dtype", 24)});
  EXPECT_EQ(e.errors(), "Y = QuantizeLinear: gives float8e8m0, and no kernel quantizes to it [element-type]\n");
  Graph p(21);
  p.input("X", shape(4)).scalar("S", 1).node("QuantizeLinear", {"X", "S"}, {"Y"}, {integer("output_dtype", 99)});
  EXPECT_EQ(p.errors(), "Y = QuantizeLinear: output_dtype is 99, which is no type [bad-attribute]\n");
}

TEST(DynamicQuantizeLinear, FindsItsRange) {
  Graph g;
  g.input("X", shape("N", 4)).node("DynamicQuantizeLinear", {"X"}, {"Y", "S", "Z"});
  EXPECT_EQ(g.type("Y"), "uint8[N, 4]");
  EXPECT_EQ(g.type("S"), "float32[]");
  EXPECT_EQ(g.type("Z"), "uint8[]");
  EXPECT_EQ(g.errors(), "");
}

TEST(QLinearMatMul, AddsUpIntegers) {
  Graph g(21);
  g.input("A", shape("N", 4), u8).weight("B", {4, 3}, s8).scalar("SA", 0.5f).weight("SB", {3}).scalar("SY", 2);
  g.known("ZA", u8, {}, std::vector<std::uint8_t>{3})
      .weight("ZB", {3}, s8)
      .known("ZY", s8, {}, std::vector<std::int8_t>{0});
  g.node("QLinearMatMul", {"A", "SA", "ZA", "B", "SB", "ZB", "SY", "ZY"}, {"Y"})
      .node("MatMulInteger", {"A", "B", "ZA"}, {"I"});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "int8[N, 3]");
  EXPECT_EQ(g.type("I"), "int32[N, 3]");
}

TEST(MatMulInteger, TakesVectorsAsNumpyDoes) {
  Graph g;
  g.input("A", shape("N", 4), u8).input("V", shape(4), u8).input("B", shape("M", 4, 3), s8);
  g.node("MatMulInteger", {"A", "V"}, {"AV"}).node("MatMulInteger", {"V", "B"}, {"VB"}).node("MatMulInteger", {"V", "V"}, {"VV"});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("AV"), "int32[N]");
  EXPECT_EQ(g.type("VB"), "int32[M, 3]");
  EXPECT_EQ(g.type("VV"), "int32[]");
  Graph h;
  h.input("A", shape("N", 4), u8).input("V", shape(4), u8).input("Z", shape(4), u8).node("MatMulInteger", {"A", "V", "", "Z"}, {"Y"});
  EXPECT_EQ(h.errors(), "Y = MatMulInteger: Z has 4 elements, and the operator takes one [rank-mismatch]\n");
}

TEST(QLinear, IsOneMapWhereAPlaceGivesAPlace) {
  Graph g;
  g.input("A", shape("N", 4), u8)
      .input("B", shape(4), u8)
      .scalar("S", 0.5f)
      .known("Z", u8, {}, std::vector<std::uint8_t>{3});
  g.node("QLinearAdd", {"A", "S", "Z", "B", "S", "Z", "S", "Z"}, {"Y"}, {}, "com.microsoft");
  g.node("QLinearConcat", {"S", "Z", "A", "S", "Z", "A", "S", "Z"}, {"C"}, {integer("axis", 1)}, "com.microsoft");
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "uint8[N, 4]");
  EXPECT_EQ(g.type("C"), "uint8[N, 8]");
}

TEST(QGemm, ScalesByFloats) {
  Graph g;
  g.input("A", shape("N", 4), u8).input("B", shape(4, 2), u8).input("S", shape(), DType::int64).scalar("T", 0.5f);
  g.known("Z", u8, {}, std::vector<std::uint8_t>{3});
  g.node("QGemm", {"A", "S", "Z", "B", "T", "Z"}, {"Y"}, {}, "com.microsoft");
  EXPECT_EQ(g.errors(), "Y = QGemm: S is int64, and the operator takes float32 [element-type]\n");
}

TEST(MatMulNBits, UnpacksIntoOneProduct) {
  Graph g;
  g.input("A", shape("B", "S", 24)).weight("W", {2, 2, 8}, u8).weight("Scales", {4}).weight("Z", {2}, u8);
  g.node("MatMulNBits", {"A", "W", "Scales", "Z"}, {"Y"},
         {integer("K", 24), integer("N", 2), integer("bits", 4), integer("block_size", 16)}, "com.microsoft");
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, S, 2]");
  EXPECT_NE(g.lowered().find("Y = matmul(A, "), std::string::npos) << g.lowered();
  Graph h;
  h.input("A", shape("B", 24)).weight("W", {2, 2, 8}, u8).weight("Scales", {5});
  h.node("MatMulNBits", {"A", "W", "Scales"}, {"Y"}, {integer("K", 24), integer("N", 2), integer("block_size", 16)},
         "com.microsoft");
  EXPECT_EQ(h.errors(), "Y = MatMulNBits: Scales has 5 elements, and the scales of N rows are 4 [extent-mismatch]\n");
}

TEST(GatherBlockQuantized, UnpacksTheRowsItGathers) {
  Graph g;
  g.weight("W", {100, 16}, u8)
      .input("I", shape("B", "S"), DType::int64)
      .weight("Scales", {100, 2})
      .weight("Z", {100, 1}, u8);
  g.node("GatherBlockQuantized", {"W", "I", "Scales", "Z"}, {"Y"}, {integer("block_size", 16), integer("bits", 4)},
         "com.microsoft");
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[B, S, 32]");
}

}  // namespace
}  // namespace loam::nn
