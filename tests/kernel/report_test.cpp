// What the report says of a small graph, as text and as JSON; and that it explains every node of whole models.
#include "compiler/report.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "compiler/read/model.hpp"

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
            "doubled = Add: computed; doubled is made for y = Softmax: no kernel is matmul_map and softmax at once\n"
            "r = Reshape: aliased; is doubled where it lies: reshaped\n"
            "y = Softmax: computed; y is returned");
  for (const Report::Node& node : report->nodes) EXPECT_EQ(node.into.has_value(), node.fate == "fused") << node.site;
  EXPECT_EQ(report->nodes[0].into, 4u);  // the product's host is the map that its sums go on into
  EXPECT_EQ(report->nodes[0].saved, "16*N");
  EXPECT_EQ(report->saved, "64*N");
}

TEST(Report, CountsKernelsBytesAndOperations) {
  const auto report = made(true);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->kernels, (std::map<std::string, std::size_t>{{"matmul_map", 1}, {"softmax", 1}}));
  ASSERT_EQ(report->calls.size(), 2u);
  EXPECT_EQ(report->calls[0].bytes, "32*N + 80");  // x and the result; w and b
  EXPECT_EQ(report->calls[0].written, "16*N");
  EXPECT_EQ(report->nodes[4].calls, (std::vector<std::size_t>{0}));
  EXPECT_EQ(report->calls[0].operations, "48*N");  // 8 of the product and 4 of the map for each element
  EXPECT_EQ(report->calls[1].operations, "20*N");
  ASSERT_EQ(report->totals.size(), 1u);
  EXPECT_EQ(report->totals[0].bytes, "64*N + 80");
  EXPECT_EQ(report->totals[0].operations, "68*N");
}

TEST(Report, MapsWriteInPlace) {
  const auto report = made(false);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->arenas.size(), 1u);
  EXPECT_EQ(report->arenas[0].slots, (std::vector<std::vector<std::string>>{{"16*N"}, {"16*N"}}));
  EXPECT_EQ(report->arenas[0].typical, report->arenas[0].typical_live);
  ASSERT_EQ(report->buffers.size(), 2u);
  EXPECT_EQ(report->buffers[0].tensors, (std::vector<std::string>{"product", "sum", "h"}));
  EXPECT_EQ(report->buffers[1].tensors, (std::vector<std::string>{"wide", "doubled"}));
  EXPECT_EQ(std::pair(report->buffers[0].first, report->buffers[0].last),
            std::pair(0ul, 4ul));  // the product to the last Add
  EXPECT_EQ(std::pair(report->buffers[1].first, report->buffers[1].last), std::pair(3ul, 5ul));
}

TEST(Report, TextAndJsonSayTheSame) {
  const auto report = made(true);
  ASSERT_TRUE(report);
  const nlohmann::json json = nlohmann::json::parse(report_json(*report), nullptr, false);
  EXPECT_EQ(json["nodes"].size(), 7u);
  EXPECT_EQ(json["nodes"][5]["fate"], "aliased");
  EXPECT_EQ(json["calls"][0]["operations"], "48*N");
  EXPECT_EQ(json["tensors"][json["nodes"][4]["outputs"][0].get<std::size_t>()]["type"], "float32[N, D4_2 = 4]");
  EXPECT_EQ(json["sizes"]["48*N"], nlohmann::json::parse("[0, [48, 0]]"));
  EXPECT_EQ(json["symbols"]["0"]["name"], "N");
  EXPECT_TRUE(report_text(*report).starts_with(
      "layer: 7 nodes: 2 computed, 4 fused, 1 aliased\n2 calls of 2 kernels\n"
      "2 calls read and write 64*N + 80 (6.48 k where lengths are 100) bytes, and do 68*N (6.8 k where lengths are "
      "100) operations\n"
      "64*N (6.4 k where lengths are 100) bytes are not written, being handed on within a kernel\n"));
}

Report of_text(std::string_view text, const CompileOptions& options) {
  CompileInput input{"g.onnxtext", std::as_bytes(std::span(text)), {}, {}, {}};
  Diagnostics diagnostics;
  auto report = loam::report(input, options, diagnostics);
  for (const Diagnostic& d : diagnostics.list())
    if (d.severity == Severity::error) ADD_FAILURE() << d.text();
  return report ? std::move(*report) : Report();
}

// The branches' values and nodes carry the same names: one is fused, the other is not.
TEST(Report, BranchesOfTheSameNamesAreToldApart) {
  CompileOptions options;
  options.auto_layout = true;
  const Report report = of_text(R"(<ir_version: 9, opset_import: ["" : 21]>
g (bool c, float[N, 4] x, float[4, 4] w) => (float[N, 4] y)
{
  y = If (c) <then_branch = t () => (float[N, 4] r) { p = MatMul (x, w) r = Relu (p) },
              else_branch = e () => (float[N, 4] r) { p = Exp (x) s = Softmax (p) r = Relu (s) }>
}
)",
                                options);
  EXPECT_EQ(fates(report),
            "y = If: computed; one of its blocks runs\n"
            "p = MatMul: fused; p goes into r = Relu and 16*N bytes are not written\n"
            "r = Relu: computed; r is made for y = If: what decides the run's course reads it\n"
            "p = Exp: computed; p is made for s = Softmax: no kernel is map and softmax at once\n"
            "s = Softmax: computed; s is made for r = Relu: no kernel is softmax and map at once\n"
            "r = Relu: computed; r is made for y = If: what decides the run's course reads it");
  ASSERT_EQ(report.totals.size(), 3u);
  EXPECT_EQ(report.totals[1].where, "y = If, then");
  EXPECT_EQ(report.totals[1].calls, 1u);
  EXPECT_EQ(report.totals[2].calls, 3u);
  ASSERT_EQ(report.blocks.size(), 3u);
  EXPECT_EQ(report.blocks[2].name, "else_branch");
  EXPECT_EQ(report.nodes[1].into, 2u);
  EXPECT_EQ(report.nodes[5].block, 2u);
}

TEST(Report, WhatTheBuildKnowsAndWhatNothingReads) {
  CompileOptions options;
  options.auto_layout = true;
  options.outputs = {"y"};
  const Report report = of_text(R"(<ir_version: 9, opset_import: ["" : 21]>
g (float[N, 4] x) => (float[M] y, float[N, 4] z)
{
  s = Shape (x)
  minus = Constant <value_ints = [-1]> ()
  yes = Constant <value = bool {1}> ()
  unused = Exp (x)
  r = If (yes) <then_branch = t () => (float[N, 4] a) { a = Relu (x) },
                else_branch = e () => (float[N, 4] b) { b = Exp (x) }>
  y = Reshape (r, minus)
  twice = Add (s, s)
  z = Neg (x)
}
)",
                                options);
  EXPECT_EQ(fates(report),
            "minus = Constant: folded; the build knows minus: [-1]\n"
            "yes = Constant: folded; the build knows yes: [1]\n"
            "r = If: aliased; is what it is given, as it is\n"
            "a = Relu: computed; a is returned\n"
            "b = Exp: unread; no run comes here\n"
            "y = Reshape: aliased; is r where it lies: reshaped\n"
            "s = Shape: unread; no output that is asked for reads it\n"
            "unused = Exp: unread; no output that is asked for reads it\n"
            "twice = Add: unread; no output that is asked for reads it\n"
            "z = Neg: unread; no output that is asked for reads it");
}

TEST(Report, APagesTextsEndNoElement) {
  Report report;
  report.module_name = "</title>&";
  report.nodes.push_back({});
  report.nodes[0].name = "</script><script>@style@ \u2028";
  const std::string page = report_html(report);
  const auto count = [&](std::string_view what) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = page.find(what, at)) != page.npos; at += what.size()) ++n;
    return n;
  };
  EXPECT_EQ(count("</script"), 2u);  // of the data and of the program
  EXPECT_EQ(count("</title"), 1u);
  EXPECT_EQ(count("@style@"), 1u);  // what the name says is not replaced
  EXPECT_EQ(page.find("://"), page.npos);
  const std::size_t data = page.find("id=\"report\">") + 12;
  const auto json = nlohmann::json::parse(page.substr(data, page.find("</script", data) - data), nullptr, false);
  EXPECT_EQ(json["nodes"][0]["name"], report.nodes[0].name);
}

// ---- Whole models ----

namespace fs = std::filesystem;

std::string file_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::size_t count_nodes(const Graph& of) {
  std::size_t n = of.nodes.size();
  for (const Node& node : of.nodes)
    for (const Attribute& a : node.attributes)
      if (const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&a.value)) n += count_nodes(**inner);
  return n;
}

Polynomial written(const Report& report) {
  Polynomial n = 0;
  for (const Report::Total& total : report.totals) n = n + report.sizes.at(total.written);
  return n;
}

// Each node has one fate and a reason, and what fusing is said to save is what is no longer written.
void expect_explained(const fs::path& path) {
  SCOPED_TRACE(path.string());
  const std::string text = file_text(path);
  ASSERT_FALSE(text.empty());
  const CompileInput input{path.filename().string(), std::as_bytes(std::span(text)), {}, {}, {}};
  CompileOptions options;
  options.auto_layout = true;
  Diagnostics diagnostics;
  const auto model = read_model(input.graph_name, input.graph, diagnostics);
  const auto report = loam::report(input, options, diagnostics);
  options.prepare = false;
  const auto fused = loam::report(input, options, diagnostics);
  options.fuse = false;
  const auto apart = loam::report(input, options, diagnostics);
  ASSERT_TRUE(model && report && fused && apart) << (diagnostics.list().empty() ? "" : diagnostics.list()[0].text());

  EXPECT_EQ(report->nodes.size(), count_nodes(model->graph));
  std::size_t calls = 0;
  Polynomial saved = 0;
  for (std::size_t n = 0; n < report->nodes.size(); ++n) {
    const Report::Node& node = report->nodes[n];
    SCOPED_TRACE(node.site + ": " + node.fate);
    EXPECT_FALSE(node.details.empty());
    EXPECT_EQ(node.into.has_value(), node.fate == "fused");
    if (node.into) {
      EXPECT_NE(*node.into, n);
      EXPECT_TRUE(report->nodes[*node.into].fate == "computed" || report->nodes[*node.into].fate == "prepared");
      EXPECT_FALSE(node.saved.empty());
    }
    const bool control = std::ranges::any_of(report->blocks, [&](const Report::Block& b) { return b.node == n; });
    if (node.fate == "computed")
      EXPECT_TRUE(control || !node.calls.empty());
    else
      EXPECT_TRUE(node.calls.empty());
    calls += node.calls.size();
    if (!node.saved.empty()) saved = saved + report->sizes.at(node.saved);
  }
  EXPECT_EQ(saved, report->sizes.at(report->saved));
  EXPECT_EQ(calls, report->calls.size());
  EXPECT_EQ(written(*apart) - written(*fused), fused->sizes.at(fused->saved));
  for (const Report::Buffer& b : report->buffers) EXPECT_LE(b.first, b.last);
  for (const Report::Arena& arena : report->arenas) EXPECT_LE(arena.typical_live, arena.typical);
}

TEST(Report, ExplainsEveryNodeOfTheExamples) {
  const fs::path root = LOAM_SOURCE_DIR "/examples";
  for (const char* model : {"mlp/mlp.onnx", "mnist/digits.onnx", "half/edges.onnx", "models/gpt2/decoder.onnx",
                            "models/gpt2/decoder_with_past.onnx", "models/gpt2/decoder_merged.onnx"})
    expect_explained(root / model);
}

TEST(Report, ExplainsEveryNodeOfRealArchitectures) {
  const fs::path zoo = fs::path(LOAM_SHARED_DIR) / "models/zoo";
  if (!fs::exists(zoo)) GTEST_SKIP() << zoo << " is not there";
  for (const fs::directory_entry& model : fs::directory_iterator(zoo)) expect_explained(model.path() / "model.onnx");
}

}  // namespace
}  // namespace loam
