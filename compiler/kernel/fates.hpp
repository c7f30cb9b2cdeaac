// What became of each node between the graph and the kernels that run, and why.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/kernel/fuse.hpp"
#include "compiler/kernel/measure.hpp"
#include "compiler/kernel/prepare.hpp"
#include "compiler/kernel/program.hpp"
#include "compiler/stage0/typed_graph.hpp"

namespace loam {

// How a program came to be what it is.
struct Lowered {
  std::set<const Node*> computed;                         // nodes that called kernels, or were a branch or a loop
  std::map<const Node*, std::set<ViewStep::Kind>> views;  // and those that were views
  bool fuse = true;
  std::vector<Fusion> fusions = {};
  std::vector<Preparation> prepared = {};

  // Of the program as the operators lower it, before anything is joined.
  explicit Lowered(const Program& program);
};

struct Fate {
  std::string name;  // folded, unread, aliased, fused, prepared, computed
  std::vector<std::string> details;
  const Node* into = nullptr;  // of a fused one: the node whose kernels compute it
  Polynomial saved = 0;        // bytes that are not written
};

class Fates {
 public:
  Fates(const TypedGraph& graph, const Lowered& lowered, const Program& program, const Measure& measure);

  // Of a node that a block holds. Where it stands in several, as a loop's that is unrolled does, it is asked for once.
  Fate of(const TypedNode& node) const;
  bool reached(const Node* node) const { return reached_.contains(node); }

 private:
  void find_reached(const TypedBlock& block);
  void find_readers();
  Fate not_run(const TypedNode& node) const;
  void say_why_apart(const Node* node, Fate& fate) const;
  const Node* host(const Node* node, std::set<const Node*>& seen) const;
  std::string text(const Polynomial& p) const { return graph_.symbols.text(graph_.symbols.simplify(p)); }

  const TypedGraph& graph_;
  const Lowered& lowered_;
  const Program& program_;
  const Measure& measure_;
  std::set<const Node*> reached_;
  std::map<const Node*, std::vector<const Step*>> steps_;      // calls, branches and loops, of the run
  std::map<const Node*, std::vector<const Fusion*>> fusions_;  // by what they are from
  std::map<TensorId, std::vector<const Step*>> readers_;       // by what is read, or is viewed
  std::set<TensorId> returned_;
};

}  // namespace loam
