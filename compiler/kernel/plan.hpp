// Where each activation lies: lifetimes, and arena slots shared by those that do not live at once.
#pragma once

#include <map>
#include <vector>

#include "compiler/kernel/program.hpp"

namespace loam {

// A piece of an arena segment, as large as the largest tensor that takes it in turn.
struct Slot {
  Polynomial bytes;
};

// Memory reserved at one point of the run: at the start of a block, or after a symbol that sizes depend on is bound.
struct Segment {
  int number;                   // unique in the program: the backend's arena segment
  std::size_t before_step;      // of its block
  std::vector<Slot> slots;
};

struct BlockPlan {
  std::vector<Segment> segments;
};

struct Placement {
  enum class Kind : std::uint8_t { elsewhere, slot, output } kind = Kind::elsewhere;
  int segment = 0;
  int slot = 0;
};

struct Plan {
  std::vector<Placement> placements;            // by TensorId; a view has its root's storage and is `elsewhere`
  std::map<const Block*, BlockPlan> blocks;
  // The first of a loop's own segments: two for each carried value, which turns fill by turns, then two for each
  // gathered one, which grows from one into the other.
  std::map<const LoopStep*, int> loops;
  // What the arena holds at most at once, and what it takes: figures of the report.
  std::size_t activations = 0, slots = 0;
};

Plan plan(const Program& program, const Symbols& symbols);

}  // namespace loam
