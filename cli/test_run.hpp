// A compiled case against its expected outputs.
#pragma once

#include "cli/compare.hpp"
#include "cli/graph_options.hpp"
#include "cli/test_case.hpp"
#include "compiler/compile.hpp"

namespace loam::cli {

// Runs the case's module from the library on each of its data sets, on the Cpu backend and on the opaque one, whose
// tensors are handles: both must give the expected outputs. May crash or throw; see guarded().
Outcome run_case(const TestCase& test, const CompileResult& result, const GraphFiles& files, const fs::path& library,
                 const Tolerance& tolerance, int threads);

}  // namespace loam::cli
