// A block under rewriting: its steps in a list, who makes each tensor and who reads it.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/kernel/program.hpp"
#include "compiler/stage0/typed_graph.hpp"

namespace loam {

// Tensors whose elements stay what they are from their first reader on: all but those that are written between readers, or
// by turns. A step may read such a tensor later than it did.
std::set<TensorId> settled_tensors(const Program& program);
// Of these, the tensors that one call writes, all at once.
std::set<TensorId> whole_tensors(const Program& program);

class BlockEditor {
 public:
  using Position = std::list<Step>::iterator;

  BlockEditor(Program& program, const TypedGraph& graph, Block& block);
  // Puts the steps back.
  void close();

  std::list<Step>& steps() { return steps_; }
  VirtualTensor& tensor(TensorId t) { return program_.tensors[t]; }
  std::vector<Polynomial> extents(TensorId t) const;
  Polynomial elements(TensorId t) const;
  Polynomial bytes(TensorId t) const;
  bool same_axes(TensorId a, TensorId b) const;     // by name too
  bool same_extents(TensorId a, TensorId b) const { return extents(a) == extents(b); }

  Position position(const Step* step) const { return places_.at(step); }
  // The step of this block that makes a tensor, as a call's output or as a view.
  std::optional<Position> maker(TensorId t) const;
  // A tensor through the views that lead to it, the last one first, and the step that makes what they view, if it is of
  // this block.
  struct Trace {
    TensorId from;
    std::vector<Position> views;
  };
  Trace trace(TensorId t) const;
  // Whether the step is all that reads the tensor, by itself or through views that nothing else reads.
  bool read_only_by(TensorId t, Position reader) const;
  const std::set<Step*>& readers(TensorId t) const;
  bool read_elsewhere(TensorId t) const { return elsewhere_.contains(t); }

  // Rewrites.
  TensorId new_view(Position before, ViewStep view, std::vector<Axis> axes, bool dense);
  void add_first(Step step);
  // The tensor's elements, dense.
  TensorId new_copy(Position before, TensorId t);
  // The operand under the axes' names, where a map to those axes would take it for another's.
  OperandRef named_like(Position before, OperandRef operand, const std::vector<Axis>& axes);
  void set_call(Position at, Call call);
  void set_view_source(Position at, TensorId in);
  // What this block's calls and views read of the one tensor, they read of the other.
  void read_instead(TensorId of, TensorId other);
  void set_view(Position at, ViewStep view);
  void erase(Position at);
  void drop_unread_views() { drop_unread_views(steps_.end()); }
  void drop_unread_views(Position before);

 private:
  void enter(Position at);
  void leave(Position at);

  Program& program_;
  const TypedGraph& graph_;
  Block& block_;
  std::list<Step> steps_;
  std::map<TensorId, Position> makers_;
  std::map<TensorId, std::set<Step*>> readers_;
  std::map<const Step*, Position> places_;
  std::set<TensorId> elsewhere_;    // read by other than calls and views of the block
};

// A map's parts, or nothing where the step is no map.
struct MapCall {
  TensorId out;
  const Expression& expression;
  const std::vector<OperandRef>& inputs;
};
std::optional<MapCall> as_map(const Step& step);
bool is_copy(const MapCall& map);   // the operand as it is
bool same_operand(const OperandRef& a, const OperandRef& b);

}  // namespace loam
