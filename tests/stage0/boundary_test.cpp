// What a graph's boundary says: dim_params, declared outputs, and the options that settle a length.
#include <gtest/gtest.h>

#include "tests/stage0/support.hpp"

namespace loam::test {
namespace {

// The extents of a value after stage 0: "N + 1, 4"; or what is wrong.
std::string extents(const Setting& s, std::string_view name) {
  Diagnostics diagnostics;
  StageZero stage(s.model, s.options, diagnostics);
  const TypedGraph& graph = stage.run();
  std::string text;
  for (const Diagnostic& d : diagnostics.list()) text += d.text() + "\n";
  for (const TypedValue& value : graph.values)
    if (value.name == name && value.type)
      for (const Axis& axis : value.type->axes)
        text += (text.empty() || text.ends_with('\n') ? "" : ", ") + graph.symbols.text(graph.symbols.simplify(axis.extent()));
  for (const Condition& c : graph.body.owed) text += "; " + graph.symbols.text(c.slack) + " >= 0: " + c.site + ": " + c.reason;
  return text;
}

Setting relu(std::string_view axes) {
  Setting s;
  s.input("x", axes).node("Relu", {"x"}, {"y"}).automatic();
  return s;
}

TEST(Boundary, DimParamsAreArithmeticOverNamesThatInputsGive) {
  Setting s = relu("past+seq");
  s.input("p", "past").input("q", "seq").output("y");
  EXPECT_EQ(extents(s, "y"), "past + seq");
  EXPECT_EQ(extents(relu("past+seq").output("y"), "y"), "past+seq");  // one opaque name: no input gives its parts
  EXPECT_EQ(extents(relu("2*(n+1)").output("y"), "y"), "2*n + 2");    // one unknown, and the length tells it
}

TEST(Boundary, DimSettlesANameWhereverItStands) {
  Setting s = relu("past+seq");
  s.input("p", "past").input("q", "seq").output("y");
  s.options.dims = {{"past", 3}};
  EXPECT_EQ(extents(s, "y"), "seq + 3");
  EXPECT_EQ(extents(s, "p"), "3");
  s.options.dims = {{"past", 3}, {"seq", 4}};
  EXPECT_EQ(extents(s, "y"), "7");
}

TEST(Boundary, DimSettlesAWholeSpelling) {
  Setting s = relu("some-length");
  s.output("y");
  s.options.dims = {{"some-length", 5}};
  EXPECT_EQ(extents(s, "y"), "5");
}

TEST(Boundary, DimOfANameTheGraphLacks) {
  Setting s = relu("n");
  s.output("y");
  s.options.dims = {{"m", 5}};
  EXPECT_EQ(s.diagnose(), "--dim m: the graph has no such dimension [bad-option]");
}

TEST(Boundary, AnOutputsDimParamConstrainsNothing) {
  EXPECT_EQ(extents(relu("n").output("y", "m"), "y"), "n");
}

TEST(Boundary, AnOutputsNumberIsOwedByTheInputs) {
  EXPECT_EQ(extents(relu("n").output("y", "4"), "y"),
            "4; n - 4 >= 0: y: axis N is declared 4 and produced n; -n + 4 >= 0: y: axis N is declared 4 and produced n");
}

// A file's author saw one run, and onnxruntime holds no other to it.
TEST(Boundary, AnOutputThatOnlyANodeCountsIsNotOwed) {
  Setting s;
  s.input("x", "n").node("NonZero", {"x"}, {"y"}).output("y", "1 3", DType::int64).automatic();
  EXPECT_EQ(extents(s, "y"), "1, y_count");
}

// The number holds from there on: y is not a product of two lengths.
TEST(Boundary, ALengthOwedToBeANumberIsThatNumber) {
  Setting s;
  s.input("x", "n").weight("w", {4}).node("Add", {"x", "w"}, {"z"});
  s.node("Concat", {"x", "x"}, {"y"}, {attribute("axis", std::int64_t{0})});
  s.output("z").output("y").automatic();
  EXPECT_EQ(extents(s, "y"), "8; n - 4 >= 0: z = Add: axis N is n on the left and 4 on the right; "
                             "-n + 4 >= 0: z = Add: axis N is n on the left and 4 on the right");
}

// Of a product that is owed to be one of its factors, which is not 0, the other is owed to be 1.
TEST(Boundary, AProductThatIsItsFactorLeavesTheOther) {
  Setting s;
  s.input("x", "b n").integers("all", {-1}).node("Reshape", {"x", "all"}, {"flat"});
  s.input("image", "1 1 n").node("MaxPool", {"image"}, {"pooled"}, {attribute("kernel_shape", std::vector<std::int64_t>{2})});
  s.input("v", "n").node("Add", {"flat", "v"}, {"y"}).output("pooled").output("y").automatic();
  EXPECT_EQ(extents(s, "flat"), "n; n - 2 >= 0: pooled = MaxPool: axis N is n and must hold the 2 elements a window reaches over; "
                                "b - 1 >= 0: y = Add: axis (B N) is b*n on the left and n on the right; "
                                "-b + 1 >= 0: y = Add: axis (B N) is b*n on the left and n on the right");
}

// An exporter computes a convolution's length with Div, before the convolution owes what makes it no less than 0.
TEST(Boundary, AQuotientIsRoundedOneWayOnceItsDividendIsNotNegative) {
  Setting s;
  s.input("x", "1 1 n").integers("two", {2}).integers("three", {3}).integers("one", {1});
  s.node("Shape", {"x"}, {"length"}, {attribute("start", std::int64_t{2})}).node("Sub", {"length", "three"}, {"less"});
  s.node("Div", {"less", "two"}, {"half"}).node("Add", {"half", "one"}, {"count"}).node("ConstantOfShape", {"count"}, {"zeros"});
  s.weight("w", {1, 1, 3}).node("Conv", {"x", "w"}, {"y"}, {attribute("strides", std::vector<std::int64_t>{2})});
  s.node("Add", {"y", "zeros"}, {"z"});
  s.output("z").automatic();
  EXPECT_EQ(extents(s, "zeros"),
            "ceil(n / 2) - 1; n - 3 >= 0: y = Conv: axis N is n and must hold the 3 elements a window reaches over");
}

// onnxruntime runs such files and gives what the nodes give.
TEST(Boundary, AnOutputDeclaredPlainlyWrongIsAWarning) {
  EXPECT_EQ(extents(relu("4").output("y", "7"), "y"), "y: axis 0 is declared 7 and produced 4 [extent-mismatch]\n4");
  EXPECT_EQ(extents(relu("4").output("y", "4 1"), "y"), "y: is declared with 2 axes and produced with 1 [rank-mismatch]\n4");
}

TEST(Boundary, AnOutputOfAnotherElementTypeIsAnError) {
  EXPECT_EQ(relu("4").output("y", "4", DType::int64).diagnose(), "y: is declared int64 and produced float32 [element-type]");
}

TEST(Boundary, ASequenceOfMapsIsTheTensorOfTheirValues) {
  const auto of = [](ValueType::Kind kind) {
    ValueType held{.kind = kind, .dtype = DType::int64, .shape = {}, .element = {}};
    Setting s = relu("4 2");
    s.model.opsets.push_back({"ai.onnx.ml", 1});
    s.node("ZipMap", {"y"}, {"z"}, {attribute("classlabels_int64s", std::vector<std::int64_t>{7, 8})}, "ai.onnx.ml");
    s.model.graph.outputs.push_back({"z",
                                     {.kind = ValueType::Kind::sequence,
                                      .dtype = {},
                                      .shape = {},
                                      .element = std::make_shared<const ValueType>(std::move(held))}});
    return s.automatic().diagnose();
  };
  EXPECT_EQ(of(ValueType::Kind::map), "");
  EXPECT_EQ(of(ValueType::Kind::tensor), "z: is declared to be no tensor and is a tensor [operator-form]");
}

TEST(Boundary, AGraphWithNoOutput) {
  EXPECT_EQ(relu("4").diagnose(), "g: the graph has no output [malformed-graph]");
}

TEST(Boundary, AnOutputTheGraphLacks) {
  Setting s = relu("4");
  s.output("y");
  s.options.outputs = {"z"};
  EXPECT_EQ(s.diagnose(), "--output z: the graph has no such output [bad-option]");
}

TEST(Boundary, AnInputWithoutARank) {
  Setting s;
  s.model.graph.inputs.push_back({"x", {.kind = ValueType::Kind::tensor, .dtype = DType::float32, .shape = {}, .element = {}}});
  s.node("Relu", {"x"}, {"y"}).output("y").automatic();
  EXPECT_EQ(s.diagnose(), "x: the graph declares no rank for this input [rank-mismatch]\n  --rank x=N says how many axes it has");
}

}  // namespace
}  // namespace loam::test
