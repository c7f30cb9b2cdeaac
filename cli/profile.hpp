// Where a run's time goes, kernel by kernel: `loam run --profile`, and bench/models.py.
#pragma once

#include <span>
#include <string>

#include "cli/graph_options.hpp"
#include "cli/module.hpp"
#include "compiler/compile.hpp"

namespace loam::cli {

// A session on the opaque backend, which notes what each kernel takes; what its module was compiled of.
struct Profiled {
  Session& session;
  const CompileResult& result;
  const GraphFiles& files;
  const CompileOptions& options;
};

// Runs it once, and then `runs` times, and gives a table of the medians: of each kernel, and of the calls that take most;
// beside each what it computes a second, and reads and writes, by what `loam report` counts at these inputs' lengths. Throws
// a Failure with the module's refusal, and where a Loop or an If makes the calls others than the report's.
std::string profile(const Profiled& profiled, std::span<const harness::RawTensor> inputs, int runs);

}  // namespace loam::cli
