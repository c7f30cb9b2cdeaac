// Conv and its kin, the poolings: extents of windows, static and symbolic, and where the channels' names come from.
#include <gtest/gtest.h>

#include "tests/operators/nn_graph.hpp"

namespace loam::nn {
namespace {

std::string conv_type(Shape x, std::vector<std::int64_t> w, Attributes attributes) {
  Graph g;
  g.input("X", std::move(x)).weight("W", std::move(w)).node("Conv", {"X", "W"}, {"Y"}, std::move(attributes));
  return g.errors().empty() ? g.type("Y") : g.errors();
}

TEST(Conv, PadsAsStated) {
  EXPECT_EQ(conv_type(shape("N", 3, 224, 224), {64, 3, 7, 7}, {ints("strides", {2, 2}), ints("pads", {3, 3, 3, 3})}),
            "float32[N, 64, 112, 112]");
  EXPECT_EQ(conv_type(shape(1, 1, 7), {1, 1, 3}, {ints("dilations", {2})}), "float32[1, 1, 3]");
  EXPECT_EQ(conv_type(shape(1, 1, 7, 6, 5), {2, 1, 3, 1, 2}, {}), "float32[1, 2, 5, 6, 4]");
  EXPECT_EQ(conv_type(shape("N", 3, "H", "W"), {8, 3, 3, 3}, {ints("strides", {2, 1}), ints("pads", {1, 1, 1, 1})}),
            "float32[N, 8, ceil(H / 2), W]");
}

TEST(Conv, PadsToTheSameLength) {
  // onnxruntime #26734 and #495: ceil(in / stride), the odd pad at the tail for SAME_UPPER, at the head for SAME_LOWER.
  EXPECT_EQ(conv_type(shape(1, 1, 7, 5), {1, 1, 3, 3}, {text("auto_pad", "SAME_UPPER"), ints("strides", {2, 2})}),
            "float32[1, 1, 4, 3]");
  EXPECT_EQ(conv_type(shape(1, 1, 7, 5), {1, 1, 3, 3}, {text("auto_pad", "VALID"), ints("pads", {9, 9, 9, 9})}),
            "float32[1, 1, 5, 3]");
  for (const auto& [word, pads] : {std::pair("SAME_UPPER", "{0, 0}"), std::pair("SAME_LOWER", "{1, 1}")}) {
    Graph g;
    g.input("X", shape(1, 1, 6, 6))
        .weight("W", {1, 1, 3, 3})
        .node("Conv", {"X", "W"}, {"Y"}, {text("auto_pad", word), ints("strides", {2, 2})});
    EXPECT_EQ(g.lowered(),
              std::string("Y = conv(loam::Window{2, {3, 3}, {2, 2}, {1, 1}, ") + pads + "}, 1, X, W, none)\n");
  }
}

TEST(Conv, CarriesLengthsIntoThePadding) {
  // burn-onnx #468.
  Graph g;
  g.input("X", shape(1, 3, "H", "W"))
      .weight("K", {8, 3, 3, 3})
      .node("Conv", {"X", "K"}, {"Y"}, {text("auto_pad", "SAME_UPPER"), ints("strides", {2, 1})});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.owed(), "");
  EXPECT_EQ(g.type("Y"), "float32[1, 8, ceil(H / 2), W]");
}

TEST(Conv, OwesThatTheInputHoldsTheKernel) {
  Graph g;
  g.input("X", shape(1, 3, "L"))
      .weight("K", {8, 3, 4})
      .node("Conv", {"X", "K"}, {"Y"}, {ints("dilations", {2}), ints("pads", {1, 1})});
  EXPECT_EQ(g.owed(),
            "L - 5 >= 0: axis L is L + 2 with its padding and must hold the 7 elements a window reaches over\n");
  Graph h;
  h.input("X", shape(1, 3, 4)).weight("K", {8, 3, 5}).node("Conv", {"X", "K"}, {"Y"});
  EXPECT_EQ(h.errors(),
            "Y = Conv: axis 2 of X is 4 and must hold the 5 elements a window reaches over, and it never does "
            "[condition-never-holds]\n");
}

TEST(Conv, NamesChannelsByTheWeight) {
  Graph g;
  g.input("X", shape("N", 6, 9)).weight("W", {8, 6, 3}).weight("V", {8, 2, 3}).weight("B", {8});
  g.node("Conv", {"X", "W", "B"}, {"Y"}).node("Conv", {"Y", "V"}, {"Z"}, {integer("group", 4)});
  EXPECT_EQ(g.errors(), "");
  EXPECT_TRUE(g.one_axis("X", 1, "W", 1));
  EXPECT_TRUE(g.one_axis("Y", 1, "W", 0));
  EXPECT_TRUE(g.one_axis("B", 0, "W", 0));
  EXPECT_FALSE(g.one_axis("Y", 2, "X", 2));
  EXPECT_TRUE(g.one_axis("Z", 1, "V", 0));
  EXPECT_FALSE(g.one_axis("Y", 1, "V", 1));  // a group's share
  EXPECT_EQ(g.type("Z"), "float32[N, 8, 5]");
}

TEST(Conv, RefusesWhatDoesNotFit) {
  EXPECT_EQ(conv_type(shape(1, 4, 9), {8, 3, 3}, {}), "Y = Conv: axis 1 of X is 4 in X and 3 in W [extent-mismatch]\n");
  EXPECT_EQ(conv_type(shape(1, 4, 9), {8, 3, 3}, {integer("group", 2)}),
            "Y = Conv: X has 4 channels, and 2 groups of 3 are 6 [extent-mismatch]\n");
  EXPECT_EQ(conv_type(shape(1, 4, 9), {9, 2, 3}, {integer("group", 2)}),
            "Y = Conv: group is 2, which does not divide the 9 output channels [bad-attribute]\n");
  EXPECT_EQ(conv_type(shape(1, 3, 9), {8, 3, 3}, {ints("kernel_shape", {5})}),
            "Y = Conv: kernel_shape holds 5 for spatial axis 0, and W 3 [extent-mismatch]\n");
  EXPECT_EQ(conv_type(shape(1, 3, 9), {8, 3, 3}, {ints("strides", {1, 1})}),
            "Y = Conv: strides holds 2 numbers, and the operator reads 1 [bad-attribute]\n");
  EXPECT_EQ(conv_type(shape(1, 3, 9), {8, 3, 3}, {ints("strides", {0})}),
            "Y = Conv: strides holds 0, and the least it may hold is 1 [bad-attribute]\n");
  EXPECT_EQ(
      conv_type(shape(1, 3, 9), {8, 3, 3}, {text("auto_pad", "SAME")}),
      "Y = Conv: auto_pad is SAME, and the operator takes NOTSET, SAME_UPPER, SAME_LOWER, VALID [bad-attribute]\n");
  EXPECT_EQ(conv_type(shape(1, 3), {8, 3}, {}),
            "Y = Conv: X has 2 axes, and a convolution takes batch, channels and 1 to 3 more [rank-mismatch]\n");
}

TEST(ConvTranspose, Lengthens) {
  // onnxruntime #23403: 8 elements, not 7.
  Graph g;
  g.input("X", shape(1, 2, 4)).weight("W", {2, 1, 3});
  g.node("ConvTranspose", {"X", "W"}, {"Y"},
         {ints("strides", {2}), ints("pads", {1, 1}), ints("output_padding", {1}), integer("group", 2)});
  EXPECT_EQ(g.type("Y"), "float32[1, 2, 8]");
  EXPECT_EQ(g.lowered(), "Y = conv_transpose(loam::Window{1, {3}, {2}, {1}, {1}}, 2, X, W, none)\n");
  Graph h;
  h.input("X", shape("N", 2, "L"))
      .weight("W", {2, 5, 3})
      .node("ConvTranspose", {"X", "W"}, {"Y"}, {ints("strides", {2})});
  h.node("ConvTranspose", {"X", "W"}, {"Z"}, {ints("strides", {2}), text("auto_pad", "SAME_UPPER")});
  EXPECT_EQ(h.type("Y"), "float32[N, 5, 2*L + 1]");
  EXPECT_EQ(h.type("Z"), "float32[N, 5, 2*L]");
  Graph s;
  s.input("X", shape(1, 1, 3, 3))
      .weight("W", {1, 2, 3, 3})
      .node("ConvTranspose", {"X", "W"}, {"Y"}, {ints("strides", {3, 2}), ints("output_shape", {10, 8})});
  EXPECT_EQ(s.type("Y"), "float32[1, 2, 10, 8]");
}

TEST(QLinearConv, AddsUpIntegers) {
  Graph g;
  g.input("X", shape(1, 3, 8), DType::uint8)
      .weight("W", {4, 3, 3}, DType::int8)
      .weight("WS", {4})
      .weight("WZ", {4}, DType::int8);
  g.scalar("XS", 0.5f)
      .scalar("YS", 0.25f)
      .known("XZ", DType::uint8, {}, std::vector<std::uint8_t>{128})
      .known("YZ", DType::uint8, {}, std::vector<std::uint8_t>{1});
  g.node("QLinearConv", {"X", "XS", "XZ", "W", "WS", "WZ", "YS", "YZ"}, {"Y"});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "uint8[1, 4, 6]");
}

std::string pool_type(std::string op, Shape x, Attributes attributes, std::int64_t opset = 19) {
  Graph g(opset);
  g.input("X", std::move(x)).node(std::move(op), {"X"}, {"Y"}, std::move(attributes));
  return g.errors().empty() ? g.type("Y") : g.errors();
}

TEST(Pool, DropsALastWindowThatStartsInTheEndPadding) {
  EXPECT_EQ(pool_type("AveragePool", shape(1, 1, 4, 4),
                      {ints("kernel_shape", {3, 3}), ints("strides", {2, 2}), ints("pads", {1, 1, 1, 1}),
                       integer("ceil_mode", 1)}),
            "float32[1, 1, 3, 3]");
  EXPECT_EQ(pool_type("AveragePool", shape(1, 1, 9, 9),
                      {ints("kernel_shape", {4, 4}), ints("strides", {4, 4}), ints("pads", {2, 2, 2, 2}),
                       integer("ceil_mode", 1)}),
            "float32[1, 1, 3, 3]");
  EXPECT_EQ(pool_type("MaxPool", shape(1, 1, 5, 5),
                      {ints("kernel_shape", {2, 2}), ints("strides", {2, 2}), integer("ceil_mode", 1)}),
            "float32[1, 1, 3, 3]");
  EXPECT_EQ(pool_type("MaxPool", shape(1, 1, "L"),
                      {ints("kernel_shape", {3}), ints("strides", {2}), ints("pads", {1, 1}), integer("ceil_mode", 1)}),
            "float32[1, 1, floor(L / 2) + 1]");
}

TEST(Pool, GivesIndicesWhereTheyAreRead) {
  Graph g(12);
  g.input("X", shape("N", 3, 8, 8))
      .node("MaxPool", {"X"}, {"Y", "I"},
            {ints("kernel_shape", {2, 2}), ints("strides", {2, 2}), integer("storage_order", 1)});
  EXPECT_EQ(g.type("I"), "int64[N, 3, 4, 4]");
  EXPECT_EQ(g.lowered(), "Y, I = max_pool_indices(loam::Window{2, {2, 2}, {2, 2}, {1, 1}, {0, 0}}, true, X)\n");
}

TEST(Pool, RefusesPaddingAWindowFitsIn) {
  EXPECT_EQ(pool_type("MaxPool", shape(1, 1, 9), {ints("kernel_shape", {2}), ints("pads", {2, 0})}),
            "Y = MaxPool: the padding of axis 2 of X, 2, must be less than the 2 elements a window reaches over, and "
            "it never does [condition-never-holds]\n");
  EXPECT_EQ(pool_type("MaxPool", shape(1, 1, 9), {}),
            "Y = MaxPool: attribute kernel_shape is absent, and the operator needs it [bad-attribute]\n");
}

TEST(Pool, OfTheWholeIsAReduction) {
  Graph g;
  g.input("X", shape("N", 3, "H", "W"))
      .node("GlobalAveragePool", {"X"}, {"Y"})
      .node("GlobalLpPool", {"X"}, {"Z"}, {integer("p", 3)});
  EXPECT_EQ(g.type("Y"), "float32[N, 3, 1, 1]");
  EXPECT_EQ(g.lowered(), "Y = reduce(loam::reducer::Mean{}, loam::Over<2, 3>{}, X)\n"
                         "Z_powers = map(loam::fn::pow(loam::fn::abs(x0), 3.0f), X)\n"
                         "Z_sums = reduce(loam::reducer::Sum{}, loam::Over<2, 3>{}, Z_powers)\n"
                         "Z = map(loam::fn::pow(x0, 0.33333334f), Z_sums)\n");
}

}  // namespace
}  // namespace loam::nn
