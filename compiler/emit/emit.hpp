// From a planned program to text. Nothing here decides anything: each part of a program has one rendering.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/kernel/plan.hpp"
#include "compiler/kernel/program.hpp"
#include "compiler/stage0/stage0.hpp"

namespace loam {

// Where a weight's bytes come from when the module loads.
struct WeightSource {
  enum class Kind : std::uint8_t { embedded, checkpoint, external } kind = Kind::checkpoint;
  std::span<const std::byte> bytes;   // embedded
  std::string location;               // external
  std::int64_t offset = 0;
};

struct EmitInput {
  const TypedGraph& graph;
  const Program& program;
  const Plan& plan;
  const CompileOptions& options;
  std::string module_name;                       // a C++ identifier
  std::map<TensorId, WeightSource> weights;
};

// The module, and with options.harness its harness. What is wrong (an axis named as the module names something) is in
// the diagnostics.
std::vector<OutputFile> emit(const EmitInput& input, Diagnostics& diagnostics);

}  // namespace loam
