// From the typed graph to kernel calls: runs each reached node's `lower`, and puts the checks where they are owed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compiler/kernel/program.hpp"
#include "compiler/operators/lower.hpp"
#include "compiler/stage0/stage0.hpp"

namespace loam {

// The C++ spelling's words of an axis: the names of its parts that hold more than one element. Empty: the axis has one
// element and no name of its own.
std::vector<std::string> axis_words(const TypedGraph& graph, const Axis& axis);
// Whether a kernel's signature takes the two for one axis: the same words, or one of them of one element.
bool axes_match(const TypedGraph& graph, const Axis& a, const Axis& b);

// The stored type of a weight where the checkpoint decides it (--store checkpoint); undefined: the graph's own.
using StoredType = std::map<std::string, DType, std::less<>>;

class Lowering {
 public:
  Lowering(StageZero& stage, const StoredType& stored) : stage_(stage), stored_(stored) {}
  Program run();

 private:
  friend class LowerContext;
  using Hook = std::function<void(std::vector<TensorId>&)>;
  void lower_block(TypedBlock& block, Block& into, const Hook& begin = {}, const Hook& end = {});
  void lower_node(TypedNode& node);
  void check_owed();
  bool bound(const Polynomial& p) const;
  TensorId value(ValueId id);
  TensorId add(VirtualTensor tensor);
  void set(ValueId id, TensorId t);

  StageZero& stage_;
  const StoredType& stored_;
  Program program_;
  std::map<ValueId, TensorId> tensors_;
  std::set<SymbolId> bound_;           // input symbols, and bound symbols whose node has run
  Block* block_ = nullptr;
  std::vector<Condition> owed_;        // of the block's conditions those that name a symbol not bound yet
  std::string site_, label_;           // of the node being lowered
  const Node* node_ = nullptr;
  std::set<std::string> axis_names_;
};

}  // namespace loam
