// What every reader owes: each name read has one definition, and each graph's nodes are in topological order.
#pragma once

#include "compiler/diagnostic.hpp"
#include "compiler/graph/graph.hpp"

namespace loam {

// Sorts the nodes of the graph and of the graphs nested in it, leaving those alone that are in order. A node depends on
// what the graphs nested in it read from around them. A value defined twice, a value read and not defined, and a value
// computed from itself are reported by name, all of them (up to 100).
//
// A nested graph may define a name anew that a graph around it defines; it is renamed there, so that in the result a
// name means one value wherever it is visible.
bool order_graph(Graph& graph, Diagnostics& diagnostics);

}  // namespace loam
