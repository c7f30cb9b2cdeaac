// ModelProto, GraphProto, NodeProto, AttributeProto and TypeProto.
#include <gtest/gtest.h>

#include "tests/read/read_support.hpp"

namespace loam::test {
namespace {

TEST(Onnx, a_model) {
  Proto file = model(graph({node("Add", {"x", "w"}, {"y"})}, {"x", "w"}, {"y"},
                           {tensor("w", DType::float32, {1}).float32(4, 1.0F)}));
  file.text(2, "maker").message(14, Proto().text(1, "k").text(2, "v"));
  const Reading read(file);
  ASSERT_TRUE(read.model) << read.errors();
  EXPECT_EQ(read.model->ir_version, 8);
  EXPECT_EQ(read.model->producer, "maker");
  EXPECT_EQ(read.model->opset(""), 17);
  EXPECT_EQ(read.model->opset("ai.onnx"), 17);
  EXPECT_EQ(read.model->opset("none"), 0);
  EXPECT_EQ(read.model->metadata, (std::vector<std::pair<std::string, std::string>>{{"k", "v"}}));
  EXPECT_EQ(read.model->graph.name, "g");
  EXPECT_EQ(read.nodes(), "Add(x,w)->y");
  // An input that is also an initializer is a constant.
  ASSERT_EQ(read.model->graph.inputs.size(), 1U);
  EXPECT_EQ(read.model->graph.inputs[0].name, "x");
}

TEST(Onnx, every_kind_of_attribute) {
  const Proto one = tensor("", DType::int8, {1}).packed(5, {1});
  const Proto sparse = Proto()
                           .message(1, tensor("sv", DType::float32, {1}).float32(4, 1.0F))
                           .message(2, tensor("", DType::int64, {1, 2}).packed(7, {1, 2}))
                           .packed(3, {2, 3});
  const Proto type = Proto().message(4, Proto().message(1, Proto().message(1, Proto().integer(1, 1))));
  const Proto nested = graph({node("Neg", {"x"}, {"z"})}, {}, {"z"});
  const Reading read(model(graph(
      {node("Any", {"x"}, {"y"},
            {attribute("f", 1).float32(2, 0.5F), attribute("i", 2).integer(3, -7), attribute("s", 3).text(4, "\xff"),
             attribute("t", 4).message(5, one), attribute("g", 5).message(6, nested),
             attribute("fs", 6).float32(7, 1.0F).float32(7, 2.0F), attribute("is", 7).packed(8, {1, 2}),
             attribute("ss", 8).text(9, "a"), attribute("ts", 9).message(10, one).message(10, one),
             attribute("gs", 10).message(11, nested), attribute("st", 11).message(22, sparse),
             attribute("sts", 12).message(23, sparse), attribute("ty", 13).message(14, type),
             attribute("tys", 14).message(15, type), attribute("zero", 2), attribute("none", 7),
             Proto().text(1, "old").integer(3, 4)})},
      {"x"}, {"y"})));
  ASSERT_TRUE(read.model) << read.errors();
  const Node& any = read.model->graph.nodes[0];
  const auto value = [&](std::string_view name) -> const Attribute::Value& { return any.attribute(name)->value; };
  EXPECT_EQ(std::get<float>(value("f")), 0.5F);
  EXPECT_EQ(std::get<std::int64_t>(value("i")), -7);
  EXPECT_EQ(std::get<std::string>(value("s")), "\xff");
  EXPECT_EQ(std::get<TensorData>(value("t")).dtype, DType::int8);
  EXPECT_EQ(std::get<std::shared_ptr<const Graph>>(value("g"))->nodes.size(), 1U);
  EXPECT_EQ(std::get<std::vector<float>>(value("fs")), (std::vector{1.0F, 2.0F}));
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(value("is")), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(std::get<Names>(value("ss")), Names{"a"});
  EXPECT_EQ(std::get<std::vector<TensorData>>(value("ts")).size(), 2U);
  EXPECT_EQ(std::get<std::vector<std::shared_ptr<const Graph>>>(value("gs")).size(), 1U);
  EXPECT_EQ(std::get<SparseTensorData>(value("st")).dims, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(std::get<std::vector<SparseTensorData>>(value("sts")).size(), 1U);
  EXPECT_EQ(std::get<ValueType>(value("ty")).element->dtype, DType::float32);
  EXPECT_EQ(std::get<std::vector<ValueType>>(value("tys")).size(), 1U);
  EXPECT_EQ(std::get<std::int64_t>(value("zero")), 0);
  EXPECT_TRUE(std::get<std::vector<std::int64_t>>(value("none")).empty());
  EXPECT_EQ(std::get<std::int64_t>(value("old")), 4);  // a file from before attributes had kinds
  EXPECT_EQ(any.attribute("absent"), nullptr);
}

TEST(Onnx, declared_types) {
  Proto shape;
  shape.message(1, Proto().integer(1, 3)).message(1, Proto().text(2, "N")).message(1, Proto());
  const Proto type = Proto().message(1, Proto().integer(1, 10).message(2, shape));
  Proto proto = graph({}, {}, {});
  proto.message(11, value_info("x").message(2, type)).message(11, value_info("u"));
  const Reading read(model(proto));
  ASSERT_TRUE(read.model) << read.errors();
  const ValueType& x = read.model->graph.inputs[0].type;
  EXPECT_EQ(x.kind, ValueType::Kind::tensor);
  EXPECT_EQ(x.dtype, DType::float16);
  EXPECT_EQ(*x.shape, (std::vector<Dimension>{std::int64_t{3}, std::string("N"), std::monostate{}}));
  EXPECT_EQ(read.model->graph.inputs[1].type.kind, ValueType::Kind::undeclared);
}

TEST(Onnx, an_initializer_may_lack_its_data) {
  const Reading read(model(graph({}, {}, {"w"}, {tensor("w", DType::float32, {4})})));
  ASSERT_TRUE(read.model) << read.errors();
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read.model->graph.initializers[0].data));
}

Proto sparse_initializer(std::initializer_list<std::int64_t> indices) {
  const auto count = static_cast<std::int64_t>(indices.size());
  Proto values = tensor("s", DType::int8, {count});
  for (std::int64_t i = 0; i < count; ++i) values.integer(5, i);
  Proto index = tensor("", DType::int64, {count});
  index.packed(7, indices);
  return Proto().message(1, values).message(2, index).packed(3, {2, 3});
}

TEST(Onnx, sparse_initializers) {
  const auto read = [](std::initializer_list<std::int64_t> indices) {
    Proto proto = graph({}, {}, {"s"});
    proto.message(15, sparse_initializer(indices));
    return Reading(model(proto));
  };
  const Reading good = read({0, 5});
  ASSERT_TRUE(good.model) << good.errors();
  EXPECT_EQ(good.model->graph.sparse_initializers[0].first, "s");
  EXPECT_NE(read({0, 6}).errors().find("an index is outside its dims"), std::string::npos);
  EXPECT_NE(read({-1}).errors().find("an index is outside its dims"), std::string::npos);
  EXPECT_NE(read({1, 1}).errors().find("its indices do not ascend"), std::string::npos);
}

TEST(Onnx, refuses_what_is_no_model) {
  EXPECT_EQ(Reading("").errors(),
            "byte 0: the file ends and has held no graph: it is no ONNX model [malformed-file]\n");
  EXPECT_NE(Reading("<html>").errors().find("[malformed-file]"), std::string::npos);
  const Proto twice = model(graph({}, {}, {})).message(7, graph({}, {}, {}));
  EXPECT_NE(Reading(twice).errors().find("ModelProto: field 7 is given twice"), std::string::npos);
}

TEST(Onnx, refuses_what_is_nameless_or_repeated) {
  const auto errors = [](const Proto& graph) { return Reading(model(graph)).errors(); };
  EXPECT_NE(errors(graph({node("", {"x"}, {"y"})}, {"x"}, {"y"})).find("a node names no operator"), std::string::npos);
  EXPECT_NE(errors(graph({}, {""}, {})).find("a declared value has no name"), std::string::npos);
  EXPECT_NE(errors(graph({}, {}, {}, {tensor("", DType::int8, {0})})).find("an initializer has no name"),
            std::string::npos);
  EXPECT_NE(errors(graph({node("A", {}, {"y"}, {Proto().integer(3, 1)})}, {}, {"y"})).find("an attribute has no name"),
            std::string::npos);
  EXPECT_EQ(errors(graph({node("A", {}, {"y"}, {integer_attribute("a", 1), integer_attribute("a", 2)})}, {}, {"y"})),
            "y = A: the attribute a is given twice (byte 19) [malformed-graph]\n");
  EXPECT_NE(errors(graph({node("A", {}, {"y"}, {attribute("a", 5)})}, {}, {"y"})).find("the attribute a has no value"),
            std::string::npos);
  EXPECT_NE(errors(graph({node("A", {}, {"y"}, {attribute("a", 77)})}, {}, {"y"})).find("is of the unknown kind 77"),
            std::string::npos);
  EXPECT_NE(errors(graph({node("A", {"\xff"}, {"y"})}, {}, {"y"})).find("field 1 is text and not UTF-8"),
            std::string::npos);
}

TEST(Onnx, refuses_opsets_that_cannot_be) {
  EXPECT_NE(Reading(model(graph({}, {}, {})).message(8, opset("ai.onnx", 18))).errors().find("versions 17 and 18"),
            std::string::npos);
  EXPECT_NE(Reading(model(graph({}, {}, {})).message(8, opset("z", 0))).errors().find("[opset-out-of-range]"),
            std::string::npos);
}

TEST(Onnx, reports_all_wrong_tensors_but_not_without_end) {
  std::vector<Proto> initializers;
  for (int i = 0; i < 3; ++i) initializers.push_back(tensor("w" + std::to_string(i), DType::int8, {-1}));
  EXPECT_EQ(Reading(model(graph({}, {}, {}, initializers))).diagnostics.errors(), 3U);
  for (int i = 0; i < 1000; ++i) initializers.push_back(tensor("v" + std::to_string(i), DType::int8, {-1}));
  EXPECT_EQ(Reading(model(graph({}, {}, {}, initializers))).diagnostics.errors(), 101U);
}

}  // namespace
}  // namespace loam::test
