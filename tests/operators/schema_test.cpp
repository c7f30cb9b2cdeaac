// Nodes that ONNX's schemas refuse: inputs of other element types, attributes of other kinds.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/operators/schema.hpp"
#include "tests/operators/build_graph.hpp"

namespace loam::test {
namespace {

std::string errors_of(std::string op, std::vector<DType> types, std::vector<Attribute> attributes = {},
                      std::int64_t opset = 21) {
  GraphBuilder g(opset);
  std::vector<std::string> inputs;
  for (const DType type : types) {
    inputs.push_back("x" + std::to_string(inputs.size()));
    g.input(inputs.back(), "2", type);
  }
  return g.node(std::move(op), std::move(inputs), {"y"}, std::move(attributes)).type().errors();
}

TEST(Schema, NamesTheTypesThatAnInputMayBeOf) {
  EXPECT_EQ(errors_of("Not", {DType::float32}), "y = Not: x0 is float32, and the operator takes bool");
  EXPECT_EQ(errors_of("Sin", {DType::int32}),
            "y = Sin: x0 is int32, and the operator takes float32, float16, float64");
  EXPECT_EQ(errors_of("Sin", {DType::bfloat16}, {}, 22), "");
  EXPECT_EQ(errors_of("Reshape", {DType::float32, DType::float32}),
            "y = Reshape: x1 is float32, and the operator takes int64");
}

TEST(Schema, IsTheOneOfTheOpset) {
  EXPECT_EQ(errors_of("Equal", {DType::float32, DType::float32}, {}, 7),
            "y = Equal: x0 is float32, and the operator takes int32, int64, bool\n"
            "y = Equal: x1 is float32, and the operator takes int32, int64, bool");
  EXPECT_EQ(errors_of("Equal", {DType::float32, DType::float32}, {}, 11), "");
}

TEST(Schema, HoldsInputsToOneType) {
  EXPECT_EQ(errors_of("Max", {DType::float32, DType::float32, DType::int64}), "y = Max: x0 is float32 and x2 is int64");
  EXPECT_EQ(errors_of("Where", {DType::boolean, DType::float32, DType::float64}),
            "y = Where: x1 is float32 and x2 is float64");
  EXPECT_EQ(errors_of("Pow", {DType::float32, DType::int64}), "");
}

TEST(Schema, HoldsAttributesToTheirKinds) {
  EXPECT_EQ(errors_of("Elu", {DType::float32}, {attribute("alpha", 2)}), "y = Elu: attribute alpha is not a number");
  EXPECT_EQ(errors_of("Elu", {DType::float32}, {attribute("alhpa", 2.0f)}),
            "y = Elu: attribute alhpa is none that the operator takes");
  EXPECT_EQ(errors_of("Concat", {DType::float32}), "y = Concat: attribute axis is absent, and the operator needs it");
}

// What ONNX no longer defines, or never did outside of its experiments, and what onnxruntime only makes itself.
constexpr std::string_view without_schema[] = {"Affine", "Crop", "ImageScaler", "ParametricSoftplus", "Scale",
                                               "ScaledTanh", "SimplifiedLayerNormalization"};

TEST(Schema, IsThereForEveryOperator) {
  for (const Operator* op : operators()) {
    if (std::ranges::find(without_schema, op->name) != std::end(without_schema)) continue;
    // An attribute that none has tells whether there is a schema.
    Node node{.name = {}, .op_type = std::string(op->name), .domain = std::string(op->domain), .inputs = {},
              .outputs = {"y"}, .attributes = {attribute("no_such", 1)}, .overload = {}};
    Model model;
    model.opsets = {{std::string(op->domain), 99}};
    model.graph.nodes.push_back(std::move(node));
    model.graph.outputs.push_back({"y", {.kind = ValueType::Kind::undeclared, .dtype = {}, .shape = {}, .element = {}}});
    Diagnostics diagnostics;
    const CompileOptions options;
    StageZero stage(model, options, diagnostics);
    TypedNode typed;
    typed.node = &model.graph.nodes[0];
    typed.opset = 99;
    EXPECT_FALSE(fits_schema(NodeContext(stage, typed))) << op->name;
  }
}

}  // namespace
}  // namespace loam::test
