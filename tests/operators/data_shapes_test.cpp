// Operators whose results are as long as the data says, and shapes that only the run knows.
#include <gtest/gtest.h>

#include <limits>

#include "tests/operators/build_graph.hpp"

namespace loam::test {
namespace {

using Numbers = std::vector<std::int64_t>;

TEST(NonZero, CountsAndFills) {
  const Typed t = GraphBuilder().input("x", "N 4").node("NonZero", {"x"}, {"y"}).type();
  EXPECT_EQ(t["y"], "int64 [2, y_count]");
  EXPECT_EQ(t.steps(), "nonzero_count bind nonzero");
}

TEST(NonZero, Folds) {
  const Typed t = GraphBuilder().integers("x", {2, 3}, {0, 1, 2, 0, 0, 3}).node("NonZero", {"x"}, {"y"}).type();
  EXPECT_EQ(t["y"], "int64 [2, 3]");
  EXPECT_EQ(t.known("y"), "0, 0, 1, 1, 2, 2");
  EXPECT_EQ(GraphBuilder().integer("x", 5).node("NonZero", {"x"}, {"y"}).type()["y"], "int64 [0, 1]");
}

TEST(NonZero, TheCountIsALengthLikeAnyOther) {
  // The rows of the places, as exporters spell torch.nonzero, and what is gathered there.
  const Typed t = GraphBuilder()
                      .input("x", "N")
                      .node("NonZero", {"x"}, {"z"})
                      .node("Transpose", {"z"}, {"rows"})
                      .node("Shape", {"rows"}, {"s"})
                      .node("GatherND", {"x", "rows"}, {"y"})
                      .node("ConstantOfShape", {"s"}, {"w"})
                      .type({"y", "w"});
  EXPECT_EQ(t.errors(), "");
  EXPECT_EQ(t["y"], "float32 [z_count]");
  EXPECT_EQ(t["w"], "float32 [z_count, 1]");
}

TEST(Compress, Forms) {
  const auto compress = [](std::vector<Attribute> attributes) {
    const Typed t = GraphBuilder()
                        .input("x", "N 4")
                        .input("c", "M", DType::boolean)
                        .node("Compress", {"x", "c"}, {"y"}, std::move(attributes))
                        .type();
    return t["y"] + t.errors();
  };
  EXPECT_EQ(compress({attribute("axis", 1)}), "float32 [N, y_count]");
  EXPECT_EQ(compress({}), "float32 [y_count]");
  EXPECT_EQ(compress({attribute("axis", 2)}), "y = Compress: axis 2 of a tensor of 2 axes");
  Typed t = GraphBuilder()
                .input("x", "3 M")
                .flags("c", {4}, {0, 1, 1, 1})
                .node("Compress", {"x", "c"}, {"y"}, {attribute("axis", 0)})
                .type();
  EXPECT_EQ(t["y"], "float32 [2, M]");
  EXPECT_EQ(t.steps(), "compress");
  t = GraphBuilder()
          .integers("x", {2, 2}, {1, 2, 3, 4})
          .flags("c", {2}, {0, 1})
          .node("Compress", {"x", "c"}, {"y"}, {attribute("axis", -1)})
          .type();
  EXPECT_EQ(t.known("y"), "2, 4");
}

TEST(Unique, Outputs) {
  Typed t = GraphBuilder().input("x", "N 4").node("Unique", {"x"}, {"y", "first", "inverse", "counts"}).type();
  EXPECT_EQ(t["y"] + ", " + t["first"] + ", " + t["inverse"] + ", " + t["counts"],
            "float32 [y_count], int64 [y_count], int64 [4*N], int64 [y_count]");
  EXPECT_EQ(t.steps(), "unique_count bind unique");
  t = GraphBuilder().input("x", "N 4").node("Unique", {"x"}, {"y", "", "inverse"}, {attribute("axis", 0)}).type();
  EXPECT_EQ(t["y"] + ", " + t["inverse"], "float32 [y_count, 4], int64 [N]");
}

TEST(NonMaxSuppression, Forms) {
  GraphBuilder g;
  g.input("b", "N K 4").input("s", "N C K").integer("most", 3).number("iou", 0.5f);
  Typed t = g.node("NonMaxSuppression", {"b", "s", "most", "iou"}, {"y"}).type();
  EXPECT_EQ(t["y"], "int64 [y_count, 3]");
  EXPECT_EQ(t.steps(), "non_max_suppression_count bind non_max_suppression");
  t = GraphBuilder()
          .input("b", "N K 4")
          .input("s", "N C K")
          .input("iou", "1")
          .node("NonMaxSuppression", {"b", "s", "", "iou"}, {"y"})
          .type();
  EXPECT_EQ(t.steps(), "reshape non_max_suppression_count bind non_max_suppression");
  EXPECT_EQ(GraphBuilder()
                .input("b", "N K 5")
                .input("s", "N C K")
                .node("NonMaxSuppression", {"b", "s"}, {"y"})
                .type()
                .errors(),
            "y = NonMaxSuppression: a box is 5 numbers, and the operator takes 4");
}

// ---- Shapes, bounds and axes that are inputs of the graph. ---------------------------------------------------------

TEST(RunTime, Reshape) {
  const Typed t =
      GraphBuilder().input("x", "2 6").input("s", "2", DType::int64).node("Reshape", {"x", "s"}, {"y"}).type();
  EXPECT_EQ(t.errors(), "");
  EXPECT_EQ(t.steps(), "bind check reshape");
}

TEST(RunTime, SqueezeAndUnsqueeze) {
  Typed t = GraphBuilder().input("x", "1 3").input("a", "1", DType::int64).node("Squeeze", {"x", "a"}, {"y"}).type();
  EXPECT_EQ(t.errors(), "");
  EXPECT_EQ(t.steps(), "slice units map bind check reshape");
  t = GraphBuilder().input("x", "2 3").input("a", "2", DType::int64).node("Unsqueeze", {"x", "a"}, {"y"}).type();
  EXPECT_EQ(t.errors(), "");
}

TEST(RunTime, SliceAxesAndSteps) {
  const Typed t = GraphBuilder()
                      .input("x", "8 4")
                      .input("b", "1", DType::int64)
                      .node("Slice", {"x", "b", "b", "b", "b"}, {"y"})
                      .type();
  EXPECT_EQ(t.errors(), "");
  EXPECT_EQ(t.steps(), "map bind map bind map bind check map bind check slice");
}

TEST(RunTime, SplitTileExpandPad) {
  const auto errors = [](std::string op, std::int64_t count, std::vector<std::string> outputs) {
    return GraphBuilder()
        .input("x", "2 3")
        .input("s", std::to_string(count), DType::int64)
        .node(std::move(op), {"x", "s"}, std::move(outputs))
        .type()
        .errors();
  };
  EXPECT_EQ(errors("Split", 2, {"a", "b"}), "");
  EXPECT_EQ(errors("Tile", 2, {"y"}), "");
  EXPECT_EQ(errors("Expand", 3, {"y"}), "");
  EXPECT_EQ(errors("Pad", 4, {"y"}), "");
  EXPECT_EQ(errors("CenterCropPad", 2, {"y"}), "");
  EXPECT_EQ(errors("CumSum", 1, {"y"}), "");
  EXPECT_EQ(
      GraphBuilder().input("x", "2 3").input("s", "N", DType::int64).node("Expand", {"x", "s"}, {"y"}).type().errors(),
      "y = Expand: s is computed at run time and holds N elements, and the build reads it as a list of at most 64");
}

// An output that nobody names asks for nothing.
TEST(Outputs, MayBeAbsent) {
  const auto steps = [](std::string op, std::vector<std::string> outputs) {
    const Typed t = GraphBuilder()
                        .input("x", "N 4")
                        .node(std::move(op), {"x"}, std::move(outputs))
                        .node("Relu", {"x"}, {"r"})
                        .type();
    return t.steps() + t.errors();
  };
  EXPECT_EQ(steps("NonZero", {""}), "map");
  EXPECT_EQ(steps("NonZero", {}), "map");
  EXPECT_EQ(steps("Unique", {"", "", ""}), "map");
  EXPECT_EQ(steps("Dropout", {}), "map");
  EXPECT_EQ(steps("RandomNormalLike", {}), "map");
  const Typed t = GraphBuilder().input("x", "N 4").node("Dropout", {"x"}, {"", "mask"}).type();
  EXPECT_EQ(t.steps(), "map");
}

}  // namespace
}  // namespace loam::test
