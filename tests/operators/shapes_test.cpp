// The operators that make and carry shapes: Shape, Constant, Range, Reshape and its kin.
#include <gtest/gtest.h>

#include "tests/operators/build_graph.hpp"

namespace loam::test {
namespace {

TEST(Shape, GivesExtentsAsPolynomials) {
  const Typed t = GraphBuilder().input("x", "N 4 M").node("Shape", {"x"}, {"y"}).type();
  EXPECT_EQ(t["y"], "int64 [3]");
  EXPECT_EQ(t.known("y"), "N, 4, M");
  EXPECT_EQ(t.errors(), "");
}

TEST(Shape, TakesAWindow) {
  const auto window = [](std::vector<Attribute> attributes) {
    return GraphBuilder().input("x", "N 4 M").node("Shape", {"x"}, {"y"}, std::move(attributes)).type().known("y");
  };
  EXPECT_EQ(window({attribute("start", 1)}), "4, M");
  EXPECT_EQ(window({attribute("start", -1)}), "M");
  EXPECT_EQ(window({attribute("end", -1)}), "N, 4");
  EXPECT_EQ(window({attribute("start", -9), attribute("end", 9)}), "N, 4, M");
  EXPECT_EQ(window({attribute("start", 2), attribute("end", 1)}), "");
}

TEST(Shape, SizeIsTheProduct) {
  const Typed t = GraphBuilder().input("x", "N 4 M").node("Size", {"x"}, {"y"}).type();
  EXPECT_EQ(t["y"], "int64 []");
  EXPECT_EQ(t.known("y"), "4*N*M");
  EXPECT_EQ(GraphBuilder().input("x", "").node("Size", {"x"}, {"y"}).type().known("y"), "1");
}

TEST(Constant, EveryForm) {
  const auto constant = [](std::string name, Attribute::Value value) {
    const Typed t = GraphBuilder().node("Constant", {}, {"y"}, {{std::move(name), std::move(value), {}}}).type();
    EXPECT_EQ(t.errors(), "");
    return t["y"] + " " + t.known("y");
  };
  EXPECT_EQ(constant("value", tensor_data<std::int64_t>("", DType::int64, {2, 1}, {3, 4})), "int64 [2, 1] 3, 4");
  EXPECT_EQ(constant("value_int", std::int64_t{7}), "int64 [] 7");
  EXPECT_EQ(constant("value_ints", std::vector<std::int64_t>{1, 2}), "int64 [2] 1, 2");
  EXPECT_EQ(constant("value_float", 0.5f), "float32 [] 0.5");
  EXPECT_EQ(constant("value_floats", std::vector<float>{0.5f, 2}), "float32 [2] 0.5, 2");
  EXPECT_EQ(constant("value_string", std::string("a")), "string [] ?");
  EXPECT_EQ(constant("value_strings", std::vector<std::string>{"a", "b"}), "string [2] ?");
  const SparseTensorData linear{tensor_data<float>("", DType::float32, {2}, {5, 6}),
                                tensor_data<std::int64_t>("", DType::int64, {2}, {1, 3}),
                                {2, 2}};
  EXPECT_EQ(constant("sparse_value", linear), "float32 [2, 2] 0, 5, 0, 6");
  const SparseTensorData placed{tensor_data<float>("", DType::float32, {1}, {5}),
                                tensor_data<std::int64_t>("", DType::int64, {1, 2}, {1, 0}),
                                {2, 2}};
  EXPECT_EQ(constant("sparse_value", placed), "float32 [2, 2] 0, 0, 5, 0");
}

TEST(Constant, LargeOnesAreData) {
  const Typed t =
      GraphBuilder()
          .node("Constant", {}, {"y"},
                {attribute("value", tensor_data("", DType::float32, {100, 100}, std::vector<float>(10000)))})
          .type();
  EXPECT_EQ(t["y"], "float32 [100, 100]");
  EXPECT_EQ(t.known("y"), "?");
  EXPECT_EQ(t.steps(), "");
}

TEST(Constant, Errors) {
  EXPECT_EQ(GraphBuilder().node("Constant", {}, {"y"}).type().errors(), "y = Constant: states no value");
  EXPECT_EQ(GraphBuilder()
                .node("Constant", {}, {"y"}, {attribute("value_int", 1), attribute("value_float", 1.f)})
                .type()
                .errors(),
            "y = Constant: states its value twice, as value_int and as value_float");
  const SparseTensorData outside{
      tensor_data<float>("", DType::float32, {1}, {5}), tensor_data<std::int64_t>("", DType::int64, {1}, {4}), {2, 2}};
  EXPECT_EQ(GraphBuilder().node("Constant", {}, {"y"}, {attribute("sparse_value", outside)}).type().errors(),
            "y = Constant: sparse_value gives index 4 on an axis of 4");
}

TEST(ConstantOfShape, KnownAndSymbolic) {
  Typed t = GraphBuilder().integers("s", {2, 2}).node("ConstantOfShape", {"s"}, {"y"}).type();
  EXPECT_EQ(t["y"], "float32 [2, 2]");
  EXPECT_EQ(t.known("y"), "0, 0, 0, 0");
  t = GraphBuilder()
          .input("x", "N 3")
          .node("Shape", {"x"}, {"s"})
          .node("ConstantOfShape", {"s"}, {"y"},
                {attribute("value", tensor_data<std::int64_t>("", DType::int64, {1}, {7}))})
          .type();
  EXPECT_EQ(t["y"], "int64 [N, 3]");
  EXPECT_EQ(t.known("y"), "?");
  EXPECT_EQ(t.steps(), "map");
  EXPECT_EQ(GraphBuilder().integers("s", {}).node("ConstantOfShape", {"s"}, {"y"}).type()["y"], "float32 []");
  EXPECT_EQ(GraphBuilder().integers("s", {0, 3}).node("ConstantOfShape", {"s"}, {"y"}).type().known("y"), "");
}

TEST(ConstantOfShape, ARunTimeShapeBindsItsLengths) {
  const Typed t = GraphBuilder().input("s", "2", DType::int64).node("ConstantOfShape", {"s"}, {"y"}).type();
  EXPECT_EQ(t["y"], "float32 [s_0, s_1]");
  EXPECT_EQ(t.steps(), "bind map");
}

TEST(ConstantOfShape, Errors) {
  EXPECT_EQ(GraphBuilder().integers("s", {2, -1}).node("ConstantOfShape", {"s"}, {"y"}).type().errors(),
            "y = ConstantOfShape: axis 1 of the shape is -1, which must not be negative, and it never does");
}

TEST(Range, Folds) {
  const auto range = [](std::int64_t start, std::int64_t limit, std::int64_t delta) {
    const Typed t = GraphBuilder()
                        .integer("a", start)
                        .integer("b", limit)
                        .integer("d", delta)
                        .node("Range", {"a", "b", "d"}, {"y"})
                        .type();
    return t["y"] + " " + t.known("y") + t.errors();
  };
  EXPECT_EQ(range(0, 4, 1), "int64 [4] 0, 1, 2, 3");
  EXPECT_EQ(range(1, 6, 2), "int64 [3] 1, 3, 5");
  EXPECT_EQ(range(10, 4, -2), "int64 [3] 10, 8, 6");
  EXPECT_EQ(range(4, 0, 1), "int64 [0] ");
  EXPECT_EQ(range(0, 4, 0), " ?y = Range: steps by 0");
}

TEST(Range, FoldsFloats) {
  const Typed t =
      GraphBuilder().number("a", 0).number("b", 1).number("d", 0.3f).node("Range", {"a", "b", "d"}, {"y"}).type();
  EXPECT_EQ(t["y"], "float32 [4]");
  EXPECT_EQ(t.known("y"), "0, 0.3, 0.6, 0.9");
}

Typed range_to(std::string limit, std::int64_t start, std::int64_t delta) {
  return GraphBuilder()
      .input("x", limit)
      .integer("a", start)
      .integer("d", delta)
      .integer("zero", 0)
      .node("Shape", {"x"}, {"s"})
      .node("Gather", {"s", "zero"}, {"b"})
      .node("Range", {"a", "b", "d"}, {"y"})
      .type();
}

TEST(Range, OverALength) {
  EXPECT_EQ(range_to("N", 0, 1)["y"], "int64 [N]");
  EXPECT_EQ(range_to("N", 0, 1).steps(), "map");
  EXPECT_EQ(range_to("N", 0, 2)["y"], "int64 [ceil(N / 2)]");
  EXPECT_EQ(range_to("N", 1, 1)["y"], "int64 [max(N - 1, 0)]");
  EXPECT_EQ(range_to("N", 0, -1)["y"], "int64 [0]");
}

TEST(Range, FromALengthByANumberOfSteps) {
  // [N, N + 3): as many elements as the build can count, each a polynomial.
  const Typed t = GraphBuilder()
                      .input("x", "N")
                      .integer("zero", 0)
                      .integer("three", 3)
                      .integer("one", 1)
                      .node("Shape", {"x"}, {"s"})
                      .node("Gather", {"s", "zero"}, {"a"})
                      .node("Add", {"a", "three"}, {"b"})
                      .node("Range", {"a", "b", "one"}, {"y"})
                      .type();
  EXPECT_EQ(t["y"], "int64 [3]");
  EXPECT_EQ(t.known("y"), "N, N + 1, N + 2");
}

TEST(Range, AtRunTime) {
  Typed t = GraphBuilder()
                .input("b", "", DType::int64)
                .integer("a", 0)
                .integer("d", 1)
                .node("Range", {"a", "b", "d"}, {"y"})
                .type();
  EXPECT_EQ(t["y"], "int64 [y_length]");
  EXPECT_EQ(t.steps(), "map bind map");
  t = GraphBuilder()
          .input("d", "", DType::float32)
          .number("a", 0)
          .number("b", 1)
          .node("Range", {"a", "b", "d"}, {"y"})
          .type();
  EXPECT_EQ(t.owed(), "d_not_zero - 1");
  EXPECT_EQ(t.steps(), "map bind map bind check map");
}

// ---- Reshape -------------------------------------------------------------------------------------------------------

Typed reshape(std::string_view from, std::vector<std::int64_t> to, std::vector<Attribute> attributes = {}) {
  return GraphBuilder()
      .input("x", from)
      .integers("shape", to)
      .node("Reshape", {"x", "shape"}, {"y"}, std::move(attributes))
      .type();
}

TEST(Reshape, Static) {
  EXPECT_EQ(reshape("2 3 4", {6, 4})["y"], "float32 [6, 4]");
  EXPECT_EQ(reshape("2 3 4", {0, -1})["y"], "float32 [2, 12]");
  EXPECT_EQ(reshape("2 3 4", {-1})["y"], "float32 [24]");
  EXPECT_EQ(reshape("1", {})["y"], "float32 []");
  EXPECT_EQ(reshape("", {1, 1})["y"], "float32 [1, 1]");
  EXPECT_EQ(reshape("0 3", {0, -1}).errors(),
            "y = Reshape: the shape [0, -1] leaves one axis open beside others that hold nothing");
  EXPECT_EQ(reshape("0 3", {3, 0}, {attribute("allowzero", 1)})["y"], "float32 [3, 0]");
  EXPECT_EQ(reshape("0 3", {-1, 3})["y"], "float32 [0, 3]");
  EXPECT_EQ(reshape("2 3 4", {6, 4}).steps(), "reshape");
}

TEST(Reshape, Symbolic) {
  EXPECT_EQ(reshape("N 12 64", {0, -1})["y"], "float32 [N, 768]");
  EXPECT_EQ(reshape("N 12 64", {-1, 768})["y"], "float32 [N, 768]");
  EXPECT_EQ(reshape("N 12 64", {-1, 64})["y"], "float32 [12*N, 64]");
  EXPECT_EQ(reshape("N 12 64", {-1, 64}).owed(), "");
  EXPECT_EQ(reshape("N M", {-1, 0})["y"], "float32 [N, M]");
  EXPECT_EQ(reshape("N M", {-1, 0}).owed(), "M - 1");
  const Typed t = reshape("N 6", {-1, 4});
  EXPECT_EQ(t["y"], "float32 [N + floor(N / 2), 4]");
  EXPECT_EQ(t.owed(), "-2*N + 4*floor(N / 2)");
}

TEST(Reshape, ByAComputedShape) {
  // [batch, seq, 12, 64] of [batch, seq, 768], as exporters spell it.
  const Typed t = GraphBuilder()
                      .input("x", "batch seq 768")
                      .integers("heads", {12, 64})
                      .node("Shape", {"x"}, {"bs"}, {attribute("end", 2)})
                      .node("Concat", {"bs", "heads"}, {"shape"}, {attribute("axis", 0)})
                      .node("Reshape", {"x", "shape"}, {"y"})
                      .type();
  EXPECT_EQ(t["y"], "float32 [batch, seq, 12, 64]");
  EXPECT_EQ(t.owed(), "");
  EXPECT_EQ(t.errors(), "");
}

TEST(Reshape, ALengthThatMayBeZeroIsOwed) {
  // The target's axis 0 is M: a 0 there would stand for N.
  const Typed t = GraphBuilder()
                      .input("x", "N 4")
                      .input("m", "M")
                      .integers("rest", {-1})
                      .node("Shape", {"m"}, {"s"})
                      .node("Concat", {"s", "rest"}, {"shape"}, {attribute("axis", 0)})
                      .node("Reshape", {"x", "shape"}, {"y"})
                      .type();
  EXPECT_EQ(t["y"], "float32 [M, floor(4*N / M)]");
  EXPECT_EQ(t.owed().substr(0, 5), "M - 1");
}

TEST(Reshape, Errors) {
  EXPECT_EQ(reshape("4 6", {5, 5}).errors(), "y = Reshape: 24 elements are given the shape [5, 5], which holds 25");
  EXPECT_EQ(reshape("4 6", {5, -1}).errors(), "y = Reshape: 24 elements are given the shape [5, 4], which holds 20");
  EXPECT_EQ(reshape("4 6", {-1, -1}).errors(),
            "y = Reshape: the shape [-1, -1] leaves two axes open, and one can be computed");
  EXPECT_EQ(reshape("4 6", {1, 24, 0}).errors(),
            "y = Reshape: axis 2 of the shape is 0, which stands for the operand's axis there, and it has 2 axes");
  EXPECT_EQ(reshape("4 6", {-2, 12}).errors(),
            "y = Reshape: axis 0 of the shape is -2, which must not be negative, and it never does");
  EXPECT_EQ(
      GraphBuilder().input("x", "4").input("s", "N", DType::int64).node("Reshape", {"x", "s"}, {"y"}).type().errors(),
      "y = Reshape: s is computed at run time and holds N elements, and the build reads it as a list of at most 64");
}

TEST(Reshape, RegroupsNames) {
  const Typed t = GraphBuilder()
                      .input("x", "2 3 20")
                      .integers("split", {2, 3, 4, 5})
                      .integers("merge", {6, 20})
                      .node("Reshape", {"x", "split"}, {"y"})
                      .node("Reshape", {"x", "merge"}, {"z"})
                      .name("x", {"B", "S", "(Head Dim)"})
                      .name("split", {"Four"})
                      .name("merge", {"Two"})
                      .type({"y", "z"});
  EXPECT_EQ(t.errors(), "");
  EXPECT_EQ(t.axes("y"), "B, S, Head, Dim");
  EXPECT_EQ(t.axes("z"), "(B S), (Head Dim)");
}

TEST(Reshape, Old) {
  const Typed t = GraphBuilder(4)
                      .input("x", "2 3")
                      .node("Reshape", {"x"}, {"y"}, {attribute("shape", std::vector<std::int64_t>{-1})})
                      .type();
  EXPECT_EQ(t["y"], "float32 [6]");
}

TEST(Reshape, FoldsWhatItCarries) {
  const Typed t = GraphBuilder()
                      .input("x", "N 4")
                      .integers("shape", {2, 1})
                      .node("Shape", {"x"}, {"s"})
                      .node("Reshape", {"s", "shape"}, {"y"})
                      .type();
  EXPECT_EQ(t["y"], "int64 [2, 1]");
  EXPECT_EQ(t.known("y"), "N, 4");
}

TEST(Flatten, Forms) {
  const auto flatten = [](std::string_view from, std::vector<Attribute> attributes) {
    const Typed t = GraphBuilder().input("x", from).node("Flatten", {"x"}, {"y"}, std::move(attributes)).type();
    return t["y"] + t.errors();
  };
  EXPECT_EQ(flatten("N 3 4", {}), "float32 [N, 12]");
  EXPECT_EQ(flatten("N 3 4", {attribute("axis", 0)}), "float32 [1, 12*N]");
  EXPECT_EQ(flatten("N 3 4", {attribute("axis", -1)}), "float32 [3*N, 4]");
  EXPECT_EQ(flatten("N 3 4", {attribute("axis", 3)}), "float32 [12*N, 1]");
  EXPECT_EQ(flatten("N 3 4", {attribute("axis", 4)}), "y = Flatten: axis 4 of a tensor of 3 axes");
  EXPECT_EQ(flatten("0 3", {}), "float32 [0, 3]");
}

TEST(Squeeze, Forms) {
  EXPECT_EQ(GraphBuilder(11)
                .input("x", "1 N 1 4")
                .node("Squeeze", {"x"}, {"y"}, {attribute("axes", std::vector<std::int64_t>{0})})
                .type()["y"],
            "float32 [N, 1, 4]");
  Typed t = GraphBuilder().input("x", "1 N 1 4").node("Squeeze", {"x"}, {"y"}).type();
  EXPECT_EQ(t["y"], "float32 [N, 4]");
  EXPECT_EQ(t.owed(), "-(N - 1 == 0)");
  EXPECT_EQ(t.steps(), "check units");
  t = GraphBuilder().input("x", "N 4").integers("a", {-2}).node("Squeeze", {"x", "a"}, {"y"}).type();
  EXPECT_EQ(t["y"], "float32 [4]");
  EXPECT_EQ(t.owed(), "N - 1\n-N + 1");
  EXPECT_EQ(GraphBuilder().input("x", "2 4").integers("a", {0}).node("Squeeze", {"x", "a"}, {"y"}).type().errors(),
            "y = Squeeze: axis 0 of x is 2, and only an axis of 1 is squeezed");
  EXPECT_EQ(GraphBuilder().input("x", "2 4").integers("a", {2}).node("Squeeze", {"x", "a"}, {"y"}).type().errors(),
            "y = Squeeze: axis 2 of a tensor of 2 axes");
}

TEST(Unsqueeze, Forms) {
  const auto unsqueeze = [](std::vector<std::int64_t> axes) {
    const Typed t = GraphBuilder().input("x", "N 4").integers("a", axes).node("Unsqueeze", {"x", "a"}, {"y"}).type();
    return t["y"] + t.errors();
  };
  EXPECT_EQ(unsqueeze({0}), "float32 [1, N, 4]");
  EXPECT_EQ(unsqueeze({-1, 1}), "float32 [N, 1, 4, 1]");
  EXPECT_EQ(unsqueeze({3}), "y = Unsqueeze: axis 3 of a tensor of 3 axes");
  EXPECT_EQ(unsqueeze({1, 1}), "y = Unsqueeze: axis 1 is listed twice");
  EXPECT_EQ(GraphBuilder(11)
                .input("x", "N")
                .node("Unsqueeze", {"x"}, {"y"}, {attribute("axes", std::vector<std::int64_t>{0})})
                .type()["y"],
            "float32 [1, N]");
  EXPECT_EQ(GraphBuilder().input("x", "N").integer("a", 0).node("Unsqueeze", {"x", "a"}, {"y"}).type()["y"],
            "float32 [1, N]");
}

TEST(Identity, IsTheOperandItself) {
  const Typed t = GraphBuilder().input("x", "N 4").node("Identity", {"x"}, {"y"}).type();
  EXPECT_EQ(t["y"], "float32 [N, 4]");
  EXPECT_EQ(t.steps(), "");
  EXPECT_EQ(GraphBuilder().integers("x", {3}).node("Identity", {"x"}, {"y"}).type().known("y"), "3");
}

TEST(Dropout, DropsNothing) {
  Typed t = GraphBuilder().input("x", "N 4").node("Dropout", {"x"}, {"y", "mask"}).type();
  EXPECT_EQ(t["mask"], "bool [N, 4]");
  EXPECT_EQ(t.steps(), "map");
  t = GraphBuilder().input("x", "2").node("Dropout", {"x"}, {"y", "mask"}).type();
  EXPECT_EQ(t.known("mask"), "1, 1");
  EXPECT_EQ(t.steps(), "");
  EXPECT_EQ(GraphBuilder(9).input("x", "2").node("Dropout", {"x"}, {"y", "mask"}).type()["mask"], "float32 [2]");
  t = GraphBuilder().input("x", "2").number("r", 0).flags("t", {}, {1}).node("Dropout", {"x", "r", "t"}, {"y"}).type();
  EXPECT_EQ(t.steps(), "");
}

TEST(Dropout, DropsWhereItTrains) {
  const auto dropout = [](float ratio) {
    return GraphBuilder()
        .input("x", "N 2")
        .number("r", ratio)
        .input("t", "1", DType::boolean)
        .node("Dropout", {"x", "r", "t"}, {"y", "mask"})
        .type();
  };
  const Typed t = dropout(0.25f);
  EXPECT_EQ(t.errors(), "");
  EXPECT_EQ(t["y"] + " " + t["mask"], "float32 [N, 2] bool [N, 2]");
  EXPECT_EQ(t.steps(), "random_uniform reshape map reshape map");
  EXPECT_EQ(dropout(1.5f).errors(), "y = Dropout: r is 1.500000, and a ratio lies between 0 and 1");
}

}  // namespace
}  // namespace loam::test
