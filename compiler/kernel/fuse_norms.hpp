// A normalization spelled out by a graph (means, differences, squares, a root) as the one kernel it is.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "compiler/kernel/edit.hpp"

namespace loam {

// A LayerNormalization or RMSNormalization over the last axes, found from its last step.
struct Norm {
  BlockEditor::Position last;
  Call call;                                      // what the last step becomes
  std::vector<BlockEditor::Position> steps;       // the others, which go where nothing else reads them; last ones first
};
// The norm whose product with a scale the step is, with the bias added by the one map that reads it.
std::optional<Norm> find_norm(BlockEditor& edit, BlockEditor::Position step);

}  // namespace loam
