// Small graphs and their diagnostics, as text.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/stage0/stage0.hpp"
#include "tests/operators/build_graph.hpp"

namespace loam::test {

// A model with options, as `loam check` would be given them: no proposal is taken unless `auto_layout` is set.
struct Setting {
  Model model;
  CompileOptions options;

  explicit Setting(std::int64_t opset = 21) {
    model.opsets = {{"", opset}};
    model.graph.name = "g";
  }

  static ValueInfo info(std::string name, std::string_view axes, DType dtype = DType::float32) {
    ValueInfo value{std::move(name), {.kind = ValueType::Kind::tensor, .dtype = dtype, .shape = std::vector<Dimension>{}, .element = {}}};
    std::istringstream words{std::string(axes)};
    for (std::string word; words >> word;) {
      if (word == "?") value.type.shape->emplace_back();
      else if (word.find_first_not_of("0123456789") == std::string::npos) value.type.shape->emplace_back(std::int64_t{std::stoll(word)});
      else value.type.shape->emplace_back(word);
    }
    return value;
  }
  Setting& input(std::string name, std::string_view axes, DType dtype = DType::float32) {
    model.graph.inputs.push_back(info(std::move(name), axes, dtype));
    return *this;
  }
  Setting& weight(std::string name, std::vector<std::int64_t> dims) {
    std::size_t n = 1;
    for (const std::int64_t d : dims) n *= static_cast<std::size_t>(d);
    model.graph.initializers.push_back(tensor_data(std::move(name), DType::float32, std::move(dims), std::vector<float>(n)));
    return *this;
  }
  Setting& integers(std::string name, const std::vector<std::int64_t>& values) {
    model.graph.initializers.push_back(tensor_data(std::move(name), DType::int64, {static_cast<std::int64_t>(values.size())}, values));
    return *this;
  }
  Setting& node(std::string op, std::vector<std::string> inputs, std::vector<std::string> outputs, std::vector<Attribute> attributes = {},
                std::string domain = {}) {
    model.graph.nodes.push_back({.name = {}, .op_type = std::move(op), .domain = std::move(domain), .inputs = std::move(inputs),
                                 .outputs = std::move(outputs), .attributes = std::move(attributes), .overload = {}});
    return *this;
  }
  Setting& output(std::string name) {
    model.graph.outputs.push_back({std::move(name), {.kind = ValueType::Kind::undeclared, .dtype = {}, .shape = {}, .element = {}}});
    return *this;
  }
  Setting& output(std::string name, std::string_view axes, DType dtype = DType::float32) {
    model.graph.outputs.push_back(info(std::move(name), axes, dtype));
    return *this;
  }
  Setting& rule(std::string pattern, std::vector<std::string> axes, std::string graph = {}) {
    options.layout.rules.push_back({.pattern = std::move(pattern), .axes = std::move(axes), .graph = std::move(graph), .comment = {}});
    return *this;
  }
  Setting& automatic() {
    options.auto_layout = true;
    return *this;
  }

  // Every diagnostic as it is printed, a line each and its note on the next.
  std::string diagnose() const { return run([](StageZero&) { return std::string(); }); }
  // The same, and where there is none the axes' names of a value: "Batch, (Head Dim)".
  std::string axes(std::string_view name) const {
    return run([&](StageZero& stage) {
      std::string text;
      const TypedGraph& graph = stage.graph();
      for (const TypedValue& value : graph.values) {
        if (value.name != name || !value.type) continue;
        for (const Axis& axis : value.type->axes) {
          std::string words;
          const auto parts = axis_words(graph, axis);
          for (const std::string& part : parts) words += (words.empty() ? "" : " ") + part;
          text += (text.empty() ? "" : ", ") + (parts.empty() ? "1" : parts.size() > 1 ? "(" + words + ")" : words);
        }
        break;
      }
      return text;
    });
  }
  // Stage 0's proposal as `loam layout` prints it.
  std::string layout() const {
    return run([](StageZero& stage) { return print_layout(stage.proposed_layout()); });
  }

 private:
  template <class Then>
  std::string run(Then then) const {
    Diagnostics diagnostics;
    StageZero stage(model, options, diagnostics);
    stage.run();
    std::string text;
    for (const Diagnostic& d : diagnostics.list()) text += (text.empty() ? "" : "\n") + d.text();
    return text.empty() ? then(stage) : text;
  }
};

}  // namespace loam::test
