#include "compiler/read/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/read/budget.hpp"
#include "compiler/read/nested.hpp"

namespace loam {
namespace {

constexpr std::size_t call_bytes = 1024;  // the time a call takes, whatever its body, in bytes copied
constexpr std::size_t lookup_bytes = 16;   // the time a name takes to find, in each scope or among others
constexpr int max_errors = 100;

// The names of a body (or of a graph nested in one) and what they are called where the body is put.
struct Names {
  const Names* outer = nullptr;
  std::unordered_map<std::string, std::string> names;

  const std::string* find(const std::string& name) const {
    for (const Names* scope = this; scope != nullptr; scope = scope->outer)
      if (const auto found = scope->names.find(name); found != scope->names.end()) return &found->second;
    return nullptr;
  }
};

// Where a node is being copied from. In the model's own graphs there is no call, and names and attributes stay.
struct Frame {
  const Function* function = nullptr;
  const Node* call = nullptr;
  const Names* names = nullptr;
  std::string prefix;  // of the body's names: "call/"
  int depth = 0;       // of calls and nested graphs together
};

class Inliner {
 public:
  Inliner(Model& model, const std::vector<Function>& functions, Diagnostics& diagnostics)
      : model_(model), functions_(functions), diagnostics_(diagnostics) {}

  bool run();

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // domain, name, overload

  void index_functions();
  const Function* find(const Node& node) const;

  std::vector<Node> expand(const std::vector<Node>& nodes, const Frame& frame);
  void inline_call(const Node& call, const Function& function, const Frame& caller, std::vector<Node>& into);
  bool check_call(const Node& call, const Function& function, int depth);
  bool uses(const std::vector<Node>& nodes, const std::string& domain) const;
  void check_opsets(const Function& function);
  Node instantiate(const Node& node, const Frame& frame);
  Graph instantiate(const Graph& graph, const Frame& frame);
  std::optional<Attribute> instantiate(const Attribute& attribute, const Node& node, const Frame& frame);
  std::string renamed(const std::string& name, const Node* node, const Frame& frame);
  void define(Names& names, const std::string& name, const Frame& frame);

  std::string fresh(std::string name);
  void error(std::string site, std::string message, Code code = Code::malformed_graph);
  // Nothing more is made, nor any further error reported.
  bool stopped() const { return errors_ >= max_errors || budget_.exhausted(); }

  Model& model_;
  const std::vector<Function>& functions_;
  Diagnostics& diagnostics_;
  std::map<Key, const Function*> index_;
  std::vector<const Function*> active_;            // the functions whose bodies are being put in
  std::unordered_set<const Function*> checked_;    // those whose opsets have been compared with the model's
  std::unordered_set<std::string> taken_;          // every name of the model, and of calls' prefixes
  std::unordered_map<std::string, std::size_t> suffixes_;
  Budget budget_;
  std::string exhausted_by_;  // the function whose body was the one too many
  int errors_ = 0;
};

bool Inliner::run() {
  index_functions();
  if (!index_.empty()) visit_defined_names(model_.graph, [&](const std::string& name) { taken_.insert(name); });
  model_.graph.nodes = expand(model_.graph.nodes, Frame{});
  if (budget_.exhausted()) error(exhausted_by_, std::string(budget_.reason()), Code::unsupported_file);
  return errors_ == 0;
}

void Inliner::index_functions() {
  for (const Function& function : functions_) {
    if (stopped()) return;
    if (!index_.emplace(Key{function.domain, function.name, function.overload}, &function).second)
      error(function.full_name(), "is a local function defined twice");
    for (const Attribute& attribute : function.defaults) {
      bool has_graph = false;
      visit_graphs(attribute, [&](const Graph&) { has_graph = true; });
      if (stopped()) return;
      if (!attribute.reference.empty() || has_graph) {
        error(function.full_name(), fmt::format("the default of its attribute {} is {}", attribute.name,
                                                has_graph ? "a graph" : "a reference"), Code::unsupported_file);
      }
    }
  }
}

const Function* Inliner::find(const Node& node) const {
  if (index_.empty()) return nullptr;
  const auto found = index_.find({node.domain, node.op_type, node.overload});
  return found == index_.end() ? nullptr : found->second;
}

// The nodes as they are in the result: each instantiated, and each call replaced by its body's nodes.
std::vector<Node> Inliner::expand(const std::vector<Node>& nodes, const Frame& frame) {
  std::vector<Node> expanded;
  for (const Node& node : nodes) {
    if (stopped()) break;
    Node instance = instantiate(node, frame);
    if (const Function* function = find(instance)) {
      inline_call(instance, *function, frame, expanded);
    } else if (!instance.overload.empty()) {
      error(instance.site(), fmt::format("no local function has the overload '{}'", instance.overload));
    } else {
      expanded.push_back(std::move(instance));
    }
  }
  return expanded;
}

void Inliner::inline_call(const Node& call, const Function& function, const Frame& caller, std::vector<Node>& into) {
  if (!check_call(call, function, caller.depth + 1)) return;
  check_opsets(function);

  Frame frame{&function, &call, nullptr, {}, caller.depth + 1};
  frame.prefix = fresh(call.name.empty() ? caller.prefix + function.name : call.name) + '/';
  budget_.spend(call_bytes + 2 * frame.prefix.size());

  Names names;
  std::unordered_set<std::string_view> defined;
  const auto enter = [&](const std::string& name) {
    if (!defined.insert(name).second && !stopped()) error(function.full_name(), fmt::format("defines '{}' twice", name));
  };
  for (std::size_t i = 0; i < function.inputs.size(); ++i) {
    enter(function.inputs[i]);
    names.names.emplace(function.inputs[i], i < call.inputs.size() ? call.inputs[i] : std::string());
  }
  std::vector<std::pair<std::string, std::string>> copies;  // from formal to actual, where no node writes the actual
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    budget_.spend(sizeof(Node));
    const bool wanted = i < call.outputs.size() && !call.outputs[i].empty();
    if (!wanted) continue;
    if (!names.names.emplace(function.outputs[i], call.outputs[i]).second)
      copies.emplace_back(function.outputs[i], call.outputs[i]);
  }
  for (const Node& node : function.nodes) {
    for (const std::string& output : node.outputs) {
      if (stopped()) return;
      if (output.empty()) continue;
      enter(output);
      define(names, output, frame);
    }
  }
  for (const std::string& output : function.outputs) {
    if (!defined.contains(output) && !stopped())
      error(function.full_name(), fmt::format("its output '{}' is defined by nothing in it", output));
  }

  frame.names = &names;
  active_.push_back(&function);
  std::vector<Node> body = expand(function.nodes, frame);
  active_.pop_back();
  if (budget_.exhausted() && exhausted_by_.empty()) exhausted_by_ = function.full_name();
  std::ranges::move(body, std::back_inserter(into));

  // An output that is an input, or another output, is a copy: a value has one name.
  for (const auto& [formal, actual] : copies) {
    std::string source = renamed(formal, nullptr, frame);
    if (source.empty()) continue;  // an absent input: what reads the output finds nothing that defines it
    Node identity;
    identity.name = frame.prefix + formal;
    identity.op_type = "Identity";
    identity.inputs.push_back(std::move(source));
    identity.outputs.push_back(actual);
    into.push_back(std::move(identity));
  }
}

bool Inliner::check_call(const Node& call, const Function& function, int depth) {
  if (std::ranges::find(active_, &function) != active_.end()) {
    std::string chain;
    for (const Function* active : active_) chain += active->full_name() + " -> ";
    error(function.full_name(), fmt::format("calls itself: {}{}", chain, function.full_name()));
    return false;
  }
  if (call.inputs.size() > function.inputs.size() || call.outputs.size() > function.outputs.size()) {
    error(call.site(), fmt::format("has {} inputs and {} outputs, and the function {} has {} and {}",
                                   call.inputs.size(), call.outputs.size(), function.full_name(),
                                   function.inputs.size(), function.outputs.size()));
    return false;
  }
  budget_.descend(depth);
  for (const std::string& input : function.inputs) budget_.spend(sizeof(Node) + input.size());
  return !stopped();
}

// Whether any of the nodes is an operator of the domain.
bool Inliner::uses(const std::vector<Node>& nodes, const std::string& domain) const {
  return std::ranges::any_of(nodes, [&](const Node& node) {
    bool used = node.domain == domain && find(node) == nullptr;
    for (const Attribute& attribute : node.attributes)
      visit_graphs(attribute, [&](const Graph& graph) { used = used || uses(graph.nodes, domain); });
    return used;
  });
}

// A body's nodes mean what the function's opsets say, and after inlining they stand under the model's.
void Inliner::check_opsets(const Function& function) {
  if (!checked_.insert(&function).second) return;
  for (const OpsetImport& opset : function.opsets) {
    const auto same = std::ranges::find(model_.opsets, opset.domain, &OpsetImport::domain);
    if (same == model_.opsets.end()) {
      model_.opsets.push_back(opset);
    } else if (same->version != opset.version && uses(function.nodes, opset.domain)) {
      error(function.full_name(),
            fmt::format("reads the operators of '{}' in version {}, and the model in version {}",
                        opset.domain.empty() ? "ai.onnx" : opset.domain, opset.version, same->version),
            Code::unsupported_file);
    }
  }
}

Node Inliner::instantiate(const Node& node, const Frame& frame) {
  Node instance;
  instance.op_type = node.op_type;
  instance.domain = node.domain;
  instance.overload = node.overload;
  instance.name = node.name.empty() ? node.name : frame.prefix + node.name;
  for (const std::string& input : node.inputs) instance.inputs.push_back(renamed(input, &node, frame));
  for (const std::string& output : node.outputs) instance.outputs.push_back(renamed(output, &node, frame));
  for (const Attribute& attribute : node.attributes)
    if (std::optional<Attribute> kept = instantiate(attribute, node, frame))
      instance.attributes.push_back(std::move(*kept));
  if (frame.call != nullptr)
    budget_.spend(sizeof(Node) + node.op_type.size() + node.domain.size() + node.overload.size() + instance.name.size());
  return instance;
}

Graph Inliner::instantiate(const Graph& graph, const Frame& frame) {
  budget_.descend(frame.depth);
  if (stopped()) return {};
  Graph instance = graph;
  if (frame.call == nullptr) {
    instance.nodes = expand(graph.nodes, frame);
    return instance;
  }
  budget_.spend_on(Graph{graph.name, {}, graph.inputs, graph.outputs, graph.initializers, graph.sparse_initializers,
                 graph.value_infos}, frame.depth);
  Names names;
  names.outer = frame.names;
  Frame inner = frame;
  inner.names = &names;
  const auto enter = [&](std::string& name) {
    define(names, name, frame);
    name = names.names[name];
  };
  for (ValueInfo& input : instance.inputs) enter(input.name);
  for (TensorData& tensor : instance.initializers) enter(tensor.name);
  for (auto& [name, tensor] : instance.sparse_initializers) enter(name);
  for (const Node& node : graph.nodes)
    for (const std::string& output : node.outputs)
      if (!output.empty()) define(names, output, frame);
  instance.nodes = expand(graph.nodes, inner);
  for (ValueInfo& output : instance.outputs) output.name = renamed(output.name, nullptr, inner);
  instance.value_infos.clear();
  return instance;
}

std::optional<Attribute> Inliner::instantiate(const Attribute& attribute, const Node& node, const Frame& frame) {
  if (stopped()) return std::nullopt;
  if (attribute.reference.empty()) {
    Attribute instance = attribute;
    Frame inner = frame;
    ++inner.depth;
    transform_graphs(instance, [&](const Graph& graph) { return instantiate(graph, inner); });
    if (frame.call == nullptr) return instance;
    budget_.spend(sizeof(Attribute) + attribute.name.size());
    bool has_graph = false;  // whose copy has been paid for
    visit_graphs(attribute, [&](const Graph&) { has_graph = true; });
    if (!has_graph) budget_.spend_on(attribute.value, frame.depth);
    return instance;
  }
  if (frame.call == nullptr) {
    error(node.site(), fmt::format("its attribute {} refers to the attribute {} of a function, and is in none",
                                   attribute.name, attribute.reference));
    return std::nullopt;
  }
  budget_.spend((frame.call->attributes.size() + frame.function->defaults.size()) * lookup_bytes);
  const Attribute* found = frame.call->attribute(attribute.reference);
  if (found == nullptr) {
    const auto& defaults = frame.function->defaults;
    const auto at = std::ranges::find(defaults, attribute.reference, &Attribute::name);
    if (at == defaults.end()) return std::nullopt;
    found = &*at;
  }
  budget_.spend(sizeof(Attribute) + attribute.name.size());
  budget_.spend_on(found->value, frame.depth);
  if (stopped()) return std::nullopt;
  return Attribute{attribute.name, found->value, {}};
}

std::string Inliner::renamed(const std::string& name, const Node* node, const Frame& frame) {
  if (frame.call == nullptr || name.empty()) return name;
  if (stopped()) return {};
  const std::string* found = frame.names->find(name);
  if (found == nullptr) {
    error(frame.function->full_name(), fmt::format("{} reads '{}', which nothing in the function defines",
                                                   node == nullptr ? "an output" : node->site(), name));
    return {};
  }
  budget_.spend(sizeof(std::string) + found->size() + static_cast<std::size_t>(frame.depth) * lookup_bytes);
  return *found;
}

// Gives a name of the body one that nothing in the model has. Names are kept where they stand twice: order_graph says so.
void Inliner::define(Names& names, const std::string& name, const Frame& frame) {
  const auto [at, is_new] = names.names.try_emplace(name);
  if (!is_new) return;
  at->second = fresh(frame.prefix + name);
  budget_.spend(4 * (sizeof(std::string) + at->second.size()));  // here, in the set of names, in the node, and slack
}

std::string Inliner::fresh(std::string name) {
  if (taken_.insert(name).second) return name;
  std::size_t& suffix = suffixes_.try_emplace(name, 1).first->second;
  while (true) {
    std::string candidate = fmt::format("{}_{}", name, ++suffix);
    if (taken_.insert(candidate).second) return candidate;
  }
}

void Inliner::error(std::string site, std::string message, Code code) {
  diagnostics_.error(code, std::move(site), std::move(message));
  ++errors_;
}

}  // namespace

std::string Function::full_name() const {
  std::string full = domain;
  if (!full.empty()) full += '.';
  full += name;
  if (!overload.empty()) {
    full += ':';
    full += overload;
  }
  return full;
}

bool inline_functions(Model& model, const std::vector<Function>& functions, Diagnostics& diagnostics) {
  return Inliner(model, functions, diagnostics).run();
}

}  // namespace loam
