#include "compiler/read/functions.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/read/read_support.hpp"

namespace loam::test {
namespace {

Proto call(std::string_view name, const Names& inputs, const Names& outputs, std::vector<Proto> attributes = {}) {
  return node(name, inputs, outputs, std::move(attributes), "f");
}

TEST(Functions, a_body_takes_the_calls_place) {
  const Proto twice = function("f", "Twice", {"a"}, {"b"}, {node("Add", {"a", "a"}, {"t"}), node("Neg", {"t"}, {"b"})});
  const Reading read(model(graph({call("Twice", {"x"}, {"y"}), call("Twice", {"y"}, {"z"}).text(3, "again")},
                                 {"x"}, {"z"}), {twice}));
  EXPECT_EQ(read.nodes(), "Add(x,x)->Twice/t Neg(Twice/t)->y Add(y,y)->again/t Neg(again/t)->z");
}

TEST(Functions, calls_within_a_body_and_names_already_taken) {
  const Proto inner = function("f", "Inner", {"a"}, {"b"}, {node("Neg", {"a"}, {"t"}), node("Abs", {"t"}, {"b"})});
  const Proto outer = function("f", "Outer", {"a"}, {"b"}, {call("Inner", {"a"}, {"t"}), call("Inner", {"t"}, {"b"})});
  const Reading read(model(graph({call("Outer", {"x"}, {"Outer/t"})}, {"x"}, {"Outer/t"}), {outer, inner}));
  EXPECT_EQ(read.nodes(),
            "Neg(x)->Outer/Inner/t Abs(Outer/Inner/t)->Outer/t_2 "
            "Neg(Outer/t_2)->Outer/Inner_2/t Abs(Outer/Inner_2/t)->Outer/t");
}

TEST(Functions, absent_inputs_and_outputs) {
  const Proto clip = function("f", "F", {"a", "lo", "hi"}, {"b", "c"},
                              {node("Clip", {"a", "lo", "hi"}, {"b"}), node("Neg", {"b"}, {"c"})});
  const Reading read(model(graph({call("F", {"x", "", "x"}, {"y"}), call("F", {"x"}, {"", "z"})}, {"x"}, {"y", "z"}),
                           {clip}));
  EXPECT_EQ(read.nodes(), "Clip(x,,x)->y Neg(y)->F/c Clip(x,,)->F_2/b Neg(F_2/b)->z");
}

TEST(Functions, attributes_by_reference_and_by_default) {
  Proto f = function("f", "F", {"a"}, {"b"},
                     {node("Op", {"a"}, {"b"}, {reference("alpha", "given", 2), reference("beta", "defaulted", 2),
                                                reference("gamma", "absent", 2), integer_attribute("own", 4)})});
  f.text(6, "given").text(6, "absent").message(11, integer_attribute("defaulted", 9));
  const Reading read(model(graph({call("F", {"x"}, {"y"}, {integer_attribute("given", 1)}),
                                  call("F", {"x"}, {"z"}, {integer_attribute("defaulted", 2)})},
                                 {"x"}, {"y", "z"}), {f}));
  ASSERT_TRUE(read.model) << read.errors();
  const auto value = [&](std::size_t node, std::string_view name) -> std::int64_t {
    const Attribute* attribute = read.model->graph.nodes[node].attribute(name);
    return attribute == nullptr ? -1 : std::get<std::int64_t>(attribute->value);
  };
  EXPECT_EQ(value(0, "alpha"), 1);
  EXPECT_EQ(value(0, "beta"), 9);
  EXPECT_EQ(value(0, "gamma"), -1);
  EXPECT_EQ(value(0, "own"), 4);
  EXPECT_EQ(value(1, "alpha"), -1);
  EXPECT_EQ(value(1, "beta"), 2);
}

TEST(Functions, a_reference_is_passed_on_to_an_inner_call) {
  const Proto inner = function("f", "Inner", {"a"}, {"b"}, {node("Op", {"a"}, {"b"}, {reference("k", "j", 2)})});
  const Proto outer = function("f", "Outer", {"a"}, {"b"}, {call("Inner", {"a"}, {"b"}, {reference("j", "i", 2)})});
  const Reading read(model(graph({call("Outer", {"x"}, {"y"}, {integer_attribute("i", 5)})}, {"x"}, {"y"}),
                           {inner, outer}));
  ASSERT_TRUE(read.model) << read.errors();
  EXPECT_EQ(std::get<std::int64_t>(read.model->graph.nodes[0].attribute("k")->value), 5);
}

TEST(Functions, nested_graphs_in_a_body_are_renamed_and_expanded) {
  const Proto negate = function("f", "Negate", {"a"}, {"b"}, {node("Neg", {"a"}, {"b"})});
  const Proto branch = graph({node("Abs", {"t"}, {"u"}), call("Negate", {"u"}, {"v"})}, {}, {"v"});
  const Proto choose = function("f", "Choose", {"c", "a"}, {"b"},
                                {node("Exp", {"a"}, {"t"}),
                                 node("If", {"c"}, {"b"}, {graph_attribute("then_branch", branch)})});
  const Reading read(model(graph({call("Choose", {"p", "x"}, {"y"})}, {"p", "x"}, {"y"}), {choose, negate}));
  EXPECT_EQ(read.nodes(), "Exp(x)->Choose/t If(p)->y");
  const auto& nested = std::get<std::shared_ptr<const Graph>>(read.model->graph.nodes[1].attributes[0].value);
  EXPECT_EQ(Reading::nodes_of(*nested), "Abs(Choose/t)->Choose/u Neg(Choose/u)->Choose/v");
  EXPECT_EQ(nested->outputs[0].name, "Choose/v");
}

TEST(Functions, a_call_in_a_nested_graph_and_a_graph_as_an_attribute) {
  const Proto negate = function("f", "Negate", {"a"}, {"b"}, {node("Neg", {"a"}, {"b"})});
  const Proto branch = graph({call("Negate", {"x"}, {"v"})}, {}, {"v"});
  const Proto choose = function("f", "Choose", {"c"}, {"b"},
                                {node("If", {"c"}, {"b"}, {reference("then_branch", "body", 5)})});
  const Reading read(model(graph({call("Choose", {"p"}, {"y"}, {graph_attribute("body", branch)})}, {"p", "x"}, {"y"}),
                           {choose, negate}));
  EXPECT_EQ(read.nodes(), "If(p)->y");
  const auto& nested = std::get<std::shared_ptr<const Graph>>(read.model->graph.nodes[0].attributes[0].value);
  EXPECT_EQ(Reading::nodes_of(*nested), "Neg(x)->v");
}

TEST(Functions, an_output_that_is_an_input_is_copied) {
  const Proto same = function("f", "Same", {"a"}, {"a", "a"}, {});
  const Reading read(model(graph({call("Same", {"x"}, {"y", "z"})}, {"x"}, {"y", "z"}), {same}));
  EXPECT_EQ(read.nodes(), "Identity(x)->y Identity(x)->z");
}

TEST(Functions, overloads) {
  Proto one = function("f", "F", {"a"}, {"b"}, {node("One", {"a"}, {"b"})});
  Proto two = function("f", "F", {"a"}, {"b"}, {node("Two", {"a"}, {"b"})});
  one.text(13, "1");
  two.text(13, "2");
  const Reading read(model(graph({call("F", {"x"}, {"y"}).text(8, "2"), call("F", {"y"}, {"z"}).text(8, "1")},
                                 {"x"}, {"z"}), {one, two}));
  EXPECT_EQ(read.nodes(), "Two(x)->y One(y)->z");
  EXPECT_EQ(Reading(model(graph({call("F", {"x"}, {"y"}).text(8, "3")}, {"x"}, {"y"}), {one})).errors(),
            "y = F: no local function has the overload '3' [malformed-graph]\n");
}

TEST(Functions, opsets) {
  const auto with_opset = [](std::string_view domain, std::int64_t version) {
    Proto f = function("f", "F", {"a"}, {"b"}, {node("Neg", {"a"}, {"b"})});
    f.message(9, opset(domain, version));
    return Reading(model(graph({call("F", {"x"}, {"y"})}, {"x"}, {"y"}), {f}));
  };
  EXPECT_TRUE(with_opset("", 17).model);
  EXPECT_EQ(with_opset("other", 3).model->opset("other"), 3);
  EXPECT_EQ(with_opset("", 13).errors(),
            "f.F: reads the operators of 'ai.onnx' in version 13, and the model in version 17 [unsupported-file]\n");
}

TEST(Functions, refuses_what_contradicts_itself) {
  const auto errors = [](const Proto& f, const Proto& node) {
    return Reading(model(graph({node}, {"x"}, {}), {f})).errors();
  };
  const Proto call_f = call("F", {"x"}, {"y"});
  EXPECT_EQ(errors(function("f", "F", {"a"}, {"b"}, {call("F", {"a"}, {"b"})}), call_f),
            "f.F: calls itself: f.F -> f.F [malformed-graph]\n");
  EXPECT_EQ(errors(function("f", "F", {"a"}, {"b"}, {node("Neg", {"x"}, {"b"})}), call_f),
            "f.F: b = Neg reads 'x', which nothing in the function defines [malformed-graph]\n");
  EXPECT_EQ(errors(function("f", "F", {"a"}, {"b"}, {}), call_f),
            "f.F: its output 'b' is defined by nothing in it [malformed-graph]\n");
  EXPECT_EQ(errors(function("f", "F", {"a"}, {"b"}, {node("Neg", {"a"}, {"a"}), node("Neg", {"a"}, {"b"})}), call_f),
            "f.F: defines 'a' twice [malformed-graph]\n");
  EXPECT_EQ(errors(function("f", "F", {"a"}, {"b"}, {node("Neg", {"a"}, {"b"})}), call("F", {"x", "x"}, {"y"})),
            "y = F: has 2 inputs and 1 outputs, and the function f.F has 1 and 1 [malformed-graph]\n");
  EXPECT_EQ(errors(function("f", "G", {}, {}, {}), node("Neg", {"x"}, {"y"}, {reference("a", "b", 2)})),
            "y = Neg: its attribute a refers to the attribute b of a function, and is in none [malformed-graph]\n");
  const Proto f = function("f", "F", {"a"}, {"b"}, {node("Neg", {"a"}, {"b"})});
  EXPECT_EQ(Reading(model(graph({}, {}, {}), {f, f})).errors(), "f.F: is a local function defined twice [malformed-graph]\n");
}

// Each function calls the next one twice: 2^60 nodes from a file of four kilobytes.
void expect_refused_soon(const Reading& read, std::chrono::steady_clock::time_point start) {
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));  // allows for sanitizers
  EXPECT_FALSE(read.model);
  EXPECT_NE(read.errors().find("[unsupported-file]"), std::string::npos) << read.errors();
}

TEST(Functions, exponential_growth_is_refused_soon) {
  std::vector<Proto> functions;
  for (int i = 0; i < 60; ++i) {
    const std::string next = "F" + std::to_string(i + 1);
    functions.push_back(function("f", "F" + std::to_string(i), {"a"}, {"b"},
                                 {call(next, {"a"}, {"t"}), call(next, {"t"}, {"b"})}));
  }
  functions.push_back(function("f", "F60", {"a"}, {"b"}, {node("Neg", {"a"}, {"b"})}));
  const auto start = std::chrono::steady_clock::now();
  expect_refused_soon(Reading(model(graph({call("F0", {"x"}, {"y"})}, {"x"}, {"y"}), functions)), start);
}

TEST(Functions, exponential_growth_of_nothing_is_refused_soon) {
  std::vector<Proto> functions;
  for (int i = 0; i < 60; ++i) {
    const std::string next = "F" + std::to_string(i + 1);
    functions.push_back(function("f", "F" + std::to_string(i), {}, {}, {call(next, {}, {}), call(next, {}, {})}));
  }
  functions.push_back(function("f", "F60", {}, {}, {}));
  const auto start = std::chrono::steady_clock::now();
  expect_refused_soon(Reading(model(graph({call("F0", {}, {})}, {}, {}), functions)), start);
}

TEST(Functions, exponential_growth_of_a_graph_attribute_is_refused_soon) {
  std::vector<Proto> functions;
  for (int i = 0; i < 40; ++i) {
    const Proto both = graph({node("If", {"c"}, {"p"}, {reference("then_branch", "g", 5)}),
                              node("If", {"c"}, {"q"}, {reference("then_branch", "g", 5)})}, {}, {"p"});
    functions.push_back(function("f", "F" + std::to_string(i), {"c"}, {"b"},
                                 {call("F" + std::to_string(i + 1), {"c"}, {"b"}, {graph_attribute("g", both)})}));
  }
  functions.push_back(function("f", "F40", {"c"}, {"b"}, {node("If", {"c"}, {"b"}, {reference("then_branch", "g", 5)})}));
  const Proto leaf = graph({node("Neg", {"x"}, {"v"})}, {}, {"v"});
  const auto start = std::chrono::steady_clock::now();
  expect_refused_soon(Reading(model(graph({call("F0", {"x"}, {"y"}, {graph_attribute("g", leaf)})}, {"x"}, {"y"}),
                                    functions)), start);
}

TEST(Functions, calls_deeper_than_the_limit_are_refused) {
  std::vector<Proto> functions;
  for (int i = 0; i < 150; ++i)
    functions.push_back(function("f", "F" + std::to_string(i), {"a"}, {"b"},
                                 {call("F" + std::to_string(i + 1), {"a"}, {"b"})}));
  const auto start = std::chrono::steady_clock::now();
  expect_refused_soon(Reading(model(graph({call("F0", {"x"}, {"y"})}, {"x"}, {"y"}), functions)), start);
}

}  // namespace
}  // namespace loam::test
