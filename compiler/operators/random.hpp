// What the operators that draw random numbers share.
#pragma once

#include "compiler/operators/lower.hpp"

namespace loam {

// The seed of a node's numbers, an argument of the kernels of ops/random: the attribute's, or one made of the output's
// name, so that two nodes differ and a run repeated does not.
Literal random_seed(const NodeContext& c);

}  // namespace loam
