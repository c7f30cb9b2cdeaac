// What became of a graph: of each node, each tensor and each condition, for `loam report`.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/shape/symbol.hpp"

namespace loam {

// Sizes are polynomials over the graph's symbols, as text; `sizes` has each as it is. `typical` is a size where every
// length is 100 or as near to that as its range allows (size_at_100). Nodes, tensors and calls are meant by their place
// in the lists.
struct Report {
  struct Tensor {
    std::string name, type;           // "float32[Batch, Seq, Embed = 768]"
    std::string origin;               // input, weight, constant, node; turn: handed from one turn of a loop to the next
    std::optional<std::size_t> node;  // that makes it
    bool returned = false;            // by forward
  };
  struct Node {
    std::string name, site, op;  // site: "output = Operator"
    std::string fate;            // folded, unread, aliased, fused, prepared, computed
    std::vector<std::string> details;  // why: what it goes into and what that saves; why a tensor of it is made
    std::optional<std::size_t> into;  // of a fused one: the node whose kernels compute it
    std::string saved;                // bytes that are not written, since its results are not made; or empty
    std::size_t block = 0;
    std::vector<std::size_t> inputs, outputs;  // tensors; those that are absent are left out
    std::vector<std::size_t> calls;            // of kernels, that stand for it in the module
  };
  // The graph, and each subgraph of a control flow node.
  struct Block {
    std::string name;                 // "then_branch", as the attribute is called; of the graph its own name
    std::optional<std::size_t> node;  // whose subgraph it is
  };
  struct Call {
    std::string kernel, site;
    std::optional<std::size_t> node;
    std::string bytes, operations;  // read and written; of arithmetic
    std::string read, written;      // the two of bytes
  };
  // Of the calls of one block of the module, the blocks within it left out.
  struct Total {
    std::string where;  // empty: the run; else "y = If, then", "s = Loop, each turn"
    std::size_t calls = 0;
    std::string bytes, operations, written;
  };
  struct Buffer {
    int arena;
    int slot;
    std::string offset, bytes;         // the offset in its slot
    std::vector<std::string> tensors;  // those that have it in turn, updated in place
    std::string from, to;              // the sites of the steps it lives between
    std::size_t first, last;           // the calls, both included
  };
  struct Arena {
    int number;
    std::vector<std::vector<std::string>> slots;  // the size of each: of more than one the largest counts
    double typical = 0, typical_live = 0;         // what it takes, and the most that lives at once
  };
  struct Owed {
    std::string condition, site, reason;  // "1024 - N >= 0", and the node that relies on it
    std::optional<std::size_t> node;
    std::string text() const { return condition + " - " + site + ": " + reason; }
  };
  // Tensors that are there before the run.
  struct Weights {
    std::size_t count = 0;
    std::string bytes;
  };
  std::string module_name;
  std::vector<Tensor> tensors;
  std::vector<Node> nodes;
  std::vector<Block> blocks;
  std::map<std::string, std::size_t> kernels;  // and how many calls of it there are
  std::vector<Call> calls;
  std::vector<Total> totals;
  std::string saved;          // bytes that are not written, of all that is fused
  Weights weights, prepared;  // what is loaded; what is made of it once
  std::vector<Arena> arenas;
  std::vector<Buffer> buffers;
  std::vector<Owed> owed;  // what forward checks
  std::size_t proved = 0;  // what it need not
  std::map<std::string, Polynomial> sizes;
  Symbols symbols;
};

// Nothing where the graph has errors, which are in `diagnostics`.
std::optional<Report> report(const CompileInput& input, const CompileOptions& options, Diagnostics& diagnostics);

std::string report_text(const Report& report);
std::string report_json(const Report& report);
// One page that needs nothing beside it: the graph drawn, its kernels, its memory, what it owes.
std::string report_html(const Report& report);

}  // namespace loam
