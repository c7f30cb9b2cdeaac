// Two products with a softmax between them, as a graph spells attention out, as the one kernel it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel/edit.hpp"

namespace loam {

// From the product of weights and values: the steps that it takes in, in their order, and what it becomes.
struct Attention {
  // What the kernel reads otherwise, or no longer makes.
  struct Taken {
    BlockEditor::Position step;
    TensorId made;
  };
  std::vector<Taken> taken;
  Call call;
  std::string declined;   // why the chain stays as it is; of `taken`, the last is what is made nevertheless
};
// The attention whose last product the step is; nullopt where the step is none. Takes nothing out by itself.
std::optional<Attention> find_attention(BlockEditor& edit, BlockEditor::Position step);

}  // namespace loam
