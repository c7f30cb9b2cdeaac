#include "compiler/read/order.hpp"

#include <gtest/gtest.h>

#include "tests/read/read_support.hpp"

namespace loam::test {
namespace {

TEST(Order, sorts_and_leaves_alone_what_is_sorted) {
  const Reading sorted(model(graph({node("B", {"x"}, {"b"}), node("A", {"x"}, {"a"}), node("C", {"a", "b"}, {"c"})},
                                   {"x"}, {"c"})));
  EXPECT_EQ(sorted.nodes(), "B(x)->b A(x)->a C(a,b)->c");
  const Reading unsorted(model(graph({node("C", {"a", "b"}, {"c"}), node("B", {"a"}, {"b"}), node("A", {"x"}, {"a"})},
                                     {"x"}, {"c"})));
  EXPECT_EQ(unsorted.nodes(), "A(x)->a B(a)->b C(a,b)->c");
}

TEST(Order, a_long_chain_backwards) {
  std::vector<Proto> nodes;
  for (int i = 20000; i > 0; --i) nodes.push_back(node("N", {std::to_string(i - 1)}, {std::to_string(i)}));
  const Reading read(model(graph(nodes, {"0"}, {"20000"})));
  ASSERT_TRUE(read.model) << read.errors();
  EXPECT_EQ(read.model->graph.nodes.front().outputs[0], "1");
}

TEST(Order, a_nested_graph_reads_what_is_around_it) {
  const Proto branch = graph({node("Neg", {"late"}, {"t"})}, {}, {"t"});
  const Reading read(model(graph({node("If", {"c"}, {"y"}, {graph_attribute("then_branch", branch)}),
                                  node("Abs", {"x"}, {"late"})},
                                 {"c", "x"}, {"y"})));
  EXPECT_EQ(read.nodes(), "Abs(x)->late If(c)->y");
}

TEST(Order, a_name_defined_again_inside_is_another_value) {
  const Proto branch = graph({node("Neg", {"x"}, {"y"}), node("Abs", {"y"}, {"t"})}, {}, {"t"});
  const Reading read(model(graph({node("If", {"c"}, {"z"}, {graph_attribute("then_branch", branch)}),
                                  node("Abs", {"x"}, {"y"}), node("Abs", {"x"}, {"y_2"})},
                                 {"c", "x"}, {"z"})));
  ASSERT_TRUE(read.model) << read.errors();
  const auto& nested = std::get<std::shared_ptr<const Graph>>(read.model->graph.nodes[0].attributes[0].value);
  EXPECT_EQ(Reading::nodes_of(*nested), "Neg(x)->y_3 Abs(y_3)->t");
}

TEST(Order, reports_undefined_repeated_and_cyclic_values_together) {
  const Reading read(model(graph({node("A", {"nowhere"}, {"a"}), node("B", {"c"}, {"b"}), node("C", {"b"}, {"c"}),
                                  node("D", {"x"}, {"x"}), node("E", {"x"}, {"a"})},
                                 {"x"}, {"a", "gone"})));
  EXPECT_EQ(read.errors(),
            "x: is defined twice: by an input or initializer and by x = D [malformed-graph]\n"
            "a: is defined twice: by a = A and by a = E [malformed-graph]\n"
            "a = A: reads 'nowhere', which nothing defines [malformed-graph]\n"
            "gone: is an output of the graph and nothing defines it [malformed-graph]\n"
            "b = B: is computed from itself: b = B <- c = C <- b = B [malformed-graph]\n");
}

TEST(Order, a_cycle_through_a_nested_graph) {
  const Proto branch = graph({node("Neg", {"y"}, {"t"})}, {}, {"t"});
  const Reading read(model(graph({node("If", {"c"}, {"y"}, {graph_attribute("then_branch", branch)})}, {"c"}, {"y"})));
  EXPECT_EQ(read.errors(), "y = If: is computed from itself: y = If <- y = If [malformed-graph]\n");
}

TEST(Order, what_is_inside_is_not_seen_outside) {
  const Proto branch = graph({node("Neg", {"c"}, {"t"})}, {}, {"t"});
  const Reading read(model(graph({node("If", {"c"}, {"y"}, {graph_attribute("then_branch", branch)}),
                                  node("Abs", {"t"}, {"z"})}, {"c"}, {"z"})));
  EXPECT_EQ(read.errors(), "z = Abs: reads 't', which nothing defines [malformed-graph]\n");
}

TEST(Order, repeated_initializers_and_inputs) {
  const Reading read(model(graph({}, {"x", "x"}, {}, {tensor("w", DType::int8, {0}), tensor("w", DType::int8, {0})})));
  EXPECT_EQ(read.diagnostics.errors(), 2U) << read.errors();
}

}  // namespace
}  // namespace loam::test
