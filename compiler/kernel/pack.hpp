// Pieces of memory that live for a while put into as little of it as can be shown to hold them.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/shape/symbol.hpp"

namespace loam {

// Memory for one tensor, or for several in turn that are updated in place.
struct Piece {
  std::size_t begin, end;       // the steps that first write and last read it
  Polynomial bytes;
  int slot = 0;                 // where it lies, once packed
  Polynomial offset = 0;        // in the slot: a multiple of 64
};

// As large as the largest of these: where the build cannot tell which that is, forward does.
struct Slot {
  std::vector<Polynomial> bytes;
};

// Gives every piece its place, one after another, each in the first slot where those that live at the same time leave
// room for it whatever the lengths are; so pieces of comparable sizes are packed as tightly as numbers would be.
std::vector<Slot> pack(std::vector<Piece>& pieces, const Symbols& symbols);

// The value of a size where every length is 100, or as near to that as it can be: what sizes are ordered by.
double typical(const Symbols& symbols, const Polynomial& size);

}  // namespace loam
