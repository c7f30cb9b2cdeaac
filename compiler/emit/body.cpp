// forward: the model, one statement a step.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/emit/repeats.hpp"
#include "compiler/emit/writer.hpp"
#include "compiler/kernel/lowering.hpp"

namespace loam {

const std::string& ModuleWriter::name(TensorId t) {
  const auto it = tensor_names_.find(t);
  return it != tensor_names_.end() ? it->second : tensor_names_.emplace(t, locals_.mint(tensor(t).name)).first->second;
}

std::string ModuleWriter::forward_section() {
  std::string body;
  if (!input_.program.prepare.steps.empty()) body += "  if (!weights.memory) return loam::no_prepared_weights();\n";
  body += input_checks();
  body += cache_check();
  std::string uploads;
  for (std::size_t i = 0; i < input_.program.inputs.size(); ++i) {
    const TensorId t = input_.program.inputs[i].tensor;
    tensor_names_[t] = locals_.mint(tensor(t).name + "_in");
    std::string given = input_names_[i];
    if (tensor(t).dtype == DType::string) {
      const std::string views = locals_.mint(tensor(t).name + "_views");
      uploads += fmt::format("  const auto {} = loam::views({});\n", views, given);
      given = views;
    }
    uploads += fmt::format("  [[maybe_unused]] const auto {} = b.upload({});\n", tensor_names_[t], given);
    declared_.insert(t);
  }
  body += "\n  b.clear_fault();\n" + uploads;
  statements_.clear();
  render_block(input_.program.body, 1, body);
  statements_.push_back(body.size());
  if (can_fail_) body += "\n  if (const std::string* fault = b.fault()) return loam::Refusal{*fault};\n";
  std::string outputs;
  for (const TensorId t : input_.program.outputs)
    outputs += fmt::format(fmt::runtime(tensor(t).dtype == DType::string ? "{}loam::owned(b.download({}))" : "{}b.download({})"),
                           outputs.empty() ? "" : ", ", operand(t, 1, body));
  body += cache_kept() + "\n  return Outputs{" + outputs + "};\n";
  if (input_.options.wasm) body = with_repeats(body, statements_, locals_, [&](std::string_view word) {
      return std::ranges::any_of(axis_types_, [&](const auto& axis) { return axis.second == word; });
    });

  std::string head =
      "// Runs the model. Refuses inputs whose lengths disagree, or that a node cannot take; the refusal names the node.\n"
      "template <loam::Backend Backend>\nloam::Result<Outputs, loam::Refusal> forward(Backend& b";
  for (std::size_t i = 0; i < input_.program.inputs.size(); ++i)
    head += fmt::format(",\n    [[maybe_unused]] const {}& {}", tensor_type(tensor(input_.program.inputs[i].tensor)), input_names_[i]);
  if (!input_.program.caches.empty()) head += ",\n    Cache<Backend>& cache";
  head += ",\n    [[maybe_unused]] const Prepared<Backend>& weights) {\n";
  return head + hoisted_ + body + "}\n\n";
}

void ModuleWriter::open_segment(const Segment& segment, int depth, std::string& out) {
  if (segment.slots.empty()) return;
  const std::string arena = locals_.mint(segment.number == 0 ? "activations" : fmt::format("activations_{}", segment.number));
  out += fmt::format("\n{}// Where activations lie, those that do not live at once sharing a place.\n{}loam::Arena {};\n", indent(depth), indent(depth), arena);
  for (const Slot& slot : segment.slots) {
    std::string bytes;
    for (const Polynomial& size : slot.bytes) {
      define_symbols(size, depth, out);
      bytes += (bytes.empty() ? "" : ", ") + text(size);
    }
    if (slot.bytes.size() > 1) bytes = "std::max<std::int64_t>({" + bytes + "})";
    const std::string at = locals_.mint("at");
    slot_names_[segment.number].push_back(at);
    out += fmt::format("{}const std::int64_t {} = {}.take({});\n", indent(depth), at, arena, bytes);
  }
  out += fmt::format("{0}if (!b.reserve({1}, {2}.bytes)) return loam::out_of_memory({2}.bytes);\n", indent(depth), segment.number, arena);
}

void ModuleWriter::declare(TensorId t, int depth, std::string& out) {
  if (declared_.contains(t)) return;
  const VirtualTensor& v = tensor(t);
  if (v.kind == VirtualTensor::Kind::cached) {
    declared_.insert(t);
    return declare_cached(t, depth, out);
  }
  if (v.kind != VirtualTensor::Kind::activation) return;
  const Placement& placement = input_.plan.placements[t];
  if (placement.kind == Placement::Kind::elsewhere) return;
  declared_.insert(t);
  const std::string extents = extent_list(extents_of(v), depth, out);
  const std::string type = std::string(dtype_cpp(v.dtype)) + axis_list(v.axes);
  if (placement.kind == Placement::Kind::output) {
    out += fmt::format("{}const auto {} = loam::make_output<{}>(b, {});\n", indent(depth), name(t), type, extents);
    return;
  }
  std::string at = slot_names_[placement.segment][static_cast<std::size_t>(placement.slot)];
  if (!placement.offset.is(0)) {
    define_symbols(placement.offset, depth, out);
    at += " + " + text(placement.offset);
  }
  out += fmt::format("{}const auto {} = loam::make<{}>(b, {}, {}, {});\n", indent(depth), name(t), type, placement.segment, at, extents);
}

std::string ModuleWriter::constant_tensor(TensorId t, int depth, std::string& out) {
  const VirtualTensor& v = tensor(t);
  const std::string type = std::string(dtype_cpp(v.dtype)) + axis_list(v.axes);
  if (v.data && v.dtype == DType::string) {
    const std::string& id = name(t);
    std::string strings, extents;
    for (const std::string& s : v.data->strings)
      strings += fmt::format("{}{{{}, {}}}", strings.empty() ? "" : ", ", cpp_string(s), s.size());
    if (constants_written_.insert(t).second)
      constants_ += fmt::format("inline constexpr std::string_view {}[] = {{{}}};\n", id, strings.empty() ? "{}" : strings);
    for (const std::int64_t d : v.data->dims) extents += (extents.empty() ? "" : ", ") + std::to_string(d);
    return fmt::format("loam::make_constant<{}>(b, {{{}}}, constants::{})", type, extents, id);
  }
  if (v.data) {
    // Data too large to be a shape: its bytes, as the weights' are.
    const std::string& id = name(t);
    if (constants_written_.insert(t).second) {
      const std::vector<std::byte> bytes = unpacked(v.dtype, std::get_if<Bytes>(&v.data->data)->span(), v.data->elements());
      std::string text;
      for (const std::byte byte : bytes) {
        const auto c = static_cast<unsigned>(byte);
        text += fmt::format("\\{:03o}", c);
        if (text.size() - text.rfind('\n') > 100) text += "\"\n    \"";
      }
      constants_ += fmt::format("alignas(64) inline constexpr char {}[] =\n    \"{}\";\n", id, text);
    }
    std::string extents;
    for (const std::int64_t d : v.data->dims) extents += (extents.empty() ? "" : ", ") + std::to_string(d);
    return fmt::format("loam::make_constant<{}>(b, {{{}}}, reinterpret_cast<const {}*>(constants::{}))", type, extents, dtype_cpp(v.dtype), id);
  }
  const Known& known = *v.known;
  std::string elements;
  for (std::size_t i = 0; i < known.elements.size(); ++i) {
    if (const auto* p = std::get_if<Polynomial>(&known.elements[i])) {
      define_symbols(*p, depth, out);
      elements += (i ? ", " : "") + (p->is_constant() ? cpp_literal(p->constant_term(), known.dtype) : fmt::format("static_cast<{}>({})", dtype_cpp(known.dtype), text(*p)));
    } else {
      elements += (i ? ", " : "") + cpp_literal(known.number(i), known.dtype);
    }
    if (i % 12 == 11) elements += "\n     ";
  }
  if (elements.empty()) elements = "{}";
  const std::string& id = name(t);
  if (known.constant()) {
    if (constants_written_.insert(t).second)
      constants_ += fmt::format("inline constexpr {} {}[] = {{{}}};\n", dtype_cpp(known.dtype), id, elements);
  } else if (declared_.insert(t).second) {
    // Filled where its lengths are known; it lies at forward's top, since a branch may hand it on past its own block.
    const std::string cells = locals_.mint(id + "_elements");
    hoisted_ += fmt::format("  [[maybe_unused]] std::array<{}, {}> {};\n", dtype_cpp(known.dtype), known.elements.size(), cells);
    out += fmt::format("{}{} = {{{}}};\n{}const auto* const {} = {}.data();\n", indent(depth), cells, elements, indent(depth), id, cells);
  }
  std::string extents;
  for (const std::int64_t d : known.dims) extents += (extents.empty() ? "" : ", ") + std::to_string(d);
  return fmt::format("loam::make_constant<{}>(b, {{{}}}, {}{})", type, extents, known.constant() ? "constants::" : "", id);
}

std::string ModuleWriter::operand(const OperandRef& ref, int depth, std::string& out) {
  if (const auto* c = std::get_if<CoordinateOperand>(&ref)) return fmt::format("loam::coordinate<{}>", c->axis);
  if (const auto* s = std::get_if<ScalarOperand>(&ref)) {
    if (const auto* d = std::get_if<double>(&s->value)) {
      std::string literal = cpp_literal(*d, compute_type(s->type));
      return fmt::format("loam::scalar({})", literal);
    }
    const Polynomial& p = std::get<Polynomial>(s->value);
    define_symbols(p, depth, out);
    const DType type = compute_type(s->type);
    if (p.is_constant()) return fmt::format("loam::scalar({})", cpp_literal(p.constant_term(), type));
    return fmt::format("loam::scalar(static_cast<{}>({}))", dtype_cpp(type), text(p));
  }
  const TensorId t = std::get<TensorId>(ref);
  if (t == no_tensor) return "loam::none";
  const VirtualTensor& v = tensor(t);
  if (v.kind == VirtualTensor::Kind::weight || v.kind == VirtualTensor::Kind::prepared) return weights_ + weight_names_[t];
  if (v.kind == VirtualTensor::Kind::constant) return constant_tensor(t, depth, out);
  declare(t, depth, out);
  return name(t);
}

std::string ModuleWriter::argument(const Argument& argument, int depth, std::string& out) {
  if (const auto* literal = std::get_if<Literal>(&argument)) return literal->text;
  if (const auto* p = std::get_if<Polynomial>(&argument)) {
    define_symbols(*p, depth, out);
    return p->is_constant() ? text(*p) : text(*p);
  }
  if (const auto* list = std::get_if<ExtentList>(&argument))
    return fmt::format("std::array<std::int64_t, {}>{}", list->values.size(), extent_list(list->values, depth, out));
  if (const auto* aggregate = std::get_if<Aggregate>(&argument)) {
    std::string rendered;
    std::size_t next = 0;
    for (const char c : aggregate->text) {
      if (c != '$' || next >= aggregate->values.size()) {
        rendered += c;
        continue;
      }
      define_symbols(aggregate->values[next], depth, out);
      rendered += text(aggregate->values[next++]);
    }
    return rendered;
  }
  const auto& e = std::get<Expression>(argument);
  functions_ = true;
  for (const Expression::Step& s : e.steps()) narrow_ = narrow_ || is_narrow(s.target);
  if (const std::string named = e.named(); !named.empty()) return named + "{}";
  const std::string body = e.cpp();
  const std::string key = std::to_string(e.inputs()) + body;
  auto it = expressions_.find(key);
  if (it == expressions_.end()) {
    const std::string id = fmt::format("E{}", expressions_.size() + 1);
    std::string parameters;
    for (int i = 0; i < e.inputs(); ++i) parameters += fmt::format("{}[[maybe_unused]] auto x{}", i ? ", " : "", i);
    expression_order_.emplace_back(id, fmt::format("struct {} {{\n  constexpr auto operator()({}) const {{\n    {}\n  }}\n}};\n", id, parameters, body));
    it = expressions_.emplace(key, id).first;
  }
  return "expressions::" + it->second + "{}";
}

void ModuleWriter::render_call(const Call& call, const Step& step, int depth, std::string& out) {
  folders_.insert(call.folder);
  std::string line = fmt::format("loam::{}(b", call.kernel);
  if (call.sited) {
    line += fmt::format(", loam::Site{{{}}}", cpp_string(step.site));
    can_fail_ = true;
  }
  for (const TensorId t : call.outputs) line += ", " + operand(t, depth, out);
  for (const Argument& a : call.arguments) line += ", " + argument(a, depth, out);
  for (const OperandRef& o : call.inputs) line += ", " + operand(o, depth, out);
  out += indent(depth) + line + ");\n";
}

void ModuleWriter::render_view(const ViewStep& view, int depth, std::string& out) {
  const VirtualTensor& to = tensor(view.out);
  const VirtualTensor& from = tensor(view.in);
  const std::string in = operand(view.in, depth, out);
  declared_.insert(view.out);
  std::string value;
  switch (view.kind) {
    case ViewStep::Kind::reshape:
      regroups_ = regroups_ || !from.dense;
      value = fmt::format("loam::{}<loam::List<{}>{}>({}, {})", from.dense ? "reshape" : "regroup", axis_list(from.axes, ""), axis_list(to.axes), in,
                          extent_list(view.extents, depth, out));
      break;
    case ViewStep::Kind::transpose: {
      std::string order;
      for (const int i : view.order) order += (order.empty() ? "" : ", ") + std::to_string(i);
      value = fmt::format("loam::transpose<{}>({})", order, in);
      break;
    }
    case ViewStep::Kind::units: {
      std::string source;
      for (const int i : view.order) source += i < 0 ? ", loam::inserted" : ", " + std::to_string(i);
      value = fmt::format("loam::Units<{}>::of({}, std::index_sequence<{}>{{}})", axis_list(to.axes, ""), in, source.empty() ? "" : source.substr(2));
      break;
    }
    case ViewStep::Kind::slice:
      value = fmt::format("loam::slice<loam::List<{}>{}>({}, {}, {}, {})", axis_list(from.axes, ""), axis_list(to.axes), in,
                          extent_list(view.starts, depth, out), extent_list(view.steps, depth, out), extent_list(view.extents, depth, out));
      break;
    case ViewStep::Kind::expand:
      value = fmt::format("loam::expand<{}>({}, {})", axis_list(to.axes, ""), in, extent_list(view.extents, depth, out));
      break;
    case ViewStep::Kind::relabel:
      value = fmt::format("loam::relabel<loam::List<{}>{}>({})", axis_list(from.axes, ""), axis_list(to.axes), in);
      break;
  }
  out += fmt::format("{}const auto {} = {};\n", indent(depth), name(view.out), value);
}

void ModuleWriter::render_step(const Step& step, int depth, std::string& out) {
  if (const auto* call = std::get_if<Call>(&step.what)) return render_call(*call, step, depth, out);
  if (const auto* view = std::get_if<ViewStep>(&step.what)) return render_view(*view, depth, out);
  if (const auto* branch = std::get_if<BranchStep>(&step.what)) return render_branch(*branch, step.site, depth, out);
  if (const auto* loop = std::get_if<LoopStep>(&step.what)) return render_loop(*loop, step.site, depth, out);
  if (const auto* check = std::get_if<CheckStep>(&step.what)) {
    out += fmt::format("{}// What nodes rely on.\n", indent(depth));
    for (const Condition& c : check->conditions) {
      define_symbols(c.slack, depth, out);
      out += fmt::format("{}if (const std::int64_t slack = {}; slack < 0)\n{}return loam::unmet({}, {}, slack);\n", indent(depth), text(c.slack),
                         indent(depth + 2), cpp_string(c.site), cpp_string(c.reason));
    }
    return;
  }
  if (const auto* bind = std::get_if<BindStep>(&step.what)) {
    const std::string from = operand(bind->from, depth, out);
    for (std::size_t i = 0; i < bind->symbols.size(); ++i) {
      const auto id = bind->symbols[i].as_symbol();
      if (!id) continue;
      out += fmt::format("{}const std::int64_t {} = static_cast<std::int64_t>(b.read(loam::element({}, {})));\n", indent(depth), symbol_name(*id), from, i);
      defined_.insert(*id);
      check_length(*id, step.site, depth, out);
    }
  }
}

void ModuleWriter::render_block(const Block& block, int depth, std::string& out) {
  const BlockPlan& plan = input_.plan.blocks.at(&block);
  std::size_t next = 0;
  std::string last_label;
  for (std::size_t i = 0; i <= block.steps.size(); ++i) {
    // The checks come before the memory they may show is not needed.
    const bool check = i < block.steps.size() && std::holds_alternative<CheckStep>(block.steps[i].what);
    if (depth == 1 && (statements_.empty() || statements_.back() != out.size())) statements_.push_back(out.size());
    while (!check && next < plan.segments.size() && plan.segments[next].before_step <= i) open_segment(plan.segments[next++], depth, out);
    if (i == block.steps.size()) break;
    if (depth == 1 && statements_.back() != out.size()) statements_.push_back(out.size());
    const Step& step = block.steps[i];
    const std::string label = step.label.empty() ? step.site : step.label;
    if (!check && label != last_label) {
      out += fmt::format("\n{}// {}\n", indent(depth), comment_text(label));
      last_label = label;
    }
    render_step(step, depth, out);
  }
}

}  // namespace loam
