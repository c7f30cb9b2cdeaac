// The module of several levels compiles whatever a graph calls its tensors, axes and lengths, and says what is no level.
// What it computes, and what its objects hold, tests/levels has.
#include "cli/process.hpp"
#include "tests/models/support.hpp"

namespace loam::test {
namespace {

// Names that the header of the levels, a level, or what stands between them has a use for.
const Names used = {"Compiled", "compiled", "ForwardFunction", "LOAM_LEVEL", "x86_64",   "portable", "Held",  "maker", "state", "Level",
                    "level",    "name",     "make_cpu",        "drop_cache", "own",      "own_cache", "from", "in0",   "cpu",   "b",
                    "cache",    "prepared", "outputs",         "lent",       "given",    "weights",  "made",  "why",   "code",  "fits",
                    "places",   "capacity", "length1",         "batch",      "Places",   "names",    "write", "user",  "loaded", "bytes"};

std::string compiles(const CompileResult& result) {
  const fs::path folder = fs::path(LOAM_BINARY_DIR) / "levels_test" / result.module_name;
  fs::create_directories(folder);
  std::vector<cli::NewFile> files;
  for (const OutputFile& file : result.files) files.push_back({file.name, file.text});
  cli::write_files(folder, files);
#if defined(__x86_64__)
  const std::string source = "_x86_64_v3.cpp", level = "-march=x86-64-v3";
#else
  const std::string source = "_portable.cpp", level = "-O0";
#endif
  return cli::run_process({LOAM_HOST_CXX, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", level,
                           (folder / (result.module_name + source)).string()},
                          std::chrono::minutes(5))
      .output;
}

CompileResult build(const Proto& graph, CompileOptions options, Diagnostics& diagnostics) {
  options.levels = {"x86-64", "x86-64-v3"};
  const std::string bytes = model(graph).bytes;
  return compile({.graph_name = "names.onnx", .graph = bytes_of(bytes), .checkpoint = {}, .checkpoint_size = {}, .external = {}}, options, diagnostics);
}

// Inputs, weights and outputs, with the lengths of a cache, of each name.
TEST(Levels, AnyNames) {
  for (const bool weights : {false, true}) {
    std::vector<Proto> nodes{node("Concat", {"past", "new"}, {"present"}, {integer_attribute("axis", 1)})}, given, initializers;
    std::vector<Proto> inputs{value("past", DType::float32, "maker state from 4"), value("new", DType::float32, "maker own from 4")};
    std::vector<Proto> outputs{value("present", DType::float32, "maker cache from 4")};
    for (const std::string& name : used) {
      if (weights) initializers.push_back(data(name, DType::float32, {1}, std::vector<float>{1}));
      else inputs.push_back(value(name, DType::float32, "1"));
      nodes.push_back(node("Add", {name, weights ? "new" : name}, {"out " + name}));
      outputs.push_back(value("out " + name, DType::float32, weights ? "maker own from 4" : "1"));
    }
    CompileOptions options = automatic(weights ? "of_weights" : "cpu");
    options.cache = {"past=present"};
    options.packed = true;
    Diagnostics diagnostics;
    const CompileResult result = build(graph_of(nodes, inputs, outputs, initializers), options, diagnostics);
    for (const Diagnostic& d : diagnostics.list()) EXPECT_NE(d.severity, Severity::error) << d.text();
    EXPECT_EQ(compiles(result), "");
  }
}

// An axis may have each, or is refused.
TEST(Levels, AxisNamesOfALayout) {
  std::vector<Proto> inputs, outputs, nodes;
  CompileOptions options;
  options.module_name = "axes";
  std::string refused;
  for (const std::string& name : used) {
    CompileOptions alone = options;
    alone.layout.rules = {{.pattern = "x " + name, .axes = {name}, .graph = {}}};
    Diagnostics diagnostics;
    const Proto in = value("x " + name, DType::float32, "3"), out = value("y " + name, DType::float32, "3");
    build(graph_of({node("Add", {"x " + name, "x " + name}, {"y " + name})}, {in}, {out}), alone, diagnostics);
    if (diagnostics.failed()) {
      refused += name + ' ';
      continue;
    }
    inputs.push_back(in);
    outputs.push_back(out);
    nodes.push_back(node("Add", {"x " + name, "x " + name}, {"y " + name}));
    options.layout.rules.push_back(alone.layout.rules[0]);
  }
  EXPECT_EQ(refused, "Compiled compiled ForwardFunction LOAM_LEVEL x86_64 portable b prepared weights ");
  Diagnostics diagnostics;
  const CompileResult result = build(graph_of(nodes, inputs, outputs), options, diagnostics);
  ASSERT_FALSE(diagnostics.failed());
  EXPECT_EQ(compiles(result), "");
}

TEST(Levels, WhatIsNoneIsNamed) {
  CompileOptions options = automatic();
  options.levels = {"x86-64", "avx2"};
  const Proto graph = graph_of({node("Relu", {"x"}, {"y"})}, {value("x", DType::float32, "3")}, {value("y", DType::float32, "3")});
  EXPECT_EQ(Build(graph, options).errors(), "--levels avx2: is no level of x86-64; they are x86-64, x86-64-v2, x86-64-v3 and x86-64-v4");
  options.levels = {"x86-64"};
  options.wasm = true;
  EXPECT_EQ(Build(graph, options).errors(),
            "--levels: are of a native program, and WebAssembly has builds of its own for what an engine lacks");
}

}  // namespace
}  // namespace loam::test
