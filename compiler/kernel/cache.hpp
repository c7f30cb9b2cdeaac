// Inputs and outputs that are one buffer, appended to in place: a decoder's past and present keys and values.
#pragma once

#include <string>
#include <vector>

#include "compiler/diagnostic.hpp"
#include "compiler/kernel/program.hpp"
#include "compiler/stage0/typed_graph.hpp"

namespace loam {

// Makes caches of the inputs and outputs that `patterns` pair, "past_key_values.*=present.*" each: what "*" stands for is the
// same on both sides. The output must be the input with more places after it along one axis, and every pair must grow by the
// same. What is wrong is an error, and the program is then left as it was.
void make_caches(Program& program, const TypedGraph& graph, const std::vector<std::string>& patterns, Diagnostics& diagnostics);

// The outputs that the patterns pair with inputs of these names: those to keep where outputs are chosen.
std::vector<std::string> cached_outputs(const std::vector<std::string>& inputs, const std::vector<std::string>& patterns);

}  // namespace loam
