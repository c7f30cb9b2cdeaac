// A node of every operator (nodes.txt), to be spoilt: what a build says of it once something about it is wrong.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/operators/operator.hpp"
#include "compiler/read/onnxtext.hpp"
#include "tests/operators/build_graph.hpp"

namespace loam::test {

struct Example {
  std::string text;       // "(inputs) nodes"
  std::int64_t opset;     // of ai.onnx
  Model model;            // whose last node is the operator's
  const Node& node() const { return model.graph.nodes.back(); }
  Node& node() { return model.graph.nodes.back(); }
  std::string name() const { return (node().domain.empty() ? "" : node().domain + ".") + node().op_type; }
};

// "(inputs) nodes", or "@opset (inputs) nodes", in ONNX's text; everything that no node reads is an output.
inline std::optional<Example> read_example(std::string text) {
  std::int64_t opset = 28;
  if (text[0] == '@') {
    std::istringstream(text.substr(1)) >> opset;
    text = text.substr(text.find(' ') + 1);
  }
  const std::size_t end = text.find(')') + 1;
  Diagnostics diagnostics;
  auto model = read_onnxtext("<ir_version: 10, opset_import: [\"\": " + std::to_string(opset) +
                                 ", \"ai.onnx.ml\": 5, \"ai.onnx.preview\": 1, \"com.microsoft\": 1]>\ng " +
                                 text.substr(0, end) + " => () {" + text.substr(end) + "}",
                             diagnostics);
  for (const Diagnostic& d : diagnostics.list()) ADD_FAILURE() << text << "\n" << d.text();
  if (!model) return {};
  for (const Node& node : model->graph.nodes)
    for (const std::string& name : node.outputs)
      if (!name.empty() && std::ranges::none_of(model->graph.nodes, [&](const Node& reader) {
            return std::ranges::find(reader.inputs, name) != reader.inputs.end();
          }))
        model->graph.outputs.push_back(
            {name, {.kind = ValueType::Kind::undeclared, .dtype = {}, .shape = {}, .element = {}}});
  return Example{text, opset, std::move(*model)};
}

inline std::vector<Example> read_examples() {
  std::vector<Example> examples;
  std::ifstream file(LOAM_SOURCE_DIR "/tests/operators/nodes.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (auto example = read_example(line)) examples.push_back(std::move(*example));
  }
  return examples;
}

inline const std::vector<Example>& every_operator() {
  static const std::vector<Example> examples = read_examples();
  return examples;
}

// What the build says is wrong, a line each, up to what is prepared before the first run.
inline std::string errors_of(const Model& model) {
  Diagnostics diagnostics;
  CompileOptions options;
  options.auto_layout = true;
  StageZero stage(model, options, diagnostics);
  stage.run();
  const StoredType stored;
  if (!diagnostics.failed()) {
    Program program = Lowering(stage, stored).run();
    if (!diagnostics.failed()) fuse(program, stage.graph());
    if (!diagnostics.failed()) prepare(program, stage.graph());
  }
  std::string text;
  for (const Diagnostic& d : diagnostics.list())
    if (d.severity == Severity::error) text += (text.empty() ? "" : "\n") + d.text();
  return text;
}

}  // namespace loam::test
