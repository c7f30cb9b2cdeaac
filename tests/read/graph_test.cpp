// What the graph's plain types and the diagnostics do by themselves.
#include "compiler/graph/graph.hpp"

#include <gtest/gtest.h>

#include <set>

#include "compiler/diagnostic.hpp"

namespace loam::test {
namespace {

TEST(Diagnostic, text) {
  Diagnostic diagnostic{Severity::error, Code::axis_names_meet, "w", "Embed meets Vocab", "name one"};
  EXPECT_EQ(diagnostic.text(), "w: Embed meets Vocab [axis-names-meet]\n  name one");
  diagnostic.site.clear();
  diagnostic.note.clear();
  EXPECT_EQ(diagnostic.text(), "Embed meets Vocab [axis-names-meet]");
}

TEST(Diagnostic, codes_have_names_and_explanations_of_their_own) {
  std::set<std::string_view> names;
  for (const CodeInfo& code : all_codes()) {
    EXPECT_TRUE(names.insert(code.name).second) << code.name;
    EXPECT_EQ(code.name.find('_'), std::string_view::npos);
    EXPECT_FALSE(code.summary.empty());
    EXPECT_FALSE(code.explanation.empty());
    EXPECT_EQ(&info(code.code), &code);
  }
}

TEST(Diagnostic, a_repetition_is_dropped) {
  Diagnostics diagnostics;
  diagnostics.warning(Code::internal, "a", "m");
  EXPECT_FALSE(diagnostics.failed());
  diagnostics.error(Code::internal, "a", "m");
  diagnostics.error(Code::internal, "a", "m");
  diagnostics.error(Code::internal, "a", "n");
  EXPECT_EQ(diagnostics.list().size(), 3U);
  EXPECT_EQ(diagnostics.errors(), 2U);
}

TEST(DTypes, sizes_and_names) {
  EXPECT_EQ(dtype_name(DType::boolean), "bool");
  EXPECT_EQ(dtype_cpp(DType::float32), "float");
  EXPECT_EQ(dtype_cpp(DType::float16), "loam::float16");
  EXPECT_EQ(dtype_bits(DType::int4), 4);
  EXPECT_EQ(dtype_bits(DType::complex128), 128);
  EXPECT_EQ(dtype_bits(DType::string), 0);
  EXPECT_TRUE(is_integer(DType::uint4));
  EXPECT_FALSE(is_integer(DType::boolean));
  EXPECT_TRUE(is_signed(DType::bfloat16));
  EXPECT_FALSE(is_signed(DType::uint8));
  EXPECT_TRUE(is_float(DType::float8e8m0));
  EXPECT_EQ(dtype_from_onnx(26), DType::int2);
  EXPECT_EQ(dtype_from_onnx(0), std::nullopt);
  EXPECT_EQ(dtype_from_onnx(27), std::nullopt);
  EXPECT_EQ(dtype_from_safetensors("BF16"), DType::bfloat16);
  EXPECT_EQ(dtype_from_safetensors(""), std::nullopt);
  for (int i = 1; i < 27; ++i) {
    const auto type = static_cast<DType>(i);
    if (dtype_to_safetensors(type).empty()) continue;
    EXPECT_EQ(dtype_from_safetensors(dtype_to_safetensors(type)), type) << dtype_name(type);
  }
}

TEST(DTypes, counts) {
  using Dims = std::vector<std::int64_t>;
  EXPECT_EQ(element_count(Dims{}), 1);
  EXPECT_EQ(element_count(Dims{2, 3}), 6);
  EXPECT_EQ(element_count(Dims{2, 0}), 0);
  EXPECT_EQ(element_count(Dims{-1}), std::nullopt);
  EXPECT_EQ(element_count(Dims{std::int64_t{1} << 62, 2}), std::nullopt);
  EXPECT_EQ(element_count(Dims{std::int64_t{1} << 62, 2, 0}), std::nullopt);
  EXPECT_EQ(dense_bytes(DType::int4, 3), 2U);
  EXPECT_EQ(dense_bytes(DType::uint2, 5), 2U);
  EXPECT_EQ(dense_bytes(DType::float32, 3), 12U);
  EXPECT_EQ(dense_bytes(DType::float64, std::int64_t{1} << 62), std::nullopt);
  EXPECT_EQ(dense_bytes(DType::string, 1), std::nullopt);
}

TEST(Graph, sites) {
  Node node;
  node.op_type = "Add";
  EXPECT_EQ(node.site(), "Add");
  node.outputs = {"", "y"};
  EXPECT_EQ(node.site(), "y = Add");
}

TEST(Graph, opsets) {
  Model model;
  EXPECT_EQ(model.opset(""), 1);
  EXPECT_EQ(model.opset("com.microsoft"), 0);
  model.opsets = {{"", 13}, {"com.microsoft", 2}};
  EXPECT_EQ(model.opset("ai.onnx"), 13);
  EXPECT_EQ(model.opset("com.microsoft"), 2);
}

}  // namespace
}  // namespace loam::test
