// How long stage 0 takes, and that its time grows with the nodes and no faster: chains of four kinds up to 50,000 nodes,
// a graph of a Swin transformer's size and make, and the demo's merged GPT-2 where it is there.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/stage0/stage0.hpp"

namespace {

using namespace loam;

Attribute attribute(std::string name, Attribute::Value value) { return {std::move(name), std::move(value), {}}; }

// A graph under construction; every node's output is named by its number.
class Chain {
 public:
  Chain() { model_.opsets = {{"", 21}}; }

  std::string input(std::string name, std::vector<Dimension> dims) {
    model_.graph.inputs.push_back({name, {.kind = ValueType::Kind::tensor, .dtype = DType::float32, .shape = std::move(dims), .element = {}}});
    return name;
  }
  std::string integers(const std::vector<std::int64_t>& values, bool scalar = false) {
    std::vector<std::byte> bytes(values.size() * sizeof(std::int64_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return initializer(DType::int64, scalar ? std::vector<std::int64_t>{} : std::vector{static_cast<std::int64_t>(values.size())}, std::move(bytes));
  }
  std::string weight(std::vector<std::int64_t> dims) {
    std::size_t bytes = sizeof(float);
    for (const std::int64_t d : dims) bytes *= static_cast<std::size_t>(d);
    return initializer(DType::float32, std::move(dims), std::vector<std::byte>(bytes));
  }
  std::string node(std::string op, std::vector<std::string> inputs, std::vector<Attribute> attributes = {}) {
    std::string output = "layers." + std::to_string(nodes()) + "." + op;
    model_.graph.nodes.push_back({.name = {}, .op_type = std::move(op), .domain = {}, .inputs = std::move(inputs), .outputs = {output},
                                  .attributes = std::move(attributes), .overload = {}});
    return output;
  }
  std::size_t nodes() const { return model_.graph.nodes.size(); }
  Model finish(const std::string& output) {
    model_.graph.outputs.push_back({output, {.kind = ValueType::Kind::undeclared, .dtype = {}, .shape = {}, .element = {}}});
    return std::move(model_);
  }

 private:
  std::string initializer(DType dtype, std::vector<std::int64_t> dims, std::vector<std::byte> bytes) {
    std::string name = "layers." + std::to_string(model_.graph.initializers.size()) + ".weight";
    model_.graph.initializers.push_back({.name = name, .dtype = dtype, .dims = std::move(dims), .data = Bytes::own(std::move(bytes)), .strings = {}});
    return name;
  }
  Model model_;
};

Model elementwise(std::size_t n) {
  Chain c;
  std::string x = c.input("x", {"batch", "seq", std::int64_t{8}});
  const std::string first = x;
  while (c.nodes() < n) x = c.node("Add", {c.node("Relu", {x}), first});
  return c.finish(x);
}

// What an exporter writes around each attention: the shape taken apart, heads split off and joined again.
Model heads(std::size_t n) {
  Chain c;
  std::string x = c.input("x", {"batch", "seq", std::int64_t{8}});
  const auto zero = c.integers({0}, true), one = c.integers({1}, true), front = c.integers({0}), two = c.integers({2}), four = c.integers({4}),
             rest = c.integers({-1});
  const Attribute first = attribute("axis", std::int64_t{0});
  const Attribute swap = attribute("perm", std::vector<std::int64_t>{0, 2, 1, 3});
  while (c.nodes() < n) {
    const auto shape = c.node("Shape", {x});
    const auto batch = c.node("Unsqueeze", {c.node("Gather", {shape, zero}), front}), seq = c.node("Unsqueeze", {c.node("Gather", {shape, one}), front});
    const auto split = c.node("Reshape", {x, c.node("Concat", {batch, seq, two, four}, {first})});
    const auto turned = c.node("Transpose", {c.node("Softmax", {c.node("Transpose", {split}, {swap})}), }, {swap});
    x = c.node("Add", {c.node("Reshape", {turned, c.node("Concat", {batch, seq, rest}, {first})}), x});
  }
  return c.finish(x);
}

// Each layer owes one more condition on the length, and has weights of its own.
Model convolutions(std::size_t n) {
  Chain c;
  std::string x = c.input("x", {"batch", std::int64_t{4}, "length"});
  while (c.nodes() < n) x = c.node("Relu", {c.node("Conv", {x, c.weight({4, 4, 3})})});
  return c.finish(x);
}

Model dense(std::size_t n) {
  Chain c;
  std::string x = c.input("x", {"batch", std::int64_t{4}});
  while (c.nodes() < n) x = c.node("Relu", {c.node("Add", {c.node("MatMul", {x, c.weight({4, 4})}), c.weight({4})})});
  return c.finish(x);
}

// Windows of an image cut out, attended in, and laid back, its height and width known to the run alone.
Model windows(std::size_t n) {
  Chain c;
  std::string x = c.input("x", {"batch", "7*height", "7*width", std::int64_t{8}});
  const auto seven = c.integers({7}), eight = c.integers({8}), tokens = c.integers({-1, 49, 8}), square = c.integers({-1, 7, 7, 8});
  const Attribute first = attribute("axis", std::int64_t{0});
  const Attribute swap = attribute("perm", std::vector<std::int64_t>{0, 1, 3, 2, 4, 5});
  const auto extent = [&](const std::string& of, std::int64_t k) {
    return c.node("Shape", {of}, {attribute("start", k), attribute("end", k + 1)});
  };
  while (c.nodes() < n) {
    const auto batch = extent(x, 0), high = c.node("Div", {extent(x, 1), seven}), wide = c.node("Div", {extent(x, 2), seven});
    const auto apart = c.node("Concat", {batch, high, seven, wide, seven, eight}, {first});
    const auto cut = c.node("Reshape", {c.node("Transpose", {c.node("Reshape", {x, apart})}, {swap}), tokens});
    const auto scores = c.node("Softmax", {c.node("MatMul", {cut, c.node("Transpose", {cut}, {attribute("perm", std::vector<std::int64_t>{0, 2, 1})})})});
    const auto mixed = c.node("MatMul", {c.node("MatMul", {scores, cut}), c.weight({8, 8})});
    const auto grid = c.node("Concat", {batch, high, wide, seven, seven, eight}, {first});
    const auto laid = c.node("Transpose", {c.node("Reshape", {c.node("Reshape", {mixed, square}), grid})}, {swap});
    x = c.node("Add", {c.node("Reshape", {laid, c.node("Shape", {x})}), x});
  }
  return c.finish(x);
}

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// The time, or what is wrong.
void report(const char* name, const Model& model) {
  CompileOptions options;
  options.auto_layout = true;
  Diagnostics diagnostics;
  std::size_t owed = 0;
  const double ms = milliseconds([&] {
    StageZero stage(model, options, diagnostics);
    owed = stage.run().body.owed.size();
    stage.proposed_layout();
  });
  const auto nodes = model.graph.nodes.size();
  std::printf("%-14s %6zu nodes  %9.1f ms  %6.2f us/node  %zu owed%s\n", name, nodes, ms, 1000 * ms / static_cast<double>(nodes), owed,
              diagnostics.failed() ? "  FAILED" : "");
  if (diagnostics.failed()) std::printf("  %s\n", diagnostics.list().front().text().c_str());
  std::fflush(stdout);
}

// The whole of `loam check`: reading, stage 0 and lowering.
void report_file(const char* name, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return;
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  CompileOptions options;
  options.auto_layout = true;
  Diagnostics diagnostics;
  std::size_t nodes = 0;
  const double ms = milliseconds([&] {
    CompileInput input;
    input.graph_name = path;
    input.graph = std::as_bytes(std::span(bytes));
    nodes = check(input, options, diagnostics).nodes;
  });
  std::printf("%-14s %6zu nodes  %9.1f ms  %6.2f us/node  read, checked and lowered%s\n", name, nodes, ms, 1000 * ms / static_cast<double>(nodes),
              diagnostics.failed() ? "  FAILED" : "");
}

}  // namespace

int main() {
  struct Kind {
    const char* name;
    Model (*make)(std::size_t);
  };
  constexpr Kind kinds[] = {
      {"elementwise", elementwise}, {"heads", heads}, {"convolutions", convolutions}, {"dense", dense}, {"windows", windows}};
  for (const auto& [name, make] : kinds)
    for (const std::size_t n : {1000, 5000, 10000, 50000}) report(name, make(n));
  report("swin's size", windows(4000));
  report_file("gpt2 merged", LOAM_SOURCE_DIR "/examples/models/gpt2/decoder_merged.onnx");
}
