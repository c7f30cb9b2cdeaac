// Walks over the graphs nested in attributes.
#pragma once

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/graph/graph.hpp"

namespace loam {

// Replaces each graph of the attribute by what `make` gives for it.
template <class Make>
void transform_graphs(Attribute& attribute, Make make) {
  const auto replace = [&](std::shared_ptr<const Graph>& graph) {
    graph = std::make_shared<const Graph>(make(*graph));
  };
  if (auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute.value)) replace(*graph);
  if (auto* graphs = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute.value))
    for (auto& graph : *graphs) replace(graph);
}

template <class Visit>
void visit_graphs(const Attribute& attribute, Visit visit) {
  if (auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute.value)) visit(**graph);
  if (auto* graphs = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute.value))
    for (const auto& graph : *graphs) visit(*graph);
}

// Every name that the graph, or a graph nested in it, gives a value; some may come twice.
template <class Visit>
void visit_defined_names(const Graph& graph, Visit visit) {
  for (const ValueInfo& input : graph.inputs) visit(input.name);
  for (const TensorData& tensor : graph.initializers) visit(tensor.name);
  for (const auto& [name, tensor] : graph.sparse_initializers) visit(name);
  for (const Node& node : graph.nodes) {
    for (const std::string& output : node.outputs) visit(output);
    for (const Attribute& attribute : node.attributes)
      visit_graphs(attribute, [&](const Graph& nested) { visit_defined_names(nested, visit); });
  }
}

}  // namespace loam
