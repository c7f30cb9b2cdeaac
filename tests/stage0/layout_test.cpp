// How axes get their names: rules, what flows through operators, what is left unnamed, and what is proposed for it.
#include <gtest/gtest.h>

#include "tests/stage0/support.hpp"

namespace loam::test {
namespace {

// x [batch, 4] times w [4, 3].
Setting product() {
  Setting s;
  s.input("x", "batch 4").weight("w", {4, 3}).node("MatMul", {"x", "w"}, {"y"}).output("y");
  return s;
}

TEST(Layout, RulesNameAxesAndNamesFlow) {
  Setting s = product();
  s.rule("x", {"Batch", "In"}).rule("w", {"In", "Out"});
  EXPECT_EQ(s.axes("y"), "Batch, Out");
}

TEST(Layout, ARuleOnAnInputReachesTheWeightItMeets) {
  Setting s = product();
  s.rule("x", {"Batch", "In"}).rule("y", {"_", "Out"});
  EXPECT_EQ(s.axes("w"), "In, Out");
}

TEST(Layout, ADimParamIsTheNameWhereNoRuleGivesOne) {
  Setting s = product();
  s.rule("w", {"In", "Out"});
  EXPECT_EQ(s.axes("x"), "Batch, In");
  s.rule("x", {"Rows", "_"});
  EXPECT_EQ(s.axes("x"), "Rows, In");
}

TEST(Layout, TheFirstRuleThatMatchesWins) {
  Setting s = product();
  s.rule("w", {"First", "Second"}).rule("w*", {"Third", "Fourth"}).rule("?", {"_", "First"});
  EXPECT_EQ(s.axes("w"), "First, Second");
}

TEST(Layout, PatternsAreWildcards) {
  Setting s;
  s.input("x", "batch 4").weight("layers.0.w", {4, 4}).weight("layers.1.w", {4, 4});
  s.node("MatMul", {"x", "layers.0.w"}, {"h"}).node("MatMul", {"h", "layers.1.w"}, {"y"}).output("y");
  s.rule("layers.?.w", {"Width", "Width"});
  EXPECT_EQ(s.axes("y"), "Batch, Width");
}

TEST(Layout, ARuleMayReachOneGraphAlone) {
  Setting s = product();
  s.rule("w", {"Wrong", "Wrong"}, "another").rule("w", {"In", "Out"}, "g");
  EXPECT_EQ(s.axes("w"), "In, Out");
}

TEST(Layout, AMergeIsNamedByItsParts) {
  Setting s;
  s.input("x", "batch 2 3").integers("flat", {0, -1}).weight("w", {6, 5}).node("Reshape", {"x", "flat"}, {"f"});
  s.node("MatMul", {"f", "w"}, {"y"}).output("y");
  s.rule("x", {"_", "Head", "Dim"}).rule("w", {"(Head Dim)", "Out"});
  EXPECT_EQ(s.axes("f"), "Batch, (Head Dim)");
  EXPECT_EQ(s.axes("y"), "Batch, Out");
}

TEST(Layout, ASplitNamesTheWeightBehindIt) {
  Setting s;
  s.input("x", "batch 6").integers("apart", {0, 2, 3}).weight("w", {6, 6}).node("MatMul", {"x", "w"}, {"p"});
  s.node("Reshape", {"p", "apart"}, {"y"}).output("y");
  s.rule("w", {"In", "(Head Dim)"});
  EXPECT_EQ(s.axes("y"), "Batch, Head, Dim");
}

TEST(Layout, PartsThatDoNotFitTheGraphAreAnError) {
  Setting s;
  s.input("x", "batch 6").integers("apart", {0, 2, 3}).node("Reshape", {"x", "apart"}, {"y"}).output("y");
  s.rule("x", {"_", "(A B C)"});
  EXPECT_EQ(s.diagnose(), "x: the layout names an axis (A B C), and the graph makes it of 2 parts [axis-names-meet]");
}

TEST(Layout, ARuleOfAnotherRankIsAnErrorOnTheBoundary) {
  Setting s = product();
  s.rule("w", {"In"}).automatic();
  EXPECT_EQ(s.diagnose(), "w: the layout names 1 axes and the graph gives 2 dimensions [rank-mismatch]");
}

TEST(Layout, TwoNamesThatMeetAreAnErrorWithTheNodesBetween) {
  Setting s;
  s.input("x", "batch 4").weight("w", {4, 4}).weight("b", {4}).node("MatMul", {"x", "w"}, {"p"}).node("Relu", {"p"}, {"r"});
  s.node("Add", {"r", "b"}, {"y"}).output("y");
  s.rule("x", {"Batch", "In"}).rule("w", {"In", "Out"}).rule("b", {"Bias"});
  EXPECT_EQ(s.diagnose(), "b: axis Bias meets axis Out, which w names [axis-names-meet]\n  they are made one by y = Add");
}

TEST(Layout, TheChainOfNodesThatMadeTwoNamesOne) {
  Setting s;
  s.input("x", "n").input("y", "m").input("z", "k").node("Add", {"x", "y"}, {"p"}).node("Add", {"p", "z"}, {"q"}).output("q");
  s.rule("x", {"Rows"}).rule("z", {"Columns"});
  EXPECT_EQ(s.diagnose(), "z: axis Columns meets axis Rows, which x names [axis-names-meet]\n  they are made one by q = Add");
}

TEST(Layout, AnAxisOfOneTakesNoOthersName) {
  Setting s;
  s.input("x", "n 4").weight("b", {1, 4}).node("Add", {"x", "b"}, {"y"}).output("y");
  s.rule("x", {"Rows", "Columns"}).rule("b", {"One", "Columns"});
  EXPECT_EQ(s.axes("y"), "Rows, Columns");
  EXPECT_EQ(s.axes("b"), "One, Columns");
}

TEST(Layout, EveryUnnamedAxisIsOneErrorWithTheTensorsItSpans) {
  Setting s = product();
  EXPECT_EQ(s.diagnose(),
            "x: axis 1 of x, of length 4, has no name; it runs through x, w [axis-unnamed]\n"
            "  a layout rule for any of them names it, such as {\"pattern\": \"x\", \"axes\": [\"_\", \"D4\"]}; `loam layout` writes one for each, "
            "and --layout auto takes them\n"
            "w: axis 1 of w, of length 3, has no name; it runs through w, y [axis-unnamed]\n"
            "  a layout rule for any of them names it, such as {\"pattern\": \"w\", \"axes\": [\"_\", \"D3\"]}; `loam layout` writes one for each, "
            "and --layout auto takes them");
}

TEST(Layout, UnnamedAxesAreNotReportedBesideAnotherError) {
  Setting s = product();
  s.node("NoSuchOperator", {"y"}, {"z"});
  EXPECT_EQ(s.diagnose(), "z = NoSuchOperator: no operator NoSuchOperator is known [unknown-operator]\n  docs/operators.md lists the operators");
}

TEST(Layout, AnOperatorOfOnnxThatIsNoneHereSaysWhy) {
  const auto of = [](std::string op, std::string domain) {
    Setting s = product();
    s.node(std::move(op), {"y"}, {"z"}, {}, std::move(domain));
    return s.diagnose();
  };
  EXPECT_EQ(of("DictVectorizer", "ai.onnx.ml"),
            "z = DictVectorizer: no operator ai.onnx.ml::DictVectorizer is known [unknown-operator]\n"
            "  it takes a map, and a module's inputs are tensors: give the model what it makes of the map");
  EXPECT_EQ(of("ImageDecoder", ""),
            "z = ImageDecoder: no operator ImageDecoder is known [unknown-operator]\n"
            "  it reads the bytes of an image file, and no kernel does: give the model the pixels");
  EXPECT_EQ(of("Adam", "ai.onnx.preview.training"),
            "z = Adam: no operator ai.onnx.preview.training::Adam is known [unknown-operator]\n"
            "  it trains a model, and Loam runs one that is trained");
}

TEST(Layout, StrictLayoutAsksForARuleOnEveryWeight) {
  Setting s = product();
  s.rule("x", {"Batch", "In"}).rule("y", {"_", "Out"});
  s.options.strict_layout = true;
  EXPECT_EQ(s.diagnose(), "w: no layout rule names this tensor's axes, and --strict-layout asks for one [axis-unnamed]");
}

// ---- Proposals ----

TEST(Proposals, WordsForWellKnownWeights) {
  Setting s;
  s.input("ids", "batch seq", DType::int64).weight("m.wte.weight", {11, 4}).weight("m.h.0.mlp.c_fc.weight", {4, 6});
  s.node("Gather", {"m.wte.weight", "ids"}, {"e"}).node("MatMul", {"e", "m.h.0.mlp.c_fc.weight"}, {"y"}).output("y").automatic();
  EXPECT_EQ(s.axes("y"), "Batch, Seq, Inner");
  EXPECT_EQ(s.axes("m.wte.weight"), "Vocab, Embed");
}

TEST(Proposals, YieldToRulesAndDimParams) {
  Setting s;
  s.input("ids", "batch seq", DType::int64).weight("m.wte.weight", {11, 4}).node("Gather", {"m.wte.weight", "ids"}, {"y"}).output("y").automatic();
  s.rule("*wte*", {"_", "Hidden"});
  EXPECT_EQ(s.axes("y"), "Batch, Seq, Hidden");
  EXPECT_EQ(s.axes("m.wte.weight"), "Vocab, Hidden");
}

TEST(Proposals, LayersShareANameAndOtherAxesDoNot) {
  Setting s;
  s.input("x", "batch 4");
  std::string x = "x";
  for (const std::string layer : {"0", "1"}) {
    s.weight("h." + layer + ".c_fc.weight", {4, 6}).weight("h." + layer + ".mlp.c_proj.weight", {6, 4});
    s.node("MatMul", {x, "h." + layer + ".c_fc.weight"}, {"i" + layer}).node("MatMul", {"i" + layer, "h." + layer + ".mlp.c_proj.weight"}, {"o" + layer});
    x = "o" + layer;
  }
  s.weight("other", {4, 6}).node("MatMul", {x, "other"}, {"y"}).output("y").automatic();
  EXPECT_EQ(s.axes("h.0.c_fc.weight"), "Embed, Inner");
  EXPECT_EQ(s.axes("h.1.c_fc.weight"), "Embed, Inner");
  EXPECT_EQ(s.axes("y"), "Batch, D6");
}

TEST(Proposals, TwoAxesOfOneTensorStayTwo) {
  Setting s;
  s.input("x", "batch 4").weight("h.0.w", {4, 4}).weight("h.1.w", {4, 4});
  s.node("MatMul", {"x", "h.0.w"}, {"y"}).node("MatMul", {"y", "h.1.w"}, {"z"}).output("z").automatic();
  EXPECT_EQ(s.axes("h.0.w"), "D4, D4_2");
  EXPECT_EQ(s.axes("h.1.w"), "D4_2, D4_3");
}

TEST(Proposals, NumbersAtTheEndTellApart) {
  Setting s;
  s.input("x", "batch 4").weight("onnx::MatMul_12", {4, 4}).weight("onnx::MatMul_13", {4, 4});
  s.node("MatMul", {"x", "onnx::MatMul_12"}, {"h"}).node("MatMul", {"h", "onnx::MatMul_13"}, {"y"}).output("y").automatic();
  EXPECT_EQ(s.axes("onnx::MatMul_13"), "D4_2, D4_3");
}

TEST(Proposals, TheLayoutProposedHasOneRuleForTheLayers) {
  Setting s;
  s.input("x", "batch 4");
  std::string x = "x";
  for (const std::string layer : {"0", "1", "2"}) {
    s.weight("h." + layer + ".w", {4, 4}).node("MatMul", {x, "h." + layer + ".w"}, {"o" + layer}).node("Add", {"o" + layer, x}, {"r" + layer});
    x = "r" + layer;
  }
  s.output(x).automatic();
  EXPECT_EQ(s.layout(), R"({
  "rules": [
    {"pattern": "x", "axes": ["Batch", "D4"], "comment": "batch, 4"},
    {"pattern": "h.*.w", "axes": ["D4", "D4"], "comment": "4, 4 in 3 tensors"}
  ]
}
)");
}

// A layout file says all that the build took: the same graph with it alone names the same axes.
// [2, 3] and [3, 2] made one axis each, and added.
Setting regrouped() {
  Setting s;
  s.input("x", "2 3").input("y", "3 2").integers("flat", {-1}).node("Reshape", {"x", "flat"}, {"a"}).node("Reshape", {"y", "flat"}, {"b"});
  s.node("Add", {"a", "b"}, {"z"}).output("z");
  return s;
}

TEST(Layout, AxesOfDifferentPartsMeetWhereTheLayoutSaysSo) {
  Setting s = regrouped();
  s.rule("x", {"Row", "Column"}).rule("y", {"Up", "Down"});
  EXPECT_EQ(s.diagnose(),
            "z = Add: axis (Row Column) on the left and axis (Up Down) on the right are made of parts that no regrouping makes one "
            "[axis-names-meet]\n  where they are to meet by their length alone, the layout's \"meets\" lists \"z\"");
  s.options.layout.meets = {"an*", "?"};
  EXPECT_EQ(s.axes("z"), "(Row Column)");
}

TEST(Proposals, TheLayoutProposedSaysWhereAxesMeetByLength) {
  Setting s = regrouped();
  const std::string text = s.automatic().layout();
  EXPECT_NE(text.find("\"meets\": [\"z\"]"), std::string::npos) << text;
  Diagnostics diagnostics;
  s.options.layout = parse_layout(text, diagnostics).value();
  s.options.auto_layout = false;
  EXPECT_EQ(s.diagnose(), "");
}

TEST(Layout, WhatTheMeetsListHoldsIsChecked) {
  const auto first = [](std::string_view json) {
    Diagnostics diagnostics;
    EXPECT_FALSE(parse_layout(json, diagnostics));
    return diagnostics.list().empty() ? "" : diagnostics.list()[0].message;
  };
  EXPECT_EQ(first(R"({"rules": [], "meets": "z"})"), "\"meets\" is not a list");
  EXPECT_EQ(first(R"({"rules": [], "meets": [1]})"), "\"meets\" names a node by what is not a string");
}

TEST(Proposals, TheLayoutProposedBuildsAsGiven) {
  Setting s = product();
  s.automatic();
  const std::string file = s.layout();
  const std::string y = s.axes("y");
  Diagnostics diagnostics;
  const auto layout = parse_layout(file, diagnostics);
  ASSERT_TRUE(layout);
  s.options.layout = *layout;
  s.options.auto_layout = false;
  EXPECT_EQ(s.axes("y"), y);
}

}  // namespace
}  // namespace loam::test
