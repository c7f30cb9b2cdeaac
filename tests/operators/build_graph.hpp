// Small graphs built in a test, and what stage 0 and lowering make of them, as text.
//
//   GraphBuilder g;
//   g.input("x", "N 4").integers("shape", {-1, 2}).node("Reshape", {"x", "shape"}, {"y"});
//   const Typed t = g.type();
//   EXPECT_EQ(t["y"], "float32 [2*N, 2]");
#pragma once

#include <cstring>
#include <initializer_list>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/kernel/fuse.hpp"
#include "compiler/kernel/prepare.hpp"
#include "compiler/kernel/lowering.hpp"
#include "compiler/stage0/stage0.hpp"

namespace loam::test {

inline Attribute attribute(std::string name, std::int64_t value) { return {std::move(name), value, {}}; }
inline Attribute attribute(std::string name, int value) { return {std::move(name), std::int64_t{value}, {}}; }
inline Attribute attribute(std::string name, float value) { return {std::move(name), value, {}}; }
inline Attribute attribute(std::string name, const char* value) { return {std::move(name), std::string(value), {}}; }
inline Attribute attribute(std::string name, std::vector<std::int64_t> value) {
  return {std::move(name), std::move(value), {}};
}
inline Attribute attribute(std::string name, Attribute::Value value) { return {std::move(name), std::move(value), {}}; }

template <class T>
TensorData tensor_data(std::string name, DType dtype, std::vector<std::int64_t> dims, const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {.name = std::move(name),
          .dtype = dtype,
          .dims = std::move(dims),
          .data = Bytes::own(std::move(bytes)),
          .strings = {}};
}

// A model after stage 0.
class Typed {
 public:
  Typed(Model model, CompileOptions options) : state_(std::make_unique<State>(std::move(model), std::move(options))) {
    state_->stage.run();
  }

  // "float32 [N, 4]"; empty where the value has no type.
  std::string operator[](std::string_view name) const {
    const TypedValue* v = value(name);
    if (!v || !v->type) return {};
    std::string text(dtype_name(v->type->dtype));
    text += " [";
    for (std::size_t k = 0; k < v->type->axes.size(); ++k) text += (k ? ", " : "") + spell(v->type->axes[k].extent());
    return text + "]";
  }
  // "1, N + 1": the elements the build knows, row-major; "?" where it does not.
  std::string known(std::string_view name) const {
    const TypedValue* v = value(name);
    if (!v || !v->known) return "?";
    std::ostringstream text;
    for (std::size_t i = 0; i < v->known->elements.size(); ++i) {
      text << (i ? ", " : "");
      if (const auto* p = std::get_if<Polynomial>(&v->known->elements[i]))
        text << spell(*p);
      else
        text << std::get<double>(v->known->elements[i]);
    }
    return text.str();
  }
  // "N, (Head Dim)": the axes' names, of a model whose inputs propose or whose layout gives them.
  std::string axes(std::string_view name) const {
    const TypedValue* v = value(name);
    if (!v || !v->type) return {};
    std::string text;
    for (const Axis& axis : v->type->axes) {
      const auto words = axis_words(state_->stage.graph(), axis);
      std::string word;
      for (const std::string& w : words) word += (word.empty() ? "" : " ") + w;
      text += (text.empty() ? "" : ", ") + (words.empty() ? "1" : words.size() > 1 ? "(" + word + ")" : word);
    }
    return text;
  }
  // Every error's text, a line each.
  std::string errors() const {
    std::string text;
    for (const Diagnostic& d : state_->diagnostics.list())
      text += (text.empty() ? "" : "\n") + d.site + ": " + d.message;
    return text;
  }
  // "1024 - N" of each condition owed, a line each.
  std::string owed() const {
    std::string text;
    for (const Condition& c : state_->stage.graph().body.owed) text += (text.empty() ? "" : "\n") + state_->stage.graph().symbols.text(c.slack);
    return text;
  }
  // What the nodes lower to: "slice units map", a kernel by its name and a view by its kind.
  std::string steps() const {
    const StoredType stored;
    return steps(Lowering(state_->stage, stored).run());
  }
  // The same once they are fused, and a line for each tensor that is no longer made or, by its reason, still is.
  std::string fused() const {
    const StoredType stored;
    Program program = Lowering(state_->stage, stored).run();
    const std::vector<Fusion> fusions = fuse(program, state_->stage.graph());
    std::string text = steps(program);
    for (const Fusion& f : fusions)
      text += "\n" + f.tensor + (f.declined.empty() ? ": " + spell(f.bytes) + " bytes" : ": " + f.declined);
    return text;
  }
  // The steps of the run once what weights alone decide is prepared; then what is.
  std::string prepared() const {
    const StoredType stored;
    Program program = Lowering(state_->stage, stored).run();
    fuse(program, state_->stage.graph());
    const std::vector<Preparation> made = prepare(program, state_->stage.graph());
    std::string text = steps(program);
    for (const Preparation& p : made) text += "\n" + p.tensor + ": " + (p.form.empty() ? "computed" : p.form);
    return text;
  }

 private:
  static std::string steps(const Program& program) {
    static constexpr std::string_view views[] = {"reshape", "transpose", "units", "slice", "expand", "relabel"};
    std::string text;
    for (const Step& step : program.body.steps) {
      std::string word = "control";
      if (const auto* call = std::get_if<Call>(&step.what))
        word = call->kernel;
      else if (const auto* view = std::get_if<ViewStep>(&step.what))
        word = views[static_cast<std::size_t>(view->kind)];
      else if (std::holds_alternative<BindStep>(step.what))
        word = "bind";
      else if (std::holds_alternative<CheckStep>(step.what))
        word = "check";
      text += (text.empty() ? "" : " ") + word;
    }
    return text;
  }

  struct State {
    State(Model m, CompileOptions o) : model(std::move(m)), options(std::move(o)), stage(model, options, diagnostics) {}
    Model model;
    CompileOptions options;
    Diagnostics diagnostics;
    StageZero stage;
  };

  std::string spell(const Polynomial& p) const {
    return state_->stage.graph().symbols.text(state_->stage.graph().symbols.simplify(p));
  }
  const TypedValue* value(std::string_view name) const {
    for (const TypedValue& v : state_->stage.graph().values)
      if (v.name == name) return &v;
    return nullptr;
  }

  std::unique_ptr<State> state_;
};

class GraphBuilder {
 public:
  explicit GraphBuilder(std::int64_t opset = 21) {
    model_.opsets = {{"", opset}, {"ai.onnx.ml", 5}};
    options_.auto_layout = true;
  }

  // Its axes in words: a number, a dim_param, or "?".
  GraphBuilder& input(std::string name, std::string_view axes, DType dtype = DType::float32) {
    ValueInfo info{std::move(name),
                   {.kind = ValueType::Kind::tensor, .dtype = dtype, .shape = std::vector<Dimension>{}, .element = {}}};
    std::istringstream words{std::string(axes)};
    for (std::string word; words >> word;) {
      if (word == "?")
        info.type.shape->emplace_back();
      else if (word.find_first_not_of("0123456789") == std::string::npos)
        info.type.shape->emplace_back(std::int64_t{std::stoll(word)});
      else
        info.type.shape->emplace_back(word);
    }
    model_.graph.inputs.push_back(std::move(info));
    return *this;
  }
  // Initializers.
  GraphBuilder& integers(std::string name, const std::vector<std::int64_t>& values) {
    return integers(std::move(name), {static_cast<std::int64_t>(values.size())}, values);
  }
  GraphBuilder& integers(std::string name, std::vector<std::int64_t> dims, const std::vector<std::int64_t>& values) {
    model_.graph.initializers.push_back(tensor_data(std::move(name), DType::int64, std::move(dims), values));
    return *this;
  }
  GraphBuilder& integer(std::string name, std::int64_t value) { return integers(std::move(name), {}, {value}); }
  GraphBuilder& floats(std::string name, std::vector<std::int64_t> dims, const std::vector<float>& values) {
    model_.graph.initializers.push_back(tensor_data(std::move(name), DType::float32, std::move(dims), values));
    return *this;
  }
  GraphBuilder& number(std::string name, float value) { return floats(std::move(name), {}, {value}); }
  GraphBuilder& flags(std::string name, std::vector<std::int64_t> dims, const std::vector<std::uint8_t>& values) {
    model_.graph.initializers.push_back(tensor_data(std::move(name), DType::boolean, std::move(dims), values));
    return *this;
  }

  GraphBuilder& node(std::string op, std::vector<std::string> inputs, std::vector<std::string> outputs,
                     std::vector<Attribute> attributes = {}, std::string domain = {}) {
    model_.graph.nodes.push_back({.name = {},
                                  .op_type = std::move(op),
                                  .domain = std::move(domain),
                                  .inputs = std::move(inputs),
                                  .outputs = std::move(outputs),
                                  .attributes = std::move(attributes),
                                  .overload = {}});
    return *this;
  }
  // The tensors of the pattern carry these axes.
  GraphBuilder& name(std::string pattern, std::vector<std::string> axes) {
    options_.layout.rules.push_back({.pattern = std::move(pattern), .axes = std::move(axes), .graph = {}});
    options_.auto_layout = false;
    return *this;
  }

  // The outputs of the last node are the graph's, unless others are given.
  Typed type(std::vector<std::string> outputs = {}) const {
    Model model = model_;
    if (outputs.empty()) outputs = model.graph.nodes.back().outputs;
    for (const std::string& output : outputs)
      if (!output.empty())
        model.graph.outputs.push_back(
            {output, {.kind = ValueType::Kind::undeclared, .dtype = {}, .shape = {}, .element = {}}});
    return Typed(std::move(model), options_);
  }

 private:
  Model model_;
  CompileOptions options_;
};

}  // namespace loam::test
