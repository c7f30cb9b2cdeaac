// What the report says of a small graph, as text and as JSON.
#include "compiler/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace loam {
namespace {

constexpr std::string_view graph = R"(<ir_version: 9, opset_import: ["" : 21]>
layer (float[N, 4] x, float[4, 4] w, float[4] b) => (float[N, 4] y) <int64[2] shape = {-1, 4}>
{
  product = MatMul (x, w)
  sum = Add (product, b)
  h = Relu (sum)
  wide = Exp (h)
  doubled = Add (wide, h)
  r = Reshape (doubled, shape)
  y = Softmax (r)
}
)";

std::optional<Report> made(bool fuse) {
  CompileInput input{"layer.onnxtext", std::as_bytes(std::span(graph)), {}, {}, {}};
  CompileOptions options;
  options.auto_layout = true;
  options.fuse = fuse;
  Diagnostics diagnostics;
  auto report = loam::report(input, options, diagnostics);
  for (const Diagnostic& d : diagnostics.list())
    if (d.severity == Severity::error) ADD_FAILURE() << d.text();
  return report;
}

std::string fates(const Report& report) {
  std::string text;
  for (const Report::Node& node : report.nodes) {
    text += (text.empty() ? "" : "\n") + node.site + ": " + node.fate;
    for (const std::string& detail : node.details) text += "; " + detail;
  }
  return text;
}

TEST(Report, EveryNodeHasAFateAndAReason) {
  const auto report = made(true);
  ASSERT_TRUE(report);
  EXPECT_EQ(fates(*report),
            "product = MatMul: fused; product goes into doubled = Add and 16*N bytes are not written\n"
            "sum = Add: fused; sum goes into doubled = Add and 16*N bytes are not written\n"
            "h = Relu: fused; h goes into doubled = Add and 16*N bytes are not written\n"
            "wide = Exp: fused; wide goes into doubled = Add and 16*N bytes are not written\n"
            "doubled = Add: computed\n"
            "r = Reshape: aliased\n"
            "y = Softmax: computed");
}

TEST(Report, CountsKernelsBytesAndOperations) {
  const auto report = made(true);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->kernels, (std::map<std::string, std::size_t>{{"matmul_map", 1}, {"softmax", 1}}));
  ASSERT_EQ(report->calls.size(), 2u);
  EXPECT_EQ(report->calls[0].bytes, "32*N + 80");         // x and the result; w and b
  EXPECT_EQ(report->calls[0].operations, "48*N");         // 8 of the product and 4 of the map for each element
  EXPECT_EQ(report->calls[1].operations, "20*N");
}

TEST(Report, MapsWriteInPlace) {
  const auto report = made(false);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->arenas.size(), 1u);
  EXPECT_EQ(report->arenas[0].slots, (std::vector<std::string>{"16*N", "16*N"}));
  EXPECT_EQ(report->arenas[0].typical, report->arenas[0].typical_live);
  ASSERT_EQ(report->buffers.size(), 2u);
  EXPECT_EQ(report->buffers[0].tensors, (std::vector<std::string>{"product", "sum", "h"}));
  EXPECT_EQ(report->buffers[1].tensors, (std::vector<std::string>{"wide", "doubled"}));
}

TEST(Report, TextAndJsonSayTheSame) {
  const auto report = made(true);
  ASSERT_TRUE(report);
  const nlohmann::json json = nlohmann::json::parse(report_json(*report), nullptr, false);
  EXPECT_EQ(json["nodes"].size(), 7u);
  EXPECT_EQ(json["nodes"][5]["fate"], "aliased");
  EXPECT_EQ(json["calls"][0]["operations"], "48*N");
  EXPECT_TRUE(report_text(*report).starts_with(
      "layer: 7 nodes: 2 computed, 4 fused, 1 aliased, 0 folded; 2 kernel calls\n"));
}

}  // namespace
}  // namespace loam
