#include "compiler/read/order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/read/nested.hpp"

namespace loam {
namespace {

constexpr int max_errors = 100;
constexpr std::size_t none = static_cast<std::size_t>(-1);

// The names a graph defines, and for each of its nodes the nodes it depends on.
struct Scope {
  struct Definition {
    std::size_t node = none;  // none: an input or an initializer
    std::string renamed;      // what a nested graph's value is called instead; empty: its own name
  };
  Scope* outer = nullptr;
  std::unordered_map<std::string, Definition> names;
  std::vector<std::vector<std::size_t>> dependencies;
  std::size_t current = none;  // the node being read: its inputs, or a graph nested in it
};

class Orderer {
 public:
  Orderer(const Graph& graph, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    visit_defined_names(graph, [&](const std::string& name) { taken_.insert(name); });
  }

  void order(Graph& graph, Scope* outer);
  bool failed() const { return errors_ != 0; }

 private:
  void define_all(Graph& graph, Scope& scope);
  void define(std::string& name, std::size_t node, Graph& graph, Scope& scope);
  bool resolve(std::string& name, Scope* scope);
  std::string fresh(const std::string& name);
  std::vector<std::size_t> sorted(const Graph& graph, const Scope& scope);
  void report_cycle(const Graph& graph, const std::vector<std::size_t>& path);
  // Asked before a message is put together, whose names may be as long as the file.
  bool stopped() const { return errors_ >= max_errors; }
  void error(std::string site, std::string message) {
    ++errors_;
    diagnostics_.error(Code::malformed_graph, std::move(site), std::move(message));
  }

  Diagnostics& diagnostics_;
  int errors_ = 0;
  std::unordered_set<std::string> taken_;  // every name of the model: what a renamed value may not be called
  std::unordered_map<std::string, std::size_t> suffixes_;  // the last one given to each name
};

void Orderer::order(Graph& graph, Scope* outer) {
  Scope scope;
  scope.outer = outer;
  scope.dependencies.resize(graph.nodes.size());
  define_all(graph, scope);
  for (std::size_t i = 0; i < graph.nodes.size() && !stopped(); ++i) {
    Node& node = graph.nodes[i];
    scope.current = i;
    for (std::string& input : node.inputs) {
      if (input.empty() || resolve(input, &scope) || stopped()) continue;
      error(node.site(), fmt::format("reads '{}', which nothing defines", input));
    }
    for (Attribute& attribute : node.attributes) {
      transform_graphs(attribute, [&](Graph nested) {
        order(nested, &scope);
        return nested;
      });
    }
  }
  scope.current = none;
  for (ValueInfo& output : graph.outputs) {
    if (!resolve(output.name, &scope) && !stopped()) error(output.name, "is an output of the graph and nothing defines it");
  }
  for (ValueInfo& info : graph.value_infos) resolve(info.name, &scope);
  if (failed()) {
    sorted(graph, scope);  // for its cycles
    return;
  }
  const std::vector<std::size_t> order = sorted(graph, scope);
  if (std::ranges::is_sorted(order)) return;
  std::vector<Node> nodes;
  nodes.reserve(order.size());
  for (const std::size_t index : order) nodes.push_back(std::move(graph.nodes[index]));
  graph.nodes = std::move(nodes);
}

void Orderer::define_all(Graph& graph, Scope& scope) {
  for (ValueInfo& input : graph.inputs) define(input.name, none, graph, scope);
  for (TensorData& tensor : graph.initializers) define(tensor.name, none, graph, scope);
  for (auto& [name, tensor] : graph.sparse_initializers) define(name, none, graph, scope);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (std::string& output : graph.nodes[i].outputs)
      if (!output.empty()) define(output, i, graph, scope);
}

// Enters the name, and gives it another where a graph around this one has it.
void Orderer::define(std::string& name, std::size_t node, Graph& graph, Scope& scope) {
  const auto [at, is_new] = scope.names.try_emplace(name, Scope::Definition{node, {}});
  if (!is_new) {
    if (stopped()) return;
    const std::size_t first = at->second.node;
    // Exporters have written a constant's name twice. The last is meant, as onnxruntime reads it: its constants become
    // initializers before any node is read, each taking the name from the one before.
    if (first != none && node != none && graph.nodes[first].op_type == "Constant" && graph.nodes[node].op_type == "Constant") {
      graph.nodes[first].outputs.front() = fresh(name);
      at->second.node = node;
      return;
    }
    error(name, fmt::format("is defined twice: by {} and by {}",
                            first == none ? "an input or initializer" : graph.nodes[first].site(),
                            node == none ? "an input or initializer" : graph.nodes[node].site()));
    return;
  }
  for (const Scope* outer = scope.outer; outer != nullptr; outer = outer->outer) {
    if (!outer->names.contains(name)) continue;
    name = at->second.renamed = fresh(name);
    return;
  }
}

// Finds the definition that a name read in this scope means, and writes its name as it now is. The node of that scope
// that is being read depends on it.
bool Orderer::resolve(std::string& name, Scope* scope) {
  for (; scope != nullptr; scope = scope->outer) {
    const auto found = scope->names.find(name);
    if (found == scope->names.end()) continue;
    const Scope::Definition& definition = found->second;
    if (definition.node != none && scope->current != none)
      scope->dependencies[scope->current].push_back(definition.node);
    if (!definition.renamed.empty()) name = definition.renamed;
    return true;
  }
  return false;
}

std::string Orderer::fresh(const std::string& name) {
  std::size_t& suffix = suffixes_.try_emplace(name, 1).first->second;
  while (true) {
    std::string candidate = fmt::format("{}_{}", name, ++suffix);
    if (taken_.insert(candidate).second) return candidate;
  }
}

// Each node in file order, preceded by those it depends on that have not been placed: a depth-first walk, its path on a
// stack of our own since it can be as long as the graph.
std::vector<std::size_t> Orderer::sorted(const Graph& graph, const Scope& scope) {
  enum class State : std::uint8_t { waiting, on_path, placed };
  std::vector<State> states(graph.nodes.size(), State::waiting);
  std::vector<std::size_t> next(graph.nodes.size(), 0);  // of a node's dependencies
  std::vector<std::size_t> order;
  std::vector<std::size_t> path;
  for (std::size_t root = 0; root < graph.nodes.size(); ++root) {
    if (states[root] == State::waiting) path.push_back(root);
    while (!path.empty()) {
      const std::size_t node = path.back();
      states[node] = State::on_path;
      if (next[node] == scope.dependencies[node].size()) {
        states[node] = State::placed;
        order.push_back(node);
        path.pop_back();
        continue;
      }
      const std::size_t dependency = scope.dependencies[node][next[node]++];
      if (states[dependency] == State::waiting) {
        path.push_back(dependency);
      } else if (states[dependency] == State::on_path) {
        if (!stopped()) report_cycle(graph, {std::ranges::find(path, dependency), path.end()});
      }
    }
  }
  return order;
}

void Orderer::report_cycle(const Graph& graph, const std::vector<std::size_t>& path) {
  constexpr std::size_t shown = 8;
  std::string chain;
  for (std::size_t i = 0; i < std::min(path.size(), shown); ++i) chain += graph.nodes[path[i]].site() + " <- ";
  if (path.size() > shown) chain += fmt::format("{} more nodes <- ", path.size() - shown);
  const std::string site = graph.nodes[path.front()].site();
  error(site, fmt::format("is computed from itself: {}{}", chain, site));
}

}  // namespace

bool order_graph(Graph& graph, Diagnostics& diagnostics) {
  Orderer orderer(graph, diagnostics);
  orderer.order(graph, nullptr);
  return !orderer.failed();
}

}  // namespace loam
