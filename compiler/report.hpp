// What became of a graph: of each node, each tensor and each condition, for `loam report`.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "compiler/compile.hpp"

namespace loam {

// Sizes are polynomials over the graph's symbols, as text; `typical` is their value where every length is 100 or as near
// to that as its range allows.
struct Report {
  struct Node {
    std::string name, site;           // site: "output = Operator"
    std::string fate;                 // folded, aliased, fused, prepared, computed
    std::vector<std::string> details; // what it was fused into and what that saves; why a tensor of it is made;
                                      // the weights packed for it
  };
  struct Call {
    std::string kernel, site;
    std::string bytes, operations;    // read and written; of arithmetic
  };
  struct Buffer {
    int arena;
    std::string slot, offset, bytes;  // the slot by its number
    std::vector<std::string> tensors; // those that have it in turn, updated in place
    std::string from, to;             // the sites of the steps it lives between
  };
  struct Arena {
    int number;
    std::vector<std::string> slots;   // their sizes; of more than one the largest counts
    double typical = 0, typical_live = 0;  // what it takes, and the most that lives at once
  };
  std::string module_name;
  std::vector<Node> nodes;
  std::map<std::string, std::size_t> kernels;
  std::vector<Call> calls;
  std::vector<Arena> arenas;
  std::vector<Buffer> buffers;
  std::vector<std::string> owed;      // what forward checks, and the node that relies on it
};

// Nothing where the graph has errors, which are in `diagnostics`.
std::optional<Report> report(const CompileInput& input, const CompileOptions& options, Diagnostics& diagnostics);

std::string report_text(const Report& report);
std::string report_json(const Report& report);

}  // namespace loam
