// Joins steps where one kernel computes what several would, so that what passed between them is never written down.
//
// Six rewrites, each of steps of one block:
//   - a normalization spelled out into its kernel;
//   - a map into the one map that reads it, through the views between them;
//   - a copy of a strided view away, where all that read the copy can read the view;
//   - a map into the contraction or convolution that it alone reads, as what is done to its sums;
//   - two products with a softmax between them into attention, which keeps a few rows of scores alone;
//   - a slice before the calls that compute rows apart, so that no others are.
// A value that was rounded to a storage type is rounded still, so results differ by no more than what a compiler makes
// of a longer formula (fused multiply-adds).
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel/program.hpp"
#include "compiler/stage0/typed_graph.hpp"

namespace loam {

// What became of a tensor that one step made for another.
struct Fusion {
  enum class Kind : std::uint8_t {
    joined,                 // `from` is part of `into`'s kernel, or of the kernel that took that in
    twin,                   // `into` computes the same
    copy,                   // `from` copied a view, and what read the copy reads the view
    slice,                  // `from` computes what `into` keeps of it alone
  };
  std::string tensor;
  const Node *from, *into;  // whose the two steps are
  Polynomial bytes;         // no longer written, and read once less
  std::string declined = {};  // why the tensor is made nevertheless; empty where it is not
  Kind kind = Kind::joined;
};

std::vector<Fusion> fuse(Program& program, const TypedGraph& graph);

}  // namespace loam
