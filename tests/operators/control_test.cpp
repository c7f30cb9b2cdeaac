// Control flow: If and Scan.
#include <gtest/gtest.h>

#include "tests/operators/build_graph.hpp"

namespace loam::test {
namespace {

// A subgraph of one node; its inputs carry no types.
Attribute subgraph(std::string name, std::vector<std::string> inputs, std::string op, std::vector<std::string> reads,
                   std::string output) {
  Graph graph;
  graph.name = name;
  const ValueType undeclared{.kind = ValueType::Kind::undeclared, .dtype = {}, .shape = {}, .element = {}};
  for (std::string& input : inputs) graph.inputs.push_back({std::move(input), undeclared});
  graph.outputs.push_back({output, undeclared});
  graph.nodes.push_back({.name = {}, .op_type = std::move(op), .domain = {}, .inputs = std::move(reads),
                         .outputs = {std::move(output)}, .attributes = {}, .overload = {}});
  return attribute(std::move(name), Attribute::Value(std::make_shared<const Graph>(std::move(graph))));
}

GraphBuilder either_rank() {
  GraphBuilder g;
  g.input("c", "", DType::boolean).input("x", "N").input("a", "").input("b", "1 1");
  g.node("If", {"c"}, {"s"},
         {subgraph("then_branch", {}, "Neg", {"a"}, "p"), subgraph("else_branch", {}, "Neg", {"b"}, "q")});
  return g;
}

TEST(If, GivesOneElementUnderAnyNumberOfAxes) {
  const Typed t = either_rank().input("y", "M N").node("Neg", {"s"}, {"n"}).node("Mul", {"n", "y"}, {"z"}).type();
  EXPECT_EQ(t.errors(), "");
  EXPECT_EQ(t["s"] + ", " + t["z"], "float32 [1, 1], float32 [M, N]");
}

TEST(If, RefusesWhereTheNumberOfAxesMatters) {
  const std::string varies = "s has as many axes as the branch that the run takes gives it, and what reads it here "
                             "needs to know how many";
  EXPECT_EQ(either_rank().node("Shape", {"s"}, {"z"}).type().errors(), "z = Shape: " + varies);
  EXPECT_EQ(either_rank().type().errors(), "s: " + varies);
  // Two axes, or the one of x.
  EXPECT_EQ(either_rank().node("Mul", {"s", "x"}, {"z"}).type().errors(), "z" + (": z" + varies.substr(1)));
}

TEST(Scan, OfOpset8HasABatchAxis) {
  GraphBuilder g(8);
  g.input("s", "B 2").input("x", "B S 2");
  const Attribute body = subgraph("body", {"before", "row"}, "Add", {"before", "row"}, "after");
  g.node("Scan", {"", "s", "x"}, {"y"}, {attribute("num_scan_inputs", 1), body});
  const Typed t = g.type();
  EXPECT_EQ(t.errors(), "");
  EXPECT_EQ(t["y"], "float32 [B, 2]");
  EXPECT_EQ(t.steps(), "control");
  GraphBuilder lengths(8);
  lengths.input("l", "B", DType::int64).input("s", "B 2").input("x", "B S 2");
  lengths.node("Scan", {"l", "s", "x"}, {"y"}, {attribute("num_scan_inputs", 1), body});
  EXPECT_EQ(lengths.type().errors(), "");
  EXPECT_EQ(lengths.type()["y"], "float32 [B, 2]");
  GraphBuilder wrong(8);
  wrong.input("l", "B 2", DType::int64).input("s", "B 2").input("x", "B S 2");
  wrong.node("Scan", {"l", "s", "x"}, {"y"}, {attribute("num_scan_inputs", 1), body});
  EXPECT_EQ(wrong.type().errors(), "y = Scan: l has 2 axes, and the operator takes 1");
}

}  // namespace
}  // namespace loam::test
