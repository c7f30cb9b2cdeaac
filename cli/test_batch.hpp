// One batch of cases from graphs to outcomes: compiled each, made into one library, run each in a process of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/graph_options.hpp"
#include "cli/host_compiler.hpp"
#include "cli/test_case.hpp"

namespace loam::cli {

struct TestOptions {
  GraphOptions build;
  std::optional<double> rtol, atol;
  std::chrono::seconds limit{300};  // of one case's build by Loam, and of its run
  std::string keep;                 // a folder the generated sources are copied to
};

// In a worker process: the batch's cases, by index, each to an outcome that is written to `output`.
void run_batch(std::span<const TestCase> cases, std::span<const std::size_t> batch, const TestOptions& options,
               const HostCompiler& host, int output);

}  // namespace loam::cli
