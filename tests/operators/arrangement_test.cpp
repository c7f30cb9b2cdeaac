// Padding, triangles, scatters, running sums, TopK, rearrangements, random numbers, signals and losses.
#include <gtest/gtest.h>

#include "tests/operators/build_graph.hpp"

namespace loam::test {
namespace {

using Numbers = std::vector<std::int64_t>;

Typed pad(std::string_view from, const Numbers& pads, std::vector<Attribute> attributes = {}) {
  return GraphBuilder()
      .input("x", from)
      .integers("p", pads)
      .node("Pad", {"x", "p"}, {"y"}, std::move(attributes))
      .type();
}

TEST(Pad, Constant) {
  EXPECT_EQ(pad("N 4", {0, 1, 0, 2})["y"], "float32 [N, 7]");
  EXPECT_EQ(pad("N 4", {0, 1, 0, 2}).steps(), "map slice map");
  EXPECT_EQ(pad("N 4", {0, -1, 0, 0})["y"], "float32 [N, 3]");
  EXPECT_EQ(pad("N 4", {0, -1, 0, 0}).steps(), "slice");
  EXPECT_EQ(pad("N 4", {0, 0, 0, 0}).steps(), "");
  EXPECT_EQ(pad("4", {-1, 1}).steps(), "slice map slice map");
  EXPECT_EQ(
      pad("4", {-3, -2}).errors(),
      "y = Pad: axis 0 of x is 4 and is padded by -3 and -2, which must leave no less than nothing, and it never does");
  EXPECT_EQ(pad("4", {1}).errors(), "y = Pad: pads 1 axes and gives 1 lengths, and each takes one at either end");
}

TEST(Pad, OtherModes) {
  EXPECT_EQ(pad("N 4", {1, 0, 1, 0}, {attribute("mode", "reflect")})["y"], "float32 [N + 2, 4]");
  EXPECT_EQ(pad("N 4", {1, 0, 1, 0}, {attribute("mode", "edge")}).owed(), "N - 1");
  EXPECT_EQ(pad("N 4", {1, 0, 1, 0}, {attribute("mode", "wrap")}).steps(), "check pad");
  EXPECT_EQ(pad("N 4", {1, 0, 1, 0}, {attribute("mode", "odd")}).errors(),
            "y = Pad: mode is odd, and the operator takes constant, reflect, edge or wrap");
}

TEST(Pad, AxesAndOldForms) {
  Typed t = GraphBuilder()
                .input("x", "3 4")
                .integers("p", {1, 2})
                .integers("a", {-1})
                .node("Pad", {"x", "p", "", "a"}, {"y"})
                .type();
  EXPECT_EQ(t["y"], "float32 [3, 7]");
  t = GraphBuilder(10)
          .input("x", "3 4")
          .node("Pad", {"x"}, {"y"}, {attribute("pads", Numbers{0, 1, 0, 1}), attribute("value", 2.f)})
          .type();
  EXPECT_EQ(t["y"], "float32 [3, 6]");
}

TEST(CenterCropPad, CropsAndPads) {
  const Typed t = GraphBuilder()
                      .input("x", "10 3 N")
                      .integers("s", {4, 7})
                      .node("CenterCropPad", {"x", "s"}, {"y"}, {attribute("axes", Numbers{0, 1})})
                      .type();
  EXPECT_EQ(t["y"], "float32 [4, 7, N]");
  EXPECT_EQ(t.steps(), "slice map slice map");
}

TEST(Trilu, Forms) {
  EXPECT_EQ(GraphBuilder().input("x", "N 4 M").node("Trilu", {"x"}, {"y"}).type()["y"], "float32 [N, 4, M]");
  EXPECT_EQ(GraphBuilder().input("x", "N").node("Trilu", {"x"}, {"y"}).type().errors(),
            "y = Trilu: x has 1 axes, and a triangle takes 2");
  EXPECT_EQ(GraphBuilder()
                .integers("x", {2, 3}, {1, 2, 3, 4, 5, 6})
                .integer("k", 1)
                .node("Trilu", {"x", "k"}, {"y"})
                .type()
                .known("y"),
            "0, 2, 3, 0, 0, 6");
  EXPECT_EQ(GraphBuilder()
                .integers("x", {2, 2}, {1, 2, 3, 4})
                .node("Trilu", {"x"}, {"y"}, {attribute("upper", 0)})
                .type()
                .known("y"),
            "1, 0, 3, 4");
}

TEST(EyeLike, TakesATypeAndADiagonal) {
  EXPECT_EQ(GraphBuilder()
                .input("x", "N 4")
                .node("EyeLike", {"x"}, {"y"}, {attribute("dtype", 7), attribute("k", 1)})
                .type()["y"],
            "int64 [N, 4]");
}

TEST(OneHot, InsertsTheDepth) {
  const auto one_hot = [](std::int64_t axis) {
    const Typed t = GraphBuilder()
                        .input("i", "N M", DType::int64)
                        .integer("d", 5)
                        .floats("v", {2}, {0, 1})
                        .node("OneHot", {"i", "d", "v"}, {"y"}, {attribute("axis", axis)})
                        .type();
    return t["y"] + t.errors();
  };
  EXPECT_EQ(one_hot(-1), "float32 [N, M, 5]");
  EXPECT_EQ(one_hot(0), "float32 [5, N, M]");
  EXPECT_EQ(one_hot(3), "y = OneHot: axis 3 of a tensor of 3 axes");
}

TEST(Scatter, Elements) {
  const auto scatter = [](std::string_view data, std::string_view indices, std::string_view updates) {
    const Typed t = GraphBuilder()
                        .input("x", data)
                        .input("i", indices, DType::int64)
                        .input("u", updates)
                        .node("ScatterElements", {"x", "i", "u"}, {"y"}, {attribute("axis", 1)})
                        .type();
    return t["y"] + t.errors();
  };
  EXPECT_EQ(scatter("3 4", "2 5", "2 5"), "float32 [3, 4]");
  EXPECT_EQ(
      scatter("3 4", "4 5", "4 5"),
      "y = ScatterElements: axis 0 of i of the indices is 4, which must lie within the data's 3, and it never does");
  EXPECT_EQ(scatter("3 4", "2 5", "2 6"),
            "float32 [3, 4]y = ScatterElements: axis 1 of i is 5 in the indices and 6 in the updates");
  EXPECT_EQ(GraphBuilder()
                .integers("x", {4}, {1, 2, 3, 4})
                .integers("i", {2}, {1, -1})
                .integers("u", {2}, {8, 9})
                .node("ScatterElements", {"x", "i", "u"}, {"y"})
                .type()
                .known("y"),
            "1, 8, 3, 9");
}

TEST(Scatter, Nd) {
  Typed t = GraphBuilder()
                .input("x", "N 4 M")
                .input("i", "K 2", DType::int64)
                .input("u", "K M")
                .node("ScatterND", {"x", "i", "u"}, {"y"})
                .type();
  EXPECT_EQ(t["y"], "float32 [N, 4, M]");
  EXPECT_EQ(t.steps(), "scatter_nd");
  t = GraphBuilder()
          .integers("x", {2, 2}, {1, 2, 3, 4})
          .integers("i", {1, 1}, {-1})
          .integers("u", {1, 2}, {8, 9})
          .node("ScatterND", {"x", "i", "u"}, {"y"})
          .type();
  EXPECT_EQ(t.known("y"), "1, 2, 8, 9");
  EXPECT_EQ(GraphBuilder()
                .input("x", "N 4")
                .input("i", "K 3", DType::int64)
                .input("u", "K")
                .node("ScatterND", {"x", "i", "u"}, {"y"})
                .type()
                .errors(),
            "y = ScatterND: a row of the indices holds 3 coordinates, and there are 2 axes to index");
}

TEST(Scatter, Tensor) {
  const Typed t = GraphBuilder(24)
                      .input("x", "N 2 8 4")
                      .input("u", "N 2 S 4")
                      .input("i", "N", DType::int64)
                      .node("TensorScatter", {"x", "u", "i"}, {"y"})
                      .type();
  EXPECT_EQ(t["y"], "float32 [N, 2, 8, 4]");
  EXPECT_EQ(t.owed(), "-S + 8");
  EXPECT_EQ(t.steps(), "check tensor_scatter");
}

TEST(Cumulative, Forms) {
  const auto sum = [](std::vector<Attribute> attributes, std::string op = "CumSum") {
    return GraphBuilder(26)
        .integers("x", {1, 2, 3})
        .integer("a", 0)
        .node(std::move(op), {"x", "a"}, {"y"}, std::move(attributes))
        .type()
        .known("y");
  };
  EXPECT_EQ(sum({}), "1, 3, 6");
  EXPECT_EQ(sum({attribute("exclusive", 1)}), "0, 1, 3");
  EXPECT_EQ(sum({attribute("reverse", 1)}), "6, 5, 3");
  EXPECT_EQ(sum({attribute("reverse", 1), attribute("exclusive", 1)}), "5, 3, 0");
  EXPECT_EQ(sum({}, "CumProd"), "1, 2, 6");
  EXPECT_EQ(GraphBuilder().input("x", "N").integer("a", 1).node("CumSum", {"x", "a"}, {"y"}).type().errors(),
            "y = CumSum: axis 1 of a tensor of 1 axes");
}

TEST(TopK, Forms) {
  Typed t = GraphBuilder().input("x", "N 8").integers("k", {3}).node("TopK", {"x", "k"}, {"v", "i"}).type();
  EXPECT_EQ(t["v"] + ", " + t["i"], "float32 [N, 3], int64 [N, 3]");
  EXPECT_EQ(t.steps(), "top_k");
  EXPECT_EQ(GraphBuilder()
                .input("x", "N 8")
                .integers("k", {3})
                .node("TopK", {"x", "k"}, {"v", "i"}, {attribute("axis", 0)})
                .type()
                .owed(),
            "N - 3");
  EXPECT_EQ(GraphBuilder().input("x", "8").integers("k", {9}).node("TopK", {"x", "k"}, {"v", "i"}).type().errors(),
            "v = TopK: takes 9 of axis 0 of x, which is 8, and must take no more than there are, and it never does");
  t = GraphBuilder().input("x", "8").input("k", "1", DType::int64).node("TopK", {"x", "k"}, {"v", "i"}).type();
  EXPECT_EQ(t.steps(), "bind check top_k");
  EXPECT_EQ(GraphBuilder(9).input("x", "N 8").node("TopK", {"x"}, {"v", "i"}, {attribute("k", 2)}).type()["v"],
            "float32 [N, 2]");
}

TEST(Rearrange, Depth) {
  Typed t = GraphBuilder().input("x", "N 8 H W").node("DepthToSpace", {"x"}, {"y"}, {attribute("blocksize", 2)}).type();
  EXPECT_EQ(t["y"], "float32 [N, 2, 2*H, 2*W]");
  EXPECT_EQ(t.steps(), "reshape transpose map reshape");
  t = GraphBuilder().input("x", "N 2 2*H 6").node("SpaceToDepth", {"x"}, {"y"}, {attribute("blocksize", 2)}).type();
  EXPECT_EQ(t["y"], "float32 [N, 8, H, 3]");
  EXPECT_EQ(GraphBuilder()
                .input("x", "N 6 4 4")
                .node("DepthToSpace", {"x"}, {"y"}, {attribute("blocksize", 2)})
                .type()
                .errors(),
            "y = DepthToSpace: axis 1 of x is 6 and is divided by 4");
}

TEST(Rearrange, ReverseSequenceAndCol2Im) {
  EXPECT_EQ(GraphBuilder()
                .input("x", "T N")
                .input("l", "N", DType::int64)
                .node("ReverseSequence", {"x", "l"}, {"y"})
                .type()["y"],
            "float32 [T, N]");
  const Typed t = GraphBuilder()
                      .input("x", "N 15 9")
                      .integers("i", {5, 5})
                      .integers("b", {1, 5})
                      .node("Col2Im", {"x", "i", "b"}, {"y"})
                      .type();
  EXPECT_EQ(t.errors(), "y = Col2Im: axis 2 of x is 9, and the image has places for 5 blocks");
}

TEST(Random, Types) {
  EXPECT_EQ(GraphBuilder().node("RandomNormal", {}, {"y"}, {attribute("shape", Numbers{2, 3})}).type()["y"],
            "float32 [2, 3]");
  EXPECT_EQ(GraphBuilder()
                .input("x", "N", DType::int64)
                .node("RandomUniformLike", {"x"}, {"y"}, {attribute("dtype", 11)})
                .type()["y"],
            "float64 [N]");
  EXPECT_EQ(GraphBuilder().input("x", "N", DType::int64).node("RandomUniformLike", {"x"}, {"y"}).type().errors(),
            "y = RandomUniformLike: gives int64, and random numbers are floats of 16, 32 or 64 bits");
  EXPECT_EQ(
      GraphBuilder().input("x", "N 5").node("Multinomial", {"x"}, {"y"}, {attribute("sample_size", 7)}).type()["y"],
      "int32 [N, 7]");
}

TEST(Signal, Transforms) {
  const auto dft = [](std::string_view from, std::vector<Attribute> attributes) {
    const Typed t = GraphBuilder().input("x", from).node("DFT", {"x"}, {"y"}, std::move(attributes)).type();
    return t["y"] + t.errors();
  };
  EXPECT_EQ(dft("N T 1", {}), "float32 [N, T, 2]");
  EXPECT_EQ(dft("N 10 1", {attribute("onesided", 1)}), "float32 [N, 6, 2]");
  EXPECT_EQ(dft("N 6 2", {attribute("onesided", 1), attribute("inverse", 1)}), "float32 [N, 10, 1]");
  EXPECT_EQ(dft("N 6 3", {}), "y = DFT: the last axis is 3, and a number has a real part and perhaps an imaginary one");
  const Typed t = GraphBuilder()
                      .input("x", "N 128 1")
                      .integer("s", 8)
                      .floats("w", {16}, std::vector<float>(16))
                      .node("STFT", {"x", "s", "w"}, {"y"})
                      .type();
  EXPECT_EQ(t["y"], "float32 [N, 15, 9, 2]");
  EXPECT_EQ(t.steps(), "map gather units relabel map dft");
}

TEST(Signal, WindowsAndMel) {
  EXPECT_EQ(GraphBuilder().integer("n", 10).node("HannWindow", {"n"}, {"y"}).type()["y"], "float32 [10]");
  EXPECT_EQ(GraphBuilder()
                .input("n", "", DType::int64)
                .node("HammingWindow", {"n"}, {"y"}, {attribute("output_datatype", 11)})
                .type()
                .steps(),
            "bind map");
  const Typed t = GraphBuilder()
                      .integer("b", 8)
                      .integer("l", 16)
                      .integer("r", 8192)
                      .number("lo", 0)
                      .number("hi", 4096)
                      .node("MelWeightMatrix", {"b", "l", "r", "lo", "hi"}, {"y"})
                      .type();
  EXPECT_EQ(t["y"], "float32 [9, 8]");
  EXPECT_EQ(t.steps(), "map");
}

TEST(Loss, Reductions) {
  const auto loss = [](std::string reduction) {
    const Typed t =
        GraphBuilder()
            .input("x", "N 5 M")
            .input("t", "N M", DType::int64)
            .node("SoftmaxCrossEntropyLoss", {"x", "t"}, {"y", "p"}, {attribute("reduction", reduction.c_str())})
            .type();
    return t["y"] + " " + t["p"] + t.errors();
  };
  EXPECT_EQ(loss("mean"), "float32 [] float32 [N, 5, M]");
  EXPECT_EQ(loss("none"), "float32 [N, M] float32 [N, 5, M]");
  EXPECT_EQ(loss("most"), " y = SoftmaxCrossEntropyLoss: reduction is most, and the operator takes none, sum, mean");
}

TEST(BitCast, KeepsTheWidth) {
  EXPECT_EQ(GraphBuilder(26).input("x", "N").node("BitCast", {"x"}, {"y"}, {attribute("to", 6)}).type()["y"],
            "int32 [N]");
  EXPECT_EQ(GraphBuilder(26).input("x", "N").node("BitCast", {"x"}, {"y"}, {attribute("to", 7)}).type().errors(),
            "y = BitCast: reads the bits of float32 as int64, and a kernel takes two types of one width");
  EXPECT_EQ(GraphBuilder(26).number("x", 1).node("BitCast", {"x"}, {"y"}, {attribute("to", 6)}).type().known("y"),
            "1065353216");
}

}  // namespace
}  // namespace loam::test
