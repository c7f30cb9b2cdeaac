// The shape of a product of matrices, which MatMul and its quantized kin share.
#pragma once

#include <vector>

#include "compiler/operators/operator.hpp"

namespace loam {

// What a [.., M, K] and b [.., K, N] make, as numpy.matmul has it; an operand of one axis has no M or no N.
std::vector<Axis> product_axes(const InferContext& c, std::vector<Axis> a, std::vector<Axis> b);

}  // namespace loam
