// Small models built in C++, what stage 0 says of their values, and what their nodes lower to, each as text.
#pragma once

#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/kernel/lowering.hpp"
#include "compiler/stage0/stage0.hpp"

namespace loam::nn {

using Shape = std::vector<Dimension>;
inline Dimension d(std::int64_t n) { return n; }
inline Dimension d(const char* name) { return std::string(name); }

template <class... D>
Shape shape(D... dims) { return {d(dims)...}; }

using Attributes = std::vector<Attribute>;
inline Attribute attribute(std::string name, Attribute::Value value) { return {std::move(name), std::move(value), {}}; }
inline Attribute ints(std::string name, std::vector<std::int64_t> values) {
  return attribute(std::move(name), std::move(values));
}
inline Attribute integer(std::string name, std::int64_t value) { return attribute(std::move(name), value); }
inline Attribute number(std::string name, float value) { return attribute(std::move(name), value); }
inline Attribute text(std::string name, std::string value) { return attribute(std::move(name), std::move(value)); }

class Graph {
 public:
  explicit Graph(std::int64_t opset = 17, std::int64_t ml_opset = 4) {
    model_.ir_version = 8;
    model_.opsets = {{"", opset}, {"com.microsoft", 1}, {"ai.onnx.ml", ml_opset}};
    model_.graph.name = "test";
    options_.auto_layout = true;
  }
  Graph& input(std::string name, Shape dims, DType type = DType::float32) {
    model_.graph.inputs.push_back({std::move(name), {ValueType::Kind::tensor, type, std::move(dims), nullptr}});
    return *this;
  }
  // A weight whose elements a checkpoint brings.
  Graph& weight(std::string name, std::vector<std::int64_t> dims, DType type = DType::float32) {
    model_.graph.initializers.push_back({std::move(name), type, std::move(dims), {}, {}});
    return *this;
  }
  template <class T>
  Graph& known(std::string name, DType type, std::vector<std::int64_t> dims, std::vector<T> values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    model_.graph.initializers.push_back({std::move(name), type, std::move(dims), Bytes::own(std::move(bytes)), {}});
    return *this;
  }
  Graph& list(std::string name, std::vector<std::int64_t> values) {
    const auto n = static_cast<std::int64_t>(values.size());
    return known(std::move(name), DType::int64, {n}, std::move(values));
  }
  Graph& scalar(std::string name, float value) {
    return known(std::move(name), DType::float32, {}, std::vector<float>{value});
  }
  Graph& node(std::string op, std::vector<std::string> inputs, std::vector<std::string> outputs,
              Attributes attributes = {}, std::string domain = "") {
    for (const std::string& name : outputs)
      if (!name.empty()) model_.graph.outputs.push_back({name, {}});
    model_.graph.nodes.push_back({.name = {},
                                  .op_type = std::move(op),
                                  .domain = std::move(domain),
                                  .inputs = std::move(inputs),
                                  .outputs = std::move(outputs),
                                  .attributes = std::move(attributes),
                                  .overload = {}});
    return *this;
  }
  Graph& layout(std::string pattern, std::vector<std::string> axes) {
    options_.layout.rules.push_back({std::move(pattern), std::move(axes), {}});
    return *this;
  }
  Graph& named_axes_only() {
    options_.auto_layout = false;
    return *this;
  }

  // "float32[N, 3, 224]" of a value; "?" where an error kept it from one.
  std::string type(const std::string& name) {
    run();
    for (const TypedValue& v : typed().values)
      if (v.name == name && v.type) {
        std::string out(dtype_name(v.type->dtype));
        out += "[";
        for (std::size_t k = 0; k < v.type->axes.size(); ++k)
          out += (k ? ", " : "") + typed().symbols.text(typed().symbols.simplify(v.type->axes[k].extent()));
        return out + "]";
      }
    return "?";
  }
  // The elements the build knows: "{2, N}"; "?" where it knows none.
  std::string elements(const std::string& name) {
    run();
    for (const TypedValue& v : typed().values)
      if (v.name == name && v.known) {
        std::string out = "{";
        for (std::size_t i = 0; i < v.known->elements.size(); ++i)
          out += (i ? ", " : "") +
                 (v.known->integral() ? typed().symbols.text(v.known->integer(i)) : std::to_string(v.known->number(i)));
        return out + "}";
      }
    return "?";
  }
  // Whether axis i of a and axis j of b are one.
  bool one_axis(const std::string& a, int i, const std::string& b, int j) {
    run();
    return typed().axes.classes(axis(a, i)) == typed().axes.classes(axis(b, j));
  }
  // What is wrong, a line each: "Y = Conv: ... [extent-mismatch]".
  std::string errors() {
    run();
    std::string out;
    for (const Diagnostic& diagnostic : diagnostics_.list()) out += diagnostic.text() + "\n";
    return out;
  }
  // What forward checks, a line each: "N - 3 >= 0: ...".
  std::string owed() {
    run();
    std::string out;
    for (const Condition& c : typed().body.owed) out += typed().symbols.text(c.slack) + " >= 0: " + c.reason + "\n";
    return out;
  }
  // The steps the nodes lower to, a line each: "Y = conv(loam::Window{..}, 1, X, W, none)", views as "v =
  // transpose(X)".
  std::string lowered() {
    run();
    if (diagnostics_.failed()) return errors();
    StoredType stored;
    Lowering lowering(*stage_, stored);
    program_ = lowering.run();
    std::string out;
    for (const Step& step : program_.body.steps) out += line(step);
    return diagnostics_.failed() ? errors() : out;
  }

 private:
  void run() {
    if (stage_) return;
    stage_ = std::make_unique<StageZero>(model_, options_, diagnostics_);
    stage_->run();
  }
  TypedGraph& typed() { return stage_->graph(); }
  const Axis& axis(const std::string& name, int i) {
    static const Axis none;
    for (const TypedValue& v : typed().values)
      if (v.name == name && v.type) return v.type->axes[static_cast<std::size_t>(i)];
    return none;
  }
  std::string tensor_text(TensorId t) const { return t == no_tensor ? "none" : program_.tensors[t].name; }
  std::string extent_text(const Polynomial& p) { return typed().symbols.text(typed().symbols.simplify(p)); }
  std::string argument_text(const Argument& argument) {
    if (const auto* literal = std::get_if<Literal>(&argument)) return literal->text;
    if (const auto* p = std::get_if<Polynomial>(&argument)) return extent_text(*p);
    if (const auto* e = std::get_if<Expression>(&argument)) {
      std::string body = e->cpp();  // statements; one alone is spelled as the expression it returns
      if (body.starts_with("return ")) body = body.substr(7, body.size() - 8);
      return body;
    }
    std::string out;
    if (const auto* list = std::get_if<ExtentList>(&argument)) {
      for (const Polynomial& p : list->values) out += (out.empty() ? "{" : ", ") + extent_text(p);
      return out + "}";
    }
    const auto& aggregate = std::get<Aggregate>(argument);
    std::size_t next = 0;
    for (const char c : aggregate.text) out += c == '$' ? extent_text(aggregate.values[next++]) : std::string(1, c);
    return out;
  }
  std::string operand_text(const OperandRef& operand) {
    if (const auto* t = std::get_if<TensorId>(&operand)) return tensor_text(*t);
    if (const auto* place = std::get_if<CoordinateOperand>(&operand))
      return "coordinate " + std::to_string(place->axis);
    const auto& scalar = std::get<ScalarOperand>(operand);
    if (const auto* p = std::get_if<Polynomial>(&scalar.value)) return extent_text(*p);
    return std::to_string(std::get<double>(scalar.value));
  }
  std::string line(const Step& step) {
    std::string out;
    if (const auto* call = std::get_if<Call>(&step.what)) {
      for (const TensorId t : call->outputs) out += (out.empty() ? "" : ", ") + tensor_text(t);
      out += " = " + call->kernel + "(";
      const char* comma = "";
      for (const Argument& a : call->arguments) out += std::exchange(comma, ", ") + argument_text(a);
      for (const OperandRef& o : call->inputs) out += std::exchange(comma, ", ") + operand_text(o);
      return out + ")\n";
    }
    if (const auto* view = std::get_if<ViewStep>(&step.what)) {
      static constexpr const char* kinds[] = {"reshape", "transpose", "units", "slice", "expand", "relabel"};
      return std::string(kinds[static_cast<int>(view->kind)]) + "(" + tensor_text(view->in) + ")\n";
    }
    return std::holds_alternative<CheckStep>(step.what) ? "" : "other\n";
  }

  Model model_;
  CompileOptions options_;
  Diagnostics diagnostics_;
  std::unique_ptr<StageZero> stage_;
  Program program_;
};

inline constexpr DType f16 = DType::float16;

}  // namespace loam::nn
