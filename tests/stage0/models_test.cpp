// Layouts of whole models: the demo GPT-2's by hand, and what is proposed for those at hand.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler/compile.hpp"

namespace loam::test {
namespace {

namespace fs = std::filesystem;

const fs::path root = LOAM_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Checked {
  CompileResult result;
  std::string errors;
};

Checked checked(const std::string& bytes, CompileOptions options) {
  Checked c;
  Diagnostics diagnostics;
  CompileInput input;
  input.graph_name = "model.onnx";
  input.graph = std::as_bytes(std::span(bytes));
  c.result = check(input, options, diagnostics);
  for (const Diagnostic& d : diagnostics.list())
    if (d.severity == Severity::error) c.errors += d.text() + "\n";
  return c;
}

Layout parsed(const std::string& text) {
  Diagnostics diagnostics;
  return parse_layout(text, diagnostics).value_or(Layout{});
}

TEST(Models, AtMostTenRulesNameTheDemoGpt2) {
  const std::string graph = read(root / "examples/models/gpt2/decoder_merged.onnx");
  CompileOptions options;
  options.layout = parsed(read(root / "examples/decoder/gpt2.layout.json"));
  ASSERT_FALSE(options.layout.rules.empty());
  EXPECT_LE(options.layout.rules.size(), 10u);
  EXPECT_EQ(checked(graph, options).errors, "");
}

TEST(Models, WellKnownWeightsGiveTheDemoGpt2ItsWords) {
  CompileOptions options;
  options.auto_layout = true;
  const Checked gpt2 = checked(read(root / "examples/models/gpt2/decoder_merged.onnx"), options);
  EXPECT_EQ(gpt2.errors, "");
  ASSERT_GT(gpt2.result.inputs.size(), 3u);
  EXPECT_EQ(gpt2.result.inputs[2].axes, (std::vector<std::string>{"BatchSize", "Head", "PastSequenceLength", "HeadDim"}));
  EXPECT_EQ(gpt2.result.inputs[3].axes, (std::vector<std::string>{"BatchSize", "Head", "PastSequenceLength", "ValueDim"}));
  const std::string layout = print_layout(gpt2.result.proposed_layout);
  for (const char* rule : {R"({"pattern": "m.transformer.wte.weight", "axes": ["Vocab", "Embed"])",
                           R"({"pattern": "m.transformer.h.*.mlp.c_fc.weight", "axes": ["Embed", "Inner"])",
                           R"x({"pattern": "m.transformer.h.*.attn.c_proj.weight", "axes": ["(Head ValueDim)", "Embed"])x"})
    EXPECT_NE(layout.find(rule), std::string::npos) << rule << "\n" << layout;
}

// What `loam layout` writes names every axis, so the graph builds with it alone.
TEST(Models, TheLayoutProposedBuildsAsGiven) {
  std::vector<fs::path> graphs;
  for (const fs::path& folder : {root / "examples/models", fs::path(LOAM_SHARED_DIR) / "models"})
    if (fs::is_directory(folder))
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".onnx") graphs.push_back(entry.path());
  std::size_t tried = 0;
  for (const fs::path& path : graphs) {
    const std::string graph = read(path);
    CompileOptions options;
    options.auto_layout = true;
    const Checked proposed = checked(graph, options);
    if (!proposed.errors.empty()) continue;  // an operator Loam lacks
    ++tried;
    const std::string file = print_layout(proposed.result.proposed_layout);
    options.auto_layout = false;
    options.layout = parsed(file);
    const Checked again = checked(graph, options);
    EXPECT_EQ(again.errors, "") << path;
    ASSERT_EQ(again.result.outputs.size(), proposed.result.outputs.size()) << path;
    for (std::size_t i = 0; i < again.result.outputs.size(); ++i) EXPECT_EQ(again.result.outputs[i].axes, proposed.result.outputs[i].axes) << path;
  }
  EXPECT_GE(tried, 4u);
}

}  // namespace
}  // namespace loam::test
