// Sequences and optionals: the build settles them into the tensors they hold.
#include <gtest/gtest.h>

#include "tests/operators/build_graph.hpp"

namespace loam::test {
namespace {

TEST(Sequence, LeavesTheTensorsAlone) {
  GraphBuilder g;
  g.input("x", "N 4").input("y", "N 2").integer("first", 0).integer("last", -1);
  g.node("SequenceConstruct", {"x"}, {"one"})
      .node("SequenceInsert", {"one", "y", "first"}, {"two"})
      .node("SequenceAt", {"two", "last"}, {"back"})
      .node("SequenceErase", {"two", "first"}, {"rest"})
      .node("SequenceLength", {"rest"}, {"length"})
      .node("ConcatFromSequence", {"two"}, {"z"}, {attribute("axis", 1)});
  const Typed t = g.type({"back", "length", "z"});
  EXPECT_EQ(t.errors(), "");
  EXPECT_EQ(t["back"] + ", " + t["z"], "float32 [N, 4], float32 [N, 6]");
  EXPECT_EQ(t.known("length"), "1");
}

TEST(Sequence, SplitsAnOpenLengthIntoPartsTheBuildCounts) {
  GraphBuilder g;
  g.input("x", "N 4").integers("lengths", {1, 3}).integer("second", 1);
  g.node("SplitToSequence", {"x", "lengths"}, {"s"}, {attribute("axis", 1)}).node("SequenceAt", {"s", "second"}, {"z"});
  const Typed t = g.type();
  EXPECT_EQ(t.errors(), "");
  EXPECT_EQ(t["z"], "float32 [N, 3]");
}

TEST(Sequence, RefusesWhatOnlyTheRunKnows) {
  GraphBuilder rows;
  rows.input("x", "N 4").node("SplitToSequence", {"x"}, {"s"}).node("SequenceLength", {"s"}, {"n"});
  EXPECT_NE(rows.type().errors().find("and the build must know into how many parts"), std::string::npos) << rows.type().errors();
  GraphBuilder place;
  place.input("x", "N").input("i", "", DType::int64);
  place.node("SequenceConstruct", {"x", "x"}, {"s"}).node("SequenceAt", {"s", "i"}, {"z"});
  EXPECT_NE(place.type().errors().find("i is computed at run time, and the build must know which position of a sequence is meant"),
            std::string::npos)
      << place.type().errors();
}

TEST(Sequence, RefusesAPositionOutsideIt) {
  GraphBuilder g;
  g.input("x", "N").integer("i", 2);
  g.node("SequenceConstruct", {"x", "x"}, {"s"}).node("SequenceAt", {"s", "i"}, {"z"});
  EXPECT_EQ(g.type().errors(), "z = SequenceAt: position 2 of a sequence of 2 values");
}

TEST(Sequence, IsNoTensor) {
  GraphBuilder g;
  g.input("x", "N").node("SequenceConstruct", {"x"}, {"s"}).node("Neg", {"s"}, {"z"});
  EXPECT_EQ(g.type().errors(), "z = Neg: s is a sequence of 1 value, and the operator takes tensors");
}

TEST(Sequence, GivesItsTensorsAsOutputs) {
  GraphBuilder g;
  g.input("x", "N").input("y", "M").node("SequenceConstruct", {"x", "y"}, {"s"});
  EXPECT_EQ(g.type().errors(), "");
  EXPECT_EQ(g.type().steps(), "");
}

// A graph whose input s, a sequence or an optional of float32 [N], is handed on.
Typed given(ValueType::Kind kind, std::map<std::string, std::int64_t> elements) {
  Model model;
  model.opsets = {{"", 21}};
  ValueType element{.kind = ValueType::Kind::tensor, .dtype = DType::float32, .shape = std::vector<Dimension>{"N"}, .element = {}};
  model.graph.inputs.push_back(
      {"s", {.kind = kind, .dtype = {}, .shape = {}, .element = std::make_shared<ValueType>(std::move(element))}});
  model.graph.nodes.push_back({.name = {}, .op_type = "Identity", .domain = {}, .inputs = {"s"}, .outputs = {"t"},
                               .attributes = {}, .overload = {}});
  model.graph.outputs.push_back({"t", {.kind = ValueType::Kind::undeclared, .dtype = {}, .shape = {}, .element = {}}});
  CompileOptions options;
  options.auto_layout = true;
  options.elements = std::move(elements);
  return Typed(std::move(model), std::move(options));
}

TEST(Sequence, InputIsSettledByElements) {
  const Typed t = given(ValueType::Kind::sequence, {{"s", 2}});
  EXPECT_EQ(t.errors(), "");
  EXPECT_EQ(t["s_0"] + ", " + t["s_1"], "float32 [N_0], float32 [N_1]");  // each as long as it is
  EXPECT_EQ(given(ValueType::Kind::sequence, {}).errors(),
            "s: is a sequence, and the build must know how many values it holds");
  EXPECT_EQ(given(ValueType::Kind::sequence, {{"s", 1}, {"r", 1}}).errors(),
            "--elements r: the graph has no such input that is a sequence or an optional");
}

TEST(Optional, InputHoldsAValueOrNone) {
  EXPECT_EQ(given(ValueType::Kind::optional, {{"s", 1}})["s_0"], "float32 [N]");
  EXPECT_EQ(given(ValueType::Kind::optional, {{"s", 0}}).errors(), "");
  EXPECT_EQ(given(ValueType::Kind::optional, {{"s", 2}}).errors(), "--elements s: is from 0 to 1");
  EXPECT_EQ(given(ValueType::Kind::optional, {}).errors(), "s: is an optional, and the build must know whether it holds a value");
}

}  // namespace
}  // namespace loam::test
