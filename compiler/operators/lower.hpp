// How an operator lowers: kernel calls and views appended to the block being built.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/operators/operator.hpp"

namespace loam {

class Lowering;

class LowerContext : public NodeContext {
 public:
  LowerContext(Lowering& lowering, StageZero& stage, TypedNode& node);

  // The tensor of input i: computed, given, or a constant made of what the build knows.
  TensorId in(int i);
  // The same, but no_tensor where the input is absent.
  TensorId optional_in(int i) { return has(i) ? in(i) : no_tensor; }
  // The tensor of output k, to be written by a call.
  TensorId out(int k);
  // Output k is this tensor (a view, or an input passed on); its axes become the output's.
  void alias(int k, TensorId t);
  // A tensor between the node's calls.
  TensorId temporary(DType dtype, std::vector<Axis> axes, std::string_view suffix = "part");
  // A constant of the build's making.
  TensorId constant(Known known, std::vector<Axis> axes);
  const VirtualTensor& tensor(TensorId t) const;
  Polynomial extent(TensorId t, int axis) const;
  using NodeContext::extent;

  // A new axis of the module's own, named `word` (with a number where that is taken).
  Axis named_axis(std::string_view word, const Polynomial& extent);
  // One axis made of several, outermost first.
  static Axis merge(const std::vector<Axis>& axes);
  Axis unit();

  // loam::<kernel>(b, [site,] outputs..., arguments..., inputs...), of ops/<folder>/.
  void call(std::string kernel, std::string folder, std::vector<TensorId> outputs, std::vector<Argument> arguments,
            std::vector<OperandRef> inputs, bool sited = false);
  // out = expression over the operands, broadcast; operands named apart from out's axes are relabelled.
  void map(TensorId out, Expression expression, std::vector<OperandRef> inputs);
  void copy(TensorId out, TensorId in);

  // Views. `reshape` copies first where the tensor is not dense.
  TensorId reshape(TensorId t, std::vector<Axis> axes);
  TensorId transpose(TensorId t, const std::vector<int>& order);
  TensorId units(TensorId t, const std::vector<int>& source, std::vector<Axis> axes);
  TensorId slice(TensorId t, std::vector<Axis> axes, std::vector<Polynomial> starts, std::vector<Polynomial> steps);
  TensorId expand(TensorId t, std::vector<Axis> axes);
  TensorId relabel(TensorId t, std::vector<Axis> axes);
  // The tensor dense: itself, or a copy.
  TensorId dense(TensorId t);

  // Reads integer elements of `from` into symbols that infer made with bind, from here on.
  void bind(std::vector<Polynomial> symbols, TensorId from);
  // Symbols that a step of control flow binds by itself (a turn's number), from here on.
  void bound_here(const std::vector<Polynomial>& symbols);
  // Control flow: lowers a typed block; its tensors for the block's outputs. `begin` and `end` append what stands before
  // and after the block's own nodes: begin gives the block's inputs, end may put other tensors for its outputs.
  std::shared_ptr<Block> block(TypedBlock& block, const std::function<std::vector<TensorId>()>& begin,
                               const std::function<void(std::vector<TensorId>&)>& end);
  std::shared_ptr<Block> block(TypedBlock& block, std::vector<TensorId>& outputs);
  // A block of what `steps` appends: control flow of the operator's own.
  std::shared_ptr<Block> block(const std::function<void()>& steps);
  // The tensor of a value that control flow hands in: nothing here computes it.
  TensorId given(const TypedValue& value);
  const TypedValue& value_of(ValueId id) const;
  // Copies `part` into place `turn` of `out` along an axis that part lacks.
  void write_turn(TensorId out, TensorId part, int axis, const Polynomial& turn);
  // Place `turn` of `t` along an axis, without that axis: a view.
  TensorId read_turn(TensorId t, int axis, const Polynomial& turn);
  // The same where the build knows the block runs: its steps are put where this node stands. Its outputs.
  std::vector<TensorId> inline_block(TypedBlock& block, const std::vector<TensorId>& inputs = {});
  TensorId value(ValueId id);
  void step(Step step);

 private:
  TensorId view(ViewStep step, std::vector<Axis> axes, bool dense);
  Lowering& lowering_;
};

}  // namespace loam
