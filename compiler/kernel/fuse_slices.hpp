// A slice taken before what is computed row by row, not after: only the rows that are wanted are computed.
#pragma once

#include <optional>

#include "compiler/kernel/edit.hpp"

namespace loam {

// Where the step is a slice of what one call made for it alone, and that call computes each row of the axes sliced by
// itself (a map, a product's rows, a normalization): the call makes the slice, of slices of its operands. Returns the
// slice of the operand that is left, to go on with; nothing where the call stays as it is.
struct PushedSlice {
  BlockEditor::Position call;
  TensorId made;                                   // what the call made before
  std::optional<BlockEditor::Position> left;
};
std::optional<PushedSlice> push_up_slice(BlockEditor& edit, BlockEditor::Position slice);

}  // namespace loam
