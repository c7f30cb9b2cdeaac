#include "compiler/stage0/stage0.hpp"

#include <algorithm>
#include <cctype>

#include "compiler/operators/absent.hpp"
#include "compiler/operators/schema.hpp"
#include "compiler/operators/strings.hpp"
#include "compiler/stage0/names.hpp"

namespace loam {

StageZero::StageZero(const Model& model, const CompileOptions& options, Diagnostics& diagnostics)
    : model_(model), options_(options), diagnostics_(diagnostics) {}

ValueId StageZero::add(TypedValue value) {
  graph_.values.push_back(std::move(value));
  return static_cast<ValueId>(graph_.values.size() - 1);
}

ValueId StageZero::find(const Scope& scope, std::string_view name) const {
  for (const Scope* s = &scope; s; s = s->outer)
    if (const auto it = s->names.find(name); it != s->names.end()) return it->second;
  return no_value;
}

const LayoutRule* StageZero::rule_for(std::string_view tensor, std::string_view graph_name) const {
  for (const LayoutRule& rule : options_.layout.rules)
    if ((rule.graph.empty() || rule.graph == graph_name) && wildcard_matches(rule.pattern, tensor)) return &rule;
  return nullptr;
}

void StageZero::apply_layout(ValueId id, const Graph& graph, bool boundary) {
  const TypedValue& value = graph_.values[id];
  if (!value.type) return;
  const LayoutRule* rule = rule_for(value.name, graph.name);
  if (!rule) {
    if (boundary && options_.strict_layout && value.origin == TypedValue::Origin::initializer)
      diagnostics_.error(Code::axis_unnamed, value.name, "no layout rule names this tensor's axes, and --strict-layout asks for one");
    return;
  }
  const std::vector<Axis>& axes = value.type->axes;
  if (rule->axes.size() != axes.size()) {
    // A wildcard may sweep over tensors of other ranks between the nodes; on the boundary the rule is about them.
    if (boundary)
      diagnostics_.error(Code::rank_mismatch, value.name,
                         "the layout names " + std::to_string(rule->axes.size()) + " axes and the graph gives " +
                             std::to_string(axes.size()) + " dimensions");
    return;
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    auto words = layout_words(rule->axes[i]);
    if (words.size() == 1 && words[0] == "_") continue;
    // Between the nodes a rule names what an operator made, and leaves alone what it carried through.
    if (!boundary && graph_.axes.hint(axes[i])) continue;
    graph_.axes.name(axes[i], std::move(words), value.name);
  }
}

void StageZero::declare_initializers(const Graph& graph, Scope& scope) {
  for (const TensorData& tensor : graph.initializers) {
    TensorType type{tensor.dtype, {}};
    for (std::size_t i = 0; i < tensor.dims.size(); ++i)
      type.axes.push_back(graph_.axes.fresh_axis(tensor.dims[i], "axis " + std::to_string(i) + " of " + tensor.name));
    TypedValue value{.name = tensor.name, .origin = TypedValue::Origin::initializer, .type = std::move(type), .known = {}, .data = &tensor};
    // A float initializer is a weight: it belongs to the checkpoint, and the build may not have it. A float of one
    // element that the graph carries is read as the constant it is.
    if (!is_float(tensor.dtype) || tensor.elements() <= 1) value.known = known_from(tensor);
    const ValueId id = add(std::move(value));
    scope.names.emplace(tensor.name, id);
    if (&graph == &model_.graph) graph_.initializers.push_back(id);
    apply_layout(id, graph, true);
  }
}

void StageZero::run_nodes(const Graph& graph, Scope& scope) {
  for (const Node& node : graph.nodes) run_node(node, scope);
}

void StageZero::run_node(const Node& node, Scope& scope) {
  TypedNode typed;
  typed.node = &node;
  typed.opset = model_.opset(node.domain);
  typed.op = find_operator(node.domain, node.op_type);
  for (const std::string& name : node.inputs) typed.inputs.push_back(name.empty() ? no_value : find(scope, name));
  for (const std::string& name : node.outputs) {
    if (name.empty()) {
      typed.outputs.push_back(no_value);
      continue;
    }
    const ValueId id = add({.name = name, .origin = TypedValue::Origin::node, .type = {}, .known = {}, .data = nullptr});
    typed.outputs.push_back(id);
    scope.names.emplace(name, id);
  }
  // Trailing absent inputs say nothing.
  while (!typed.inputs.empty() && typed.inputs.back() == no_value && node.inputs.back().empty() && typed.op &&
         static_cast<int>(typed.inputs.size()) > typed.op->max_inputs && typed.op->max_inputs >= 0)
    typed.inputs.pop_back();
  Scope* const outer = scope_;
  scope_ = &scope;
  infer(typed, scope);
  scope_ = outer;
  scope.block->nodes.push_back(std::move(typed));
}

void StageZero::infer(TypedNode& typed, Scope& scope) {
  const Node& node = *typed.node;
  if (!typed.op) {
    diagnostics_.error(Code::unknown_operator, node.site(),
                       "no operator " + (node.domain.empty() ? "" : node.domain + "::") + node.op_type + " is known",
                       std::string(why_absent(node.domain, node.op_type)));
    return;
  }
  const Operator& op = *typed.op;
  const auto count = [](int least, int most, const char* what, std::size_t given) {
    return "takes " + std::to_string(least) + (most < 0 ? " or more" : most == least ? "" : " to " + std::to_string(most)) +
           " " + what + " and was given " + std::to_string(given);
  };
  const auto n = static_cast<int>(typed.inputs.size());
  int present = n;
  while (present > 0 && typed.inputs[static_cast<std::size_t>(present - 1)] == no_value) --present;
  if (present < op.min_inputs || (op.max_inputs >= 0 && n > op.max_inputs)) {
    diagnostics_.error(Code::operator_form, node.site(), count(op.min_inputs, op.max_inputs, "inputs", typed.inputs.size()));
    return;
  }
  if (op.max_outputs >= 0 && static_cast<int>(typed.outputs.size()) > op.max_outputs) {
    diagnostics_.error(Code::operator_form, node.site(), count(op.min_outputs, op.max_outputs, "outputs", typed.outputs.size()));
    return;
  }
  for (std::size_t i = 0; i < typed.inputs.size(); ++i) {
    if (typed.inputs[i] == no_value) {
      if (static_cast<int>(i) < op.min_inputs && node.inputs[i].empty()) {
        diagnostics_.error(Code::operator_form, node.site(), "input " + std::to_string(i) + " is absent, and the operator needs it");
        return;
      }
      continue;
    }
    const TypedValue& value = graph_.values[typed.inputs[i]];
    if (value.structure && !op.structures) {
      diagnostics_.error(Code::operator_form, node.site(),
                         value.name + " is " + describe(typed.inputs[i]) + ", and the operator takes tensors");
      return;
    }
    if (!value.type && !value.structure && op.needs == Operator::Needs::types) return;  // reported where it should have come from
    if (!op.any_rank && refuse_varying(typed.inputs[i], node.site())) return;
    if (value.type && value.type->dtype != DType::undefined && dtype_cpp(value.type->dtype).empty()) {
      diagnostics_.error(Code::element_type, node.site(),
                         value.name + " is " + std::string(dtype_name(value.type->dtype)) + ", which no kernel computes with");
      return;
    }
    if (value.type && value.type->dtype == DType::string && !takes_strings(op, i)) {
      diagnostics_.error(Code::element_type, node.site(), value.name + " is string, and the operator takes no strings there");
      return;
    }
  }
  InferContext context(*this, typed);
  if (!fits_schema(context)) return;
  const std::size_t errors = diagnostics_.errors();
  op.infer(context);
  const bool all_known = std::ranges::all_of(
      typed.inputs, [&](ValueId id) { return id == no_value || graph_.values[id].known.has_value(); });
  if (diagnostics_.errors() == errors && op.fold && (op.folds == Operator::Folds::always || all_known)) op.fold(context);
  for (const ValueId id : typed.outputs)
    if (id != no_value) apply_layout(id, *scope.graph, false);
}

TypedBlock& StageZero::block(TypedNode& node, const Graph& graph, const std::vector<TensorType>& inputs,
                             const std::vector<const Known*>& known) {
  TypedBlock& block = node.blocks.emplace_back();
  block.graph = &graph;
  Scope scope{.outer = scope_, .names = {}, .block = &block, .graph = &graph};
  for (std::size_t i = 0; i < graph.inputs.size() && i < inputs.size(); ++i) {
    TypedValue value{.name = graph.inputs[i].name, .origin = TypedValue::Origin::node, .type = inputs[i], .known = {}, .data = nullptr};
    if (i < known.size() && known[i]) value.known = *known[i];
    const ValueId id = add(std::move(value));
    block.inputs.push_back(id);
    scope.names.emplace(graph.inputs[i].name, id);
  }
  run_block(node, scope);
  return block;
}

TypedBlock& StageZero::inlined_block(TypedNode& node, const Graph& graph, const std::vector<ValueId>& inputs) {
  TypedBlock& block = node.blocks.emplace_back();
  block.graph = &graph;
  block.inlined = true;
  Scope scope{.outer = scope_, .names = {}, .block = &block, .graph = &graph};
  for (std::size_t i = 0; i < graph.inputs.size() && i < inputs.size(); ++i) scope.names.emplace(graph.inputs[i].name, inputs[i]);
  run_block(node, scope);
  return block;
}

void StageZero::run_block(const TypedNode& node, Scope& scope) {
  Scope* const outer = scope_;
  scope_ = &scope;
  declare_initializers(*scope.graph, scope);
  run_nodes(*scope.graph, scope);
  scope_ = outer;
  for (const ValueInfo& output : scope.graph->outputs) {
    const ValueId id = find(scope, output.name);
    scope.block->outputs.push_back(id);
    if (!node.op->any_rank) refuse_varying(id, node.node->site());
  }
}

bool StageZero::refuse_varying(ValueId id, const std::string& site) {
  if (id == no_value || !graph_.values[id].rank_varies) return false;
  diagnostics_.error(Code::rank_mismatch, site,
                     graph_.values[id].name + " has as many axes as the branch that the run takes gives it, and what "
                                              "reads it here needs to know how many");
  return true;
}

void StageZero::check_declared_outputs() {
  for (std::size_t i = 0; i < model_.graph.outputs.size(); ++i) {
    const ValueInfo& declared = model_.graph.outputs[i];
    if (!options_.outputs.empty() && std::ranges::find(options_.outputs, declared.name) == options_.outputs.end()) continue;
    const ValueId id = find(*scope_, declared.name);
    if (id == no_value) continue;
    list_output(id, declared.name);
    const auto& type = graph_.values[id].type;
    const bool structured = graph_.values[id].structure.has_value();
    // A sequence of maps is the tensor of their values (ZipMap).
    const bool maps = declared.type.element && declared.type.element->kind == ValueType::Kind::map;
    if (structured ? declared.type.kind == ValueType::Kind::tensor
                   : type && !maps && (declared.type.kind == ValueType::Kind::sequence || declared.type.kind == ValueType::Kind::optional))
      diagnostics_.error(Code::operator_form, declared.name,
                         (structured ? "is declared a tensor and is " : "is declared to be no tensor and is ") + describe(id));
    if (!type || declared.type.kind != ValueType::Kind::tensor) continue;
    if (declared.type.dtype != DType::undefined && declared.type.dtype != type->dtype)
      diagnostics_.error(Code::element_type, declared.name,
                         "is declared " + std::string(dtype_name(declared.type.dtype)) + " and produced " + std::string(dtype_name(type->dtype)));
    if (!declared.type.shape) continue;
    // The nodes decide what an output is. Files whose declaration is plainly wrong are common, and onnxruntime runs them;
    // where only some inputs would meet it, the declaration is what tells the author's intent.
    if (declared.type.shape->size() != type->axes.size()) {
      diagnostics_.warning(Code::rank_mismatch, declared.name,
                           "is declared with " + std::to_string(declared.type.shape->size()) + " axes and produced with " +
                               std::to_string(type->axes.size()));
      continue;
    }
    for (std::size_t k = 0; k < type->axes.size(); ++k) {
      const auto* n = std::get_if<std::int64_t>(&(*declared.type.shape)[k]);
      if (!n) {
        if (const auto* word = std::get_if<std::string>(&(*declared.type.shape)[k]))
          if (!type->axes[k].unit()) graph_.axes.propose(type->axes[k], pascal_case(*word));
        continue;
      }
      const Polynomial produced = graph_.symbols.simplify(type->axes[k].extent());
      // What only a node can count, NonZero's places say, was one number where the file was written.
      if (std::ranges::any_of(graph_.symbols.leaves(produced), [&](SymbolId s) { return graph_.symbols[s].origin == Symbol::Origin::bound; })) continue;
      const auto hint = graph_.axes.hint(type->axes[k]);
      const std::string reason =
          "axis " + (hint ? *hint : std::to_string(k)) + " is declared " + std::to_string(*n) + " and produced " + graph_.symbols.text(produced);
      if (prove_equal(graph_.symbols, produced, *n, relations()) == Proof::never) diagnostics_.warning(Code::extent_mismatch, declared.name, reason);
      else equate(produced, *n, declared.name, reason);
    }
  }
  if (model_.graph.outputs.empty()) diagnostics_.error(Code::malformed_graph, model_.graph.name, "the graph has no output");
}

// What a sequence or an optional holds is outputs of their own: NAME_0, NAME_1, ...
void StageZero::list_output(ValueId id, const std::string& name) {
  if (const auto& structure = graph_.values[id].structure) {
    for (std::size_t i = 0; i < structure->items.size(); ++i) list_output(structure->items[i], name + "_" + std::to_string(i));
    return;
  }
  refuse_varying(id, name);
  graph_.body.outputs.push_back(id);
  graph_.output_names.push_back(name);
}

namespace {

// Whether symbols that the build uses after the node are bound by its run.
bool binds(const TypedNode& node) {
  return !node.bound.empty() || std::ranges::any_of(node.blocks, [](const TypedBlock& block) {
    return block.inlined && std::ranges::any_of(block.nodes, binds);
  });
}

}  // namespace

void StageZero::drop_unread(TypedBlock& block, std::set<ValueId>& needed) {
  for (auto it = block.nodes.rbegin(); it != block.nodes.rend(); ++it) {
    TypedNode& node = *it;
    node.reached = binds(node);  // extents are written in the symbols it binds
    for (const ValueId id : node.outputs)
      if (id != no_value && needed.contains(id) && !graph_.values[id].known) node.reached = true;
    if (!node.reached) continue;
    for (auto inner = node.blocks.rbegin(); inner != node.blocks.rend(); ++inner) {  // one turn reads what the last one gave
      for (const ValueId id : inner->outputs)
        if (id != no_value) needed.insert(id);
      drop_unread(*inner, needed);
    }
    for (const ValueId id : node.inputs)
      if (id != no_value) needed.insert(id);
  }
}

TypedGraph& StageZero::run() {
  constexpr std::int64_t newest_opset = 28;  // of ai.onnx, in onnx 1.23
  for (const OpsetImport& opset : model_.opsets)
    if (opset.domain.empty() && opset.version > newest_opset)
      diagnostics_.error(Code::opset_out_of_range, "ai.onnx",
                         "the graph imports version " + std::to_string(opset.version) + " of its operators, and the newest that Loam knows is " +
                             std::to_string(newest_opset));
  for (const std::string& name : options_.outputs)
    if (std::ranges::none_of(model_.graph.outputs, [&](const ValueInfo& o) { return o.name == name; }))
      diagnostics_.error(Code::bad_option, "--output " + name, "the graph has no such output");
  Scope scope{.outer = nullptr, .names = {}, .block = &graph_.body, .graph = &model_.graph};
  scope_ = &scope;
  graph_.body.graph = &model_.graph;
  declare_inputs();
  declare_initializers(model_.graph, scope);
  run_nodes(model_.graph, scope);
  check_declared_outputs();
  scope_ = nullptr;
  std::set<ValueId> needed(graph_.body.outputs.begin(), graph_.body.outputs.end());
  drop_unread(graph_.body, needed);
  settle_names();
  return graph_;
}

}  // namespace loam
