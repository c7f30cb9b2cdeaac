// Resize and Upsample, GridSample and AffineGrid, RoiAlign, MaxUnpool, DeformConv, LRN; and the recurrent layers.
#include <gtest/gtest.h>

#include "tests/operators/nn_graph.hpp"

namespace loam::nn {
namespace {

std::vector<float> floats(std::initializer_list<float> values) { return values; }

TEST(Resize, TakesScales) {
  Graph g(13);
  g.input("X", shape("N", 3, "H", 10)).known("Scales", DType::float32, {4}, floats({1, 1, 2, 0.7f}));
  g.node("Resize", {"X", "", "Scales"}, {"Y"}, {text("mode", "linear")});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[N, 3, 2*H, 7]");
  EXPECT_TRUE(g.one_axis("X", 1, "Y", 1));
  EXPECT_EQ(g.lowered(),
            "Y = resize(loam::Resize{.mode = loam::ResizeMode::Linear, .coordinates = "
            "loam::ResizeCoordinates::HalfPixel, .rounding = "
            "loam::ResizeRounding::RoundPreferFloor, .cubic_coeff_a = -0.75, .extrapolation_value = 0.0, .scales = "
            "{1.0, 1.0, 2.0, "
            "0.699999988079071}}, X)\n");
}

TEST(Resize, TakesSizesThatDependOnLengths) {
  Graph g(18);
  g.input("X", shape("N", 3, "H", "W")).input("Like", shape("M", "K", 5)).list("Axes", {2, 3});
  g.node("Shape", {"Like"}, {"S"}, {integer("start", 1)})
      .node("Resize", {"X", "", "", "S"}, {"Y"},
            {ints("axes", {2, 3}), integer("antialias", 1), text("mode", "cubic")});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[N, 3, K, 5]");
  EXPECT_EQ(g.owed(),
            "H - 1 >= 0: axis H is H and must hold an element to resize\nW - 1 >= 0: axis W is W and must hold an "
            "element to resize\n");
  EXPECT_NE(g.lowered().find(".scales = {1.0, 1.0, double(K) / double(H), double(5) / double(W)}"), std::string::npos)
      << g.lowered();
}

TEST(Resize, KeepsTheAspectRatio) {
  for (const auto& [policy, type] :
       {std::pair("not_larger", "float32[1, 1, 6, 3]"), std::pair("not_smaller", "float32[1, 1, 14, 7]")}) {
    Graph g(18);
    g.input("X", shape(1, 1, 4, 2)).list("Sizes", {6, 7});
    g.node("Resize", {"X", "", "", "Sizes"}, {"Y"}, {ints("axes", {2, 3}), text("keep_aspect_ratio_policy", policy)});
    EXPECT_EQ(g.type("Y"), type);
  }
}

TEST(Resize, BeforeOpset11) {
  Graph g(10);
  g.input("X", shape(1, 1, 4, 4))
      .known("Half", DType::float32, {4}, floats({1, 1, 0.5f, 0.5f}))
      .node("Resize", {"X", "Half"}, {"Y"});
  EXPECT_NE(g.lowered().find("Asymmetric, .rounding = loam::ResizeRounding::Ceil"), std::string::npos);
  Graph h(7);
  h.input("X", shape(1, 1, 4, 4)).node("Upsample", {"X"}, {"Y"}, {attribute("scales", floats({1, 1, 2, 3}))});
  EXPECT_EQ(h.type("Y"), "float32[1, 1, 8, 12]");
  EXPECT_NE(h.lowered().find("Asymmetric, .rounding = loam::ResizeRounding::Floor"), std::string::npos);
}

TEST(Resize, RefusesWhatSaysNoLength) {
  Graph g(13);
  g.input("X", shape(1, 1, 4, 4))
      .known("Two", DType::float32, {2}, floats({2, 2}))
      .known("Zero", DType::float32, {4}, floats({1, 1, 0, 1}));
  g.input("Scales", shape(4));
  g.node("Resize", {"X"}, {"A"})
      .node("Resize", {"X", "", "Two"}, {"B"})
      .node("Resize", {"X", "", "Zero"}, {"C"})
      .node("Resize", {"X", "", "Scales"}, {"D"});
  EXPECT_EQ(g.errors(),
            "A = Resize: is given neither scales nor sizes [operator-form]\n"
            "B = Resize: is given 2 scales, and resizes 4 axes [operator-form]\n"
            "C = Resize: a scale is 0.0, and it must be more than 0 [bad-attribute]\n");
  EXPECT_EQ(g.type("D"), "float32[D_length0, D_length1, D_length2, D_length3]");
}

TEST(GridSample, TakesItsPlacesFromTheGrid) {
  Graph g(20);
  g.input("X", shape("N", 3, "H", "W"))
      .input("Grid", shape("N", "A", "B", 2))
      .node("GridSample", {"X", "Grid"}, {"Y"}, {text("padding_mode", "border")});
  EXPECT_EQ(g.type("Y"), "float32[N, 3, A, B]");
  EXPECT_EQ(g.lowered(), "Y = grid_sample(loam::GridMode::Linear, loam::GridPadding::Border, false, X, Grid)\n");
  Graph h(20);
  h.input("X", shape("N", 3, "H", "W")).input("Grid", shape("N", "A", "B", 3)).node("GridSample", {"X", "Grid"}, {"Y"});
  EXPECT_EQ(h.errors(),
            "Y = GridSample: Grid gives places of 3 coordinates, and X has 2 spatial axes [extent-mismatch]\n");
}

TEST(AffineGrid, IsOneMap) {
  Graph g(20);
  g.input("Theta", shape("N", 2, 3))
      .input("X", shape("N", 3, "H", "W"))
      .node("Shape", {"X"}, {"S"})
      .node("AffineGrid", {"Theta", "S"}, {"Y"});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[N, H, W, 2]");
}

TEST(RoiAlign, ReadsRegions) {
  Graph g(16);
  g.input("X", shape("N", 3, 20, 20)).input("Rois", shape("R", 4)).input("Batch", shape("R"), DType::int64);
  g.node("RoiAlign", {"X", "Rois", "Batch"}, {"Y"},
         {integer("output_height", 5), integer("output_width", 7), integer("sampling_ratio", 2)});
  EXPECT_EQ(g.type("Y"), "float32[R, 3, 5, 7]");
  EXPECT_EQ(g.lowered(),
            "Y = roi_align(loam::RoiAlign{.maximum = false, .half_pixel = true, .sampling_ratio = 2, .spatial_scale = "
            "1.0f}, X, Rois, Batch)\n");
}

TEST(MaxRoiPool, ReadsRegions) {
  Graph g;
  g.input("X", shape("N", 3, "H", "W")).input("Rois", shape("R", 5));
  g.node("MaxRoiPool", {"X", "Rois"}, {"Y"}, {ints("pooled_shape", {2, 4}), number("spatial_scale", 0.25f)});
  EXPECT_EQ(g.type("Y"), "float32[R, 3, 2, 4]");
  EXPECT_TRUE(g.one_axis("X", 1, "Y", 1));
  EXPECT_EQ(g.lowered(), "Y = max_roi_pool(0.25f, X, Rois)\n");
  Graph h;
  h.input("X", shape(1, 1, 4, 4)).input("Rois", shape("R", 4));
  h.node("MaxRoiPool", {"X", "Rois"}, {"Y"}, {ints("pooled_shape", {2, 4})});
  h.node("MaxRoiPool", {"X", "Rois"}, {"Z"}, {ints("pooled_shape", {2, 0})});
  EXPECT_EQ(h.errors(),
            "Y = MaxRoiPool: Rois gives regions of 4 numbers, and the operator reads 5 [extent-mismatch]\n"
            "Z = MaxRoiPool: pooled_shape is no height and width of 1 at least [bad-attribute]\n");
}

TEST(MaxUnpool, CountsInThePoolingsInput) {
  Graph g(11);
  g.input("X", shape(1, 1, 2, 2)).input("I", shape(1, 1, 2, 2), DType::int64).list("Shape", {1, 1, 5, 5});
  g.node("MaxUnpool", {"X", "I"}, {"Y"}, {ints("kernel_shape", {2, 2}), ints("strides", {2, 2})});
  g.node("MaxUnpool", {"X", "I", "Shape"}, {"Z"}, {ints("kernel_shape", {2, 2}), ints("strides", {2, 2})});
  EXPECT_EQ(g.type("Y"), "float32[1, 1, 4, 4]");
  EXPECT_EQ(g.type("Z"), "float32[1, 1, 5, 5]");
  EXPECT_EQ(g.lowered(), "Y = max_unpool({1, 1, 4, 4}, X, I)\nZ = max_unpool({1, 1, 4, 4}, X, I)\n");
}

TEST(DeformConv, MeetsItsOffsets) {
  Graph g(19);
  g.input("X", shape("N", 4, 5, 5)).weight("W", {6, 2, 3, 3}).input("O", shape("N", 36, 3, 3)).weight("B", {6});
  g.node("DeformConv", {"X", "W", "O", "B"}, {"Y"}, {integer("group", 2), integer("offset_group", 2)});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[N, 6, 3, 3]");
  Graph h(19);
  h.input("X", shape("N", 4, 5, 5))
      .weight("W", {6, 4, 3, 3})
      .input("O", shape("N", 20, 3, 3))
      .node("DeformConv", {"X", "W", "O"}, {"Y"});
  EXPECT_EQ(h.errors(), "Y = DeformConv: O has 20 channels, and the operator reads 18 [extent-mismatch]\n");
}

TEST(Lrn, KeepsItsAxes) {
  Graph g;
  g.input("X", shape("N", 4, "H", "W")).node("LRN", {"X"}, {"Y"}, {integer("size", 3), number("alpha", 2e-4f)});
  EXPECT_EQ(g.lowered(), "Y = lrn(3, 0.0002f, 0.75f, 1.0f, X)\n");
}

TEST(Lstm, RunsTheWholeSequence) {
  Graph g(14);
  g.input("X", shape("S", "B", 8)).weight("W", {2, 64, 8}).weight("R", {2, 64, 16}).weight("Bias", {2, 128});
  g.node("LSTM", {"X", "W", "R", "Bias"}, {"Y", "", "C"},
         {text("direction", "bidirectional"), integer("hidden_size", 16), number("clip", 3)});
  EXPECT_EQ(g.errors(), "");
  EXPECT_EQ(g.type("Y"), "float32[S, 2, B, 16]");
  EXPECT_EQ(g.type("C"), "float32[2, B, 16]");
  EXPECT_TRUE(g.one_axis("Y", 3, "R", 2));
  EXPECT_EQ(
      g.lowered(),
      "Y, none, C = lstm(loam::RnnAttributes{.direction = loam::RnnDirection::Bidirectional, .activations = "
      "{{{loam::RnnFunction::Sigmoid}, "
      "{loam::RnnFunction::Tanh}, {loam::RnnFunction::Tanh}, {loam::RnnFunction::Sigmoid}, {loam::RnnFunction::Tanh}, "
      "{loam::RnnFunction::Tanh}}}, .clip = 3.0}, X, W, R, Bias, none, none, none, none)\n");
}

TEST(Gru, StandsItsBatchFirst) {
  Graph g(14);
  g.input("X", shape("B", "S", 8)).weight("W", {1, 48, 8}).weight("R", {1, 48, 16}).input("H", shape("B", 1, 16));
  g.node("GRU", {"X", "W", "R", "", "", "H"}, {"Y", "Yh"}, {integer("layout", 1), integer("linear_before_reset", 1)});
  EXPECT_EQ(g.type("Y"), "float32[B, S, 1, 16]");
  EXPECT_EQ(g.type("Yh"), "float32[B, 1, 16]");
}

TEST(Rnn, RefusesWhatDoesNotFit) {
  Graph g(14);
  g.input("X", shape("S", "B", 8)).weight("W", {1, 16, 8}).weight("R", {1, 16, 16});
  g.node("RNN", {"X", "W", "R"}, {"A"}, {attribute("activations", std::vector<std::string>{"Swish"})});
  g.node("RNN", {"X", "W", "R"}, {"C"}, {integer("hidden_size", 8)});
  g.node("GRU", {"X", "W", "R"}, {"D"});
  EXPECT_EQ(g.errors(), "A = RNN: activations holds Swish, which the operator does not know [bad-attribute]\n"
                        "C = RNN: axis 2 of R is 16, and hidden_size is 8 [extent-mismatch]\n"
                        "D = GRU: axis 1 of W is 16, and 3 gates of R is 48 [extent-mismatch]\n");
}

}  // namespace
}  // namespace loam::nn
