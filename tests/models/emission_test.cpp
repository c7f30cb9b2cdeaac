// What is emitted compiles and means what the graph says, whatever its tensors, axes and lengths are called and
// whatever its constants are.
#include <cmath>
#include <limits>
#include <memory>

#include "tests/models/support.hpp"

namespace loam::test {
namespace {

Names split(const std::string& text, char separator) {
  Names parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// Names that C++, the standard library's macros, the generated module or its kernels have a use for, and names that
// become one identifier.
const Names awkward = [] {
  Names names = split(
      "weights|map|class|a.b|a_b|a b|a__b|_a_b_|b|B|T|loam|std|int|float16|NULL|EOF|NAN|INFINITY|M_PIf|INT64_MAX|EIO|"
      "errno|assert|main|forward|prepare|Outputs|Prepared|Weights|Backend|load|embedded|checkpoint|files|loader|w|"
      "expressions|constants|weight_data|activations|arena|at|slack|fault|extent|List|One|Merged|Tensor|Cpu|E1|x0|in|"
      "out|template|and|not_eq|co_await|char8_t|1st|9 "
      "lives|-|::|\"quoted\"|back\\slash|line\nbreak|?\?/|\303\251t\303\251",
      '|');
  const std::string long_name(300, 'n');
  for (const char* differing : {"1", "2"}) names.push_back(long_name + differing + long_name);
  return names;
}();

const auto how_many = static_cast<std::int64_t>(awkward.size());
const float sum = static_cast<float>(how_many * (how_many - 1) / 2);
const Proto start = value("start", DType::float32, "1");

std::string numbered(std::string_view word, std::size_t i) { return std::string(word) + ' ' + std::to_string(i); }
std::vector<float> number(std::size_t i, std::size_t count = 1) {
  return std::vector<float>(count, static_cast<float>(i));
}
// start + name 0 + name 1 + ... = end
std::vector<Proto> chain_of_sums() {
  std::vector<Proto> nodes;
  for (std::size_t i = 0; i < awkward.size(); ++i)
    nodes.push_back(node("Add", {i == 0 ? "start" : numbered("sum", i), awkward[i]},
                         {i + 1 == awkward.size() ? "end" : numbered("sum", i + 1)}));
  return nodes;
}

TEST(Emission, AnyNamesForWeights) {
  std::vector<Proto> weights;
  for (std::size_t i = 0; i < awkward.size(); ++i)
    weights.push_back(data(awkward[i], DType::float32, {2}, number(i, 2)));
  const Build build(graph_of(chain_of_sums(), {start}, {value("end", DType::float32, "2")}, weights),
                    automatic("weights"));
  const Modules modules({&build});
  ASSERT_TRUE(modules);
  EXPECT_EQ(modules.run("weights", {floats({1}, {0})}).get<float>("end"), std::vector(2, sum));
}

TEST(Emission, AnyNamesForInputs) {
  std::vector<Proto> inputs{start};
  std::vector<cli::HostTensor> given{floats({1}, {0})};
  for (std::size_t i = 0; i < awkward.size(); ++i) {
    inputs.push_back(value(awkward[i], DType::float32, "1"));
    given.push_back(floats({1}, number(i)));
  }
  const Build build(graph_of(chain_of_sums(), inputs, {value("end", DType::float32, "1")}), automatic("map"));
  const Modules modules({&build});
  ASSERT_TRUE(modules);
  EXPECT_EQ(modules.run("map", given).get<float>("end"), std::vector{sum});
}

TEST(Emission, AnyNamesForValuesBetweenNodes) {
  std::vector<Proto> nodes;
  for (std::size_t i = 0; i < awkward.size(); ++i)
    nodes.push_back(node("Add", {i == 0 ? "start" : awkward[i - 1], "ones"}, {awkward[i]}));
  nodes.push_back(node("Add", {awkward.back(), "ones"}, {"end"}));
  const Build build(graph_of(nodes, {start}, {value("end", DType::float32, "2")},
                             {data("ones", DType::float32, {2}, std::vector<float>{1, 1})}),
                    automatic("E1"));
  const Modules modules({&build});
  ASSERT_TRUE(modules);
  EXPECT_EQ(modules.run("E1", {floats({1}, {0})}).get<float>("end"), std::vector(2, static_cast<float>(how_many + 1)));
}

TEST(Emission, AnyNamesForOutputs) {
  std::vector<Proto> nodes, outputs, numbers;
  for (std::size_t i = 0; i < awkward.size(); ++i) {
    numbers.push_back(data(numbered("number", i), DType::float32, {1}, number(i)));
    nodes.push_back(node("Add", {"start", numbered("number", i)}, {awkward[i]}));
    outputs.push_back(value(awkward[i], DType::float32, "1"));
  }
  const Build build(graph_of(nodes, {start}, outputs, numbers), automatic("forward"));
  const Modules modules({&build});
  ASSERT_TRUE(modules);
  const auto ran = modules.run("forward", {floats({1}, {0})});
  for (std::size_t i = 0; i < awkward.size(); ++i) EXPECT_EQ(ran.get<float>(awkward[i]), number(i)) << awkward[i];
}

TEST(Emission, AnyNamesForLengths) {
  std::vector<Proto> nodes, inputs, outputs;
  std::vector<cli::HostTensor> given;
  for (std::size_t i = 0; i < awkward.size(); ++i) {
    const Proto shape = Proto().message(1, Proto().text(2, awkward[i]));
    const Proto type = Proto().message(1, Proto().integer(1, 1).message(2, shape));
    inputs.push_back(Proto().text(1, numbered("in", i)).message(2, type));
    nodes.push_back(node("Add", {numbered("in", i), numbered("in", i)}, {numbered("out", i)}));
    outputs.push_back(value(numbered("out", i), DType::float32, "?"));
    given.push_back(floats({static_cast<std::int64_t>(i)}, number(i, i)));
  }
  const Build build(graph_of(nodes, inputs, outputs), automatic("b"));
  const Modules modules({&build});
  ASSERT_TRUE(modules);
  const auto ran = modules.run("b", given);
  EXPECT_EQ(ran.error, "");
  for (std::size_t i = 0; i < awkward.size(); ++i) EXPECT_EQ(ran.get<float>(numbered("out", i)), number(2 * i, i));
}

TEST(Emission, AxisNamesOfALayout) {
  // Each of these can be an axis, or is refused because the module needs the name itself: it never fails to compile.
  const Names axes = split(
      "weights map b B T extent List One Merged Tensor Cpu E1 x0 x y main Weights Outputs Prepared Backend Runner In0 "
      "prepared outputs in out forward loam std class template int64_t NULL EOF errno size_t Site Value isnan "
      "Watch watch progress",
      ' ');
  std::vector<std::unique_ptr<Build>> builds;
  std::vector<const Build*> good;
  std::string refused;
  for (const std::string& axis : axes) {
    CompileOptions options;
    options.module_name = "axis_" + std::to_string(builds.size());
    options.layout.rules = {{.pattern = "x", .axes = {axis}, .graph = {}}};
    builds.push_back(
        std::make_unique<Build>(graph_of({node("Add", {"x", "x"}, {"y"})}, {value("x", DType::float32, "3")},
                                         {value("y", DType::float32, "3")}),
                                options));
    if (builds.back()->errors().empty())
      good.push_back(builds.back().get());
    else
      refused += axis + " ";
  }
  for (const char* needed : {"Weights ", "Outputs ", "Prepared ", "forward ", "class ", "template ", "Watch ", "watch ", "progress "})
    EXPECT_NE(refused.find(needed), std::string::npos) << needed;
  const Modules modules(good);
  ASSERT_TRUE(modules);
  for (const Build* build : good)
    EXPECT_EQ(modules.run(build->result().module_name, {floats({3}, {1, 2, 3})}).get<float>("y"),
              (std::vector<float>{2, 4, 6}))
        << build->header();
}

// An input of each type that is multiplied by, or has added to it, what leaves each constant as it is; and the
// constants alone, as a tensor the module returns.
template <class T>
struct Constants {
  DType dtype;
  const char* op;
  T neutral;
  std::vector<T> values;

  std::string name() const { return "constants_" + std::string(dtype_name(dtype)); }
  Proto graph() const {
    std::vector<Proto> nodes, outputs, initializers;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string k = std::to_string(i);
      initializers.push_back(data("c" + k, dtype, {}, std::vector<T>{values[i]}));
      nodes.push_back(node(op, {"x", "c" + k}, {"y" + k}));
      outputs.push_back(value("y" + k, dtype, "1"));
    }
    initializers.push_back(data("all", dtype, {static_cast<std::int64_t>(values.size())}, values));
    nodes.push_back(node("Identity", {"all"}, {"same"}));
    outputs.push_back(value("same", dtype, std::to_string(values.size())));
    return graph_of(nodes, {value("x", dtype, "1")}, outputs, initializers);
  }
  Build build() const { return Build(graph(), automatic(name())); }
  void expect(const Modules& modules) const {
    const auto ran = modules.run(name(), {host(dtype, {1}, std::vector<T>{neutral})});
    EXPECT_EQ(ran.error, "");
    EXPECT_EQ(bytes_as_text(ran.template get<T>("same")), bytes_as_text(values)) << name();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::vector<T> y = ran.template get<T>("y" + std::to_string(i));
      ASSERT_EQ(y.size(), 1u);
      const bool both_nan = y[0] != y[0] && values[i] != values[i];
      EXPECT_TRUE(both_nan || std::memcmp(&y[0], &values[i], sizeof(T)) == 0)
          << name() << ' ' << +values[i] << " became " << +y[0];
    }
  }
};

template <class T>
Constants<T> float_constants(DType dtype) {
  using limits = std::numeric_limits<T>;
  return {
      dtype,
      "Mul",
      1,
      {limits::infinity(), -limits::infinity(), limits::quiet_NaN(), T(-0.0), T(0), limits::max(), limits::lowest(),
       limits::min(), limits::denorm_min(), -limits::denorm_min(), T(0.1), T(1) / 3, T(16777217), T(-1e-7), T(1e20)}};
}
template <class T>
Constants<T> integer_constants(DType dtype) {
  using limits = std::numeric_limits<T>;
  return {dtype,
          "Add",
          0,
          {limits::min(), limits::max(), static_cast<T>(limits::min() + 1), T(0), static_cast<T>(-1), T(42)}};
}

TEST(Emission, ConstantsSurvive) {
  const auto f32 = float_constants<float>(DType::float32);
  const auto f64 = float_constants<double>(DType::float64);
  const auto i64 = integer_constants<std::int64_t>(DType::int64);
  const auto u64 = integer_constants<std::uint64_t>(DType::uint64);
  const auto i32 = integer_constants<std::int32_t>(DType::int32);
  const auto u32 = integer_constants<std::uint32_t>(DType::uint32);
  const auto i16 = integer_constants<std::int16_t>(DType::int16);
  const auto i8 = integer_constants<std::int8_t>(DType::int8);
  const auto u8 = integer_constants<std::uint8_t>(DType::uint8);
  const Build builds[] = {f32.build(), f64.build(), i64.build(), u64.build(), i32.build(),
                          u32.build(), i16.build(), i8.build(),  u8.build()};
  std::vector<const Build*> all;
  for (const Build& build : builds) all.push_back(&build);
  const Modules modules(all);
  ASSERT_TRUE(modules);
  f32.expect(modules);
  f64.expect(modules);
  i64.expect(modules);
  u64.expect(modules);
  i32.expect(modules);
  u32.expect(modules);
  i16.expect(modules);
  i8.expect(modules);
  u8.expect(modules);
}

TEST(Emission, AttributesSurvive) {
  // Constants that no file holds as a tensor: Constant's attributes, ConstantOfShape's fill, Clip's bounds.
  const auto infinity = std::numeric_limits<float>::infinity();
  const auto lowest = std::numeric_limits<std::int64_t>::min();
  const auto value_float = [](float f) { return attribute("value_float", 1).float32(2, f); };
  const Build build(
      graph_of({node("Constant", {}, {"low"}, {value_float(-infinity)}),
                node("Constant", {}, {"minus zero"}, {value_float(-0.0f)}), node("Max", {"x", "low"}, {"y"}),
                node("Mul", {"x", "minus zero"}, {"z"}),
                node("Constant", {}, {"lowest"}, {integer_attribute("value_int", lowest)}),
                node("Add", {"i", "lowest"}, {"j"}), node("Shape", {"x"}, {"shape"}),
                node("ConstantOfShape", {"shape"}, {"filled"},
                     {attribute("value", 4).message(5, data("", DType::float32, {1}, std::vector<float>{infinity}))})},
               {value("x", DType::float32, "N"), value("i", DType::int64, "1")},
               {value("y", DType::float32, "N"), value("z", DType::float32, "N"), value("j", DType::int64, "1"),
                value("filled", DType::float32, "N")}),
      automatic("attributes"));
  const Modules modules({&build});
  ASSERT_TRUE(modules);
  const auto ran =
      modules.run("attributes", {floats({2}, {3, -infinity}), host(DType::int64, {1}, std::vector<std::int64_t>{0})});
  EXPECT_EQ(ran.get<float>("y"), (std::vector<float>{3, -infinity}));
  EXPECT_TRUE(std::signbit(ran.get<float>("z").at(0)));
  EXPECT_EQ(ran.get<std::int64_t>("j"), std::vector{lowest});
  EXPECT_EQ(ran.get<float>("filled"), (std::vector<float>{infinity, infinity}));
}

// if (flag) x + w, else what is at x's third place, times w.
Proto branches() {
  const Proto then =
      graph_of({node("Add", {"x", "w"}, {"then y"})}, {}, {value("then y", DType::float32, "?")}, {}, "added");
  const Proto otherwise =
      graph_of({node("Gather", {"x", "third"}, {"picked"}), node("Mul", {"picked", "w"}, {"else y"})}, {},
               {value("else y", DType::float32, "?")}, {data("third", DType::int64, {1}, std::vector<std::int64_t>{2})},
               "picked");
  return graph_of(
      {node("If", {"flag"}, {"y"}, {graph_attribute("then_branch", then), graph_attribute("else_branch", otherwise)})},
      {value("flag", DType::boolean, ""), value("x", DType::float32, "N")}, {value("y", DType::float32, "?")},
      {data("w", DType::float32, {1}, std::vector<float>{10})});
}

TEST(Emission, AnIfIsABlockPerBranchAndWeightsAreHeldOnce) {
  const Build build(branches(), automatic("branches"));
  const Modules modules({&build});
  ASSERT_TRUE(modules);
  const auto flag = [](char set) { return host(DType::boolean, {}, std::vector<char>{set}); };
  EXPECT_EQ(modules.run("branches", {flag(1), floats({2}, {1, 2})}).get<float>("y"), (std::vector<float>{11, 12}));
  EXPECT_EQ(modules.run("branches", {flag(0), floats({4}, {1, 2, 3, 4})}).get<float>("y"), (std::vector<float>{30}));

  const std::string header(build.header());
  EXPECT_NE(header.find("  if (b.read(flag_in)) {\n"), std::string::npos) << header;
  EXPECT_NE(header.find("\n  } else {\n"), std::string::npos);
  EXPECT_EQ(header.find("> w;"), header.rfind("> w;", header.find("struct Prepared"))) << "one weight, read in both";
}

TEST(Emission, WhatABranchReliesOnIsCheckedInIt) {
  const Build build(branches(), automatic("branches"));
  const Modules modules({&build});
  ASSERT_TRUE(modules);
  const cli::HostTensor two = floats({2}, {1, 2});
  EXPECT_EQ(modules.run("branches", {host(DType::boolean, {}, std::vector<char>{1}), two}).error, "");
  const std::string refusal = modules.run("branches", {host(DType::boolean, {}, std::vector<char>{0}), two}).error;
  EXPECT_TRUE(refusal.starts_with("picked = Gather: ")) << refusal;
}

TEST(Emission, ALayoutRuleMayNameABranchsGraph) {
  CompileOptions options;
  options.layout.rules = {{.pattern = "x", .axes = {"Item"}, .graph = {}},
                          {.pattern = "else y", .axes = {"Chosen"}, .graph = "picked"},
                          {.pattern = "y", .axes = {"Result"}, .graph = {}}};
  const Build build(branches(), options);
  EXPECT_EQ(build.errors(), "");
  EXPECT_NE(build.header().find("struct Chosen "), std::string_view::npos);
}

TEST(Emission, TextOfTheModelEndsNoComment) {
  const std::string trick = "x\n#error injected\nand more \\";
  const Build build(graph_of({node("Relu", {"x"}, {"y"}).text(3, trick)}, {value("x", DType::float32, "N")},
                             {value("y", DType::float32, "N")}, {}, trick),
                    automatic("comments"));
  const Modules modules({&build});
  EXPECT_TRUE(modules);
}

TEST(Emission, EachCallCarriesItsNodesName) {
  const Build build(graph_of({node("Relu", {"x"}, {"y"}).text(3, "/layer.7/activation")},
                             {value("x", DType::float32, "N")}, {value("y", DType::float32, "N")}));
  EXPECT_NE(build.header().find("  // /layer.7/activation\n"), std::string_view::npos) << build.header();
}

TEST(Emission, IsTheSameEachTime) { EXPECT_EQ(Build(branches()).header(), Build(branches()).header()); }

}  // namespace
}  // namespace loam::test
