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
            "n; n - 4 >= 0: y: axis N is declared 4 and produced n; -n + 4 >= 0: y: axis N is declared 4 and produced n");
}

// onnxruntime runs such files and gives what the nodes give.
TEST(Boundary, AnOutputDeclaredPlainlyWrongIsAWarning) {
  EXPECT_EQ(extents(relu("4").output("y", "7"), "y"), "y: axis 0 is declared 7 and produced 4 [extent-mismatch]\n4");
  EXPECT_EQ(extents(relu("4").output("y", "4 1"), "y"), "y: is declared with 2 axes and produced with 1 [rank-mismatch]\n4");
}

TEST(Boundary, AnOutputOfAnotherElementTypeIsAnError) {
  EXPECT_EQ(relu("4").output("y", "4", DType::int64).diagnose(), "y: is declared int64 and produced float32 [element-type]");
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
  EXPECT_EQ(s.diagnose(), "x: the graph declares no rank for this input [rank-mismatch]");
}

}  // namespace
}  // namespace loam::test
