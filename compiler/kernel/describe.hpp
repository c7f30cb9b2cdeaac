// A program's part of the report.
#pragma once

#include <set>
#include <string>

#include "compiler/kernel/fuse.hpp"
#include "compiler/kernel/plan.hpp"
#include "compiler/kernel/prepare.hpp"
#include "compiler/kernel/program.hpp"
#include "compiler/report.hpp"
#include "compiler/stage0/typed_graph.hpp"

namespace loam {

// The sites whose nodes call kernels: those of a program as it is lowered, before any step is fused.
std::set<std::string> sites_of_calls(const Program& program);

void describe(const TypedGraph& graph, const std::set<std::string>& lowered, const std::vector<Fusion>& fusions,
              const std::vector<Preparation>& prepared, const Program& program,
              const Plan& plan, Report& report);

}  // namespace loam
