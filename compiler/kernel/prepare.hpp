// What is computed once, of weights alone: Program::prepare.
//
// Two rewrites:
//   - a call whose operands are weights, constants or what comes of them moves from the run to the preparation;
//   - a weight that a product reads is packed there in the order the product reads it in.
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel/program.hpp"
#include "compiler/stage0/typed_graph.hpp"

namespace loam {

struct Preparation {
  std::string tensor;       // what is prepared
  const Node* node;         // whose step computed or reads it
  std::string form;         // how it is packed; empty: it is computed
};

std::vector<Preparation> prepare(Program& program, const TypedGraph& graph);

}  // namespace loam
