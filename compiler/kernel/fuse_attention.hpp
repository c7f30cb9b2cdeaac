// Two products with a softmax between them, as a graph spells attention out, as the one kernel it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel/edit.hpp"
#include "compiler/kernel/fuse_turns.hpp"

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

// Where the result is only turned into a copy, attention writes the copy, turned: the copy left out, or none.
std::vector<BlockEditor::Position> write_turned(BlockEditor& edit, BlockEditor::Position attend, const MayPass& may_pass);

// Where keys and values were copied for each of several heads that share them, the heads become two axes, and the shared
// keys and values are read where they lie, as often as they are shared. The copies left out.
std::vector<BlockEditor::Position> group_heads(BlockEditor& edit, BlockEditor::Position attend, const MayPass& may_pass);

}  // namespace loam
