// What became of a graph's nodes, tensors and conditions: the report of one build.
#pragma once

#include <vector>

#include "compiler/kernel/fates.hpp"
#include "compiler/kernel/plan.hpp"
#include "compiler/report.hpp"

namespace loam {

// `cut`: nodes that no output asked for reads, which the graph no longer has.
void describe(const TypedGraph& graph, const std::vector<Node>& cut, const Lowered& lowered, const Program& program,
              const Plan& plan, Report& report);

}  // namespace loam
