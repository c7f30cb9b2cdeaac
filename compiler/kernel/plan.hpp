// Where each activation lies: lifetimes, results that take their operand's place, and an arena shared by what does not
// live at once.
#pragma once

#include <map>
#include <vector>

#include "compiler/kernel/pack.hpp"
#include "compiler/kernel/program.hpp"

namespace loam {

// Memory reserved at one point of the run: at the start of a block, or after a symbol that sizes depend on is bound.
struct Segment {
  int number;                   // unique in the program: the backend's arena segment
  std::size_t before_step;      // of its block
  std::vector<Slot> slots = {};
  std::vector<Piece> pieces = {};
};

struct BlockPlan {
  std::vector<Segment> segments;
};

struct Placement {
  enum class Kind : std::uint8_t { elsewhere, slot, output } kind = Kind::elsewhere;
  int segment = 0;
  std::size_t piece = 0;        // of the segment
  int slot = 0;
  Polynomial offset = 0;        // in the slot
};

struct Plan {
  std::vector<Placement> placements;            // by TensorId; a view has its root's storage and is `elsewhere`
  std::map<const Block*, BlockPlan> blocks;
  // The first of a loop's own segments: two for each carried value, which turns fill by turns, then two for each
  // gathered one, which grows from one into the other.
  std::map<const LoopStep*, int> loops;
};

Plan plan(const Program& program, const Symbols& symbols);

}  // namespace loam
