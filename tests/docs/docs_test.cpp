// What the pages say is so: what README shows of generated code and errors, and where links and paths lead. The other
// files here have the pages that tests write.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "tests/docs/pages.hpp"

namespace loam::test {
namespace {

std::vector<fs::path> pages() {
  std::vector<fs::path> pages{root / "README.md", root / "CONTRIBUTING.md"};
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  return pages;
}

TEST(Docs, LinksLeadToFiles) {
  static const std::regex link(R"(\]\(([^)#:]+)\))");  // no other host's
  for (const fs::path& page : pages()) {
    const std::string text = read(page);
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it)
      EXPECT_TRUE(fs::exists(page.parent_path() / (*it)[1].str())) << page << ": " << (*it)[1];
  }
}

// A path from the root, or from compiler/ without its files' endings, where it is no pattern.
TEST(Docs, PathsAreThere) {
  static const std::regex path(
      R"([\s`(]((compiler|ops|runtime|text|cli|cmake|tests|bench|examples|tools|docs|web)/[\w./-]*|)"
      R"((graph|read|shape|stage0|operators|kernel|emit)/[\w./-]*)(?=[\s`),;:]))");
  int found = 0;
  for (const fs::path& page : pages()) {
    const std::string text = read(page);
    for (std::sregex_iterator it(text.begin(), text.end(), path), end; it != end; ++it, ++found) {
      std::string name = (*it)[1];
      if (name.ends_with('.')) name.pop_back();
      const fs::path base = (*it)[2].matched ? root : root / "compiler";
      EXPECT_TRUE(fs::exists(base / name) || fs::exists(base / (name + ".cpp"))) << page << ": " << name;
    }
  }
  EXPECT_GT(found, 20);
}

TEST(Docs, ReadmeListsTheSubcommands) {
  static const std::regex subcommand(R"re(add_subcommand\(\s*"([a-z]+)")re");
  const std::string readme = read(root / "README.md");
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "cli")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = read(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), subcommand), end; it != end; ++it)
      EXPECT_NE(readme.find("| `loam " + (*it)[1].str() + ' '), std::string::npos) << (*it)[1];
  }
}

struct Compiled {
  CompileResult result;
  Diagnostics diagnostics;

  std::string errors() const {
    std::string text;
    for (const Diagnostic& d : diagnostics.list()) text += "error: " + d.text() + "\n";
    return text;
  }
};

// examples/mlp with a layout and a checkpoint that may be changed.
Compiled compile_mlp(std::string layout = read(root / "examples/mlp/mlp.layout.json"),
                     std::string checkpoint = read(root / "examples/mlp/mlp.safetensors")) {
  Compiled compiled;
  const std::string graph = read(root / "examples/mlp/mlp.onnx");
  CompileOptions options;
  options.layout = parse_layout(layout, compiled.diagnostics).value_or(Layout{});
  compiled.result = compile({.graph_name = "mlp.onnx",
                             .graph = std::as_bytes(std::span(graph)),
                             .checkpoint = std::as_bytes(std::span(checkpoint)),
                             .checkpoint_size = {},
                             .external = {}},
                            options, compiled.diagnostics);
  return compiled;
}

void replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

TEST(Docs, ReadmeShowsCodeThatIsGenerated) {
  const Compiled mlp = compile_mlp();
  ASSERT_EQ(mlp.errors(), "");
  const std::string readme = read(root / "README.md"), &header = mlp.result.files.front().text;
  const std::size_t from = readme.find("```cpp\nstruct Point"), to = readme.find("```", from + 6);
  ASSERT_NE(from, std::string::npos);
  std::istringstream lines(readme.substr(from + 7, to - from - 7));
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" .") == std::string::npos) continue;
    EXPECT_NE(header.find(line + "\n"), std::string::npos) << line;
  }
  EXPECT_NE(readme.find(read(root / "examples/mlp/mlp.layout.json")), std::string::npos) << "its layout file";
}

TEST(Docs, ReadmeShowsErrorsThatAreGiven) {
  const std::string readme = read(root / "README.md");
  std::string layout = read(root / "examples/mlp/mlp.layout.json");
  replace(layout, R"(["Hidden", "Feature"])", R"(["Feature", "Hidden"])");
  const std::string swapped = compile_mlp(layout).errors();
  EXPECT_NE(swapped, "");
  EXPECT_NE(readme.find(swapped), std::string::npos) << swapped;

  std::string checkpoint = read(root / "examples/mlp/mlp.safetensors");
  replace(checkpoint, R"("shape":[2,24])", R"("shape":[24,2])");
  const std::string transposed = compile_mlp(read(root / "examples/mlp/mlp.layout.json"), checkpoint).errors();
  EXPECT_NE(transposed, "");
  EXPECT_NE(readme.find(transposed), std::string::npos) << transposed;
}

TEST(Docs, LayoutFilesFollowTheirSchema) {
  const auto schema = nlohmann::json::parse(read(root / "docs/layout.schema.json"), nullptr, false);
  ASSERT_TRUE(schema.is_object());
  const auto& rule = schema["properties"]["rules"]["items"];
  const std::regex axis(rule["properties"]["axes"]["items"]["pattern"].get<std::string>());
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "examples")) {
    if (!entry.path().string().ends_with(".layout.json")) continue;
    const std::string text = read(entry.path());
    Diagnostics diagnostics;
    EXPECT_TRUE(parse_layout(text, diagnostics)) << entry.path();
    const auto layout = nlohmann::json::parse(text, nullptr, false);
    for (const auto& [key, value] : layout.items()) EXPECT_TRUE(schema["properties"].contains(key)) << key;
    for (const auto& r : layout["rules"]) {
      for (const auto& [key, value] : r.items()) EXPECT_TRUE(rule["properties"].contains(key)) << key;
      for (const auto& word : r["axes"]) EXPECT_TRUE(std::regex_match(word.get<std::string>(), axis)) << word;
    }
  }
  // The words a reader takes are those of the schema.
  for (const char* word :
       {"_", "Seq", "a_1", "(Head Dim)", "( Head Dim )", "", "1st", "_x", "Head Dim", "(Head)", "a-b", "(Head 1)"}) {
    Diagnostics diagnostics;
    const bool taken =
        parse_layout(R"({"rules": [{"pattern": "*", "axes": [")" + std::string(word) + R"("]}]})", diagnostics)
            .has_value();
    EXPECT_EQ(taken, std::regex_match(word, axis)) << word;
  }
}

}  // namespace
}  // namespace loam::test
