// Carrying a map's operands along with its output: what a joined map reads instead, and the formulas joined.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel/edit.hpp"

namespace loam {

// A view described by its kind alone: of which extents it is, and what it makes of them.
struct Move {
  ViewStep::Kind kind;
  std::vector<Polynomial> from, to;     // extents
  std::vector<Axis> axes;               // of the result
  std::vector<int> order = {};          // as of a ViewStep
  std::vector<Polynomial> starts = {}, steps = {};
};
Move move_of(BlockEditor& edit, const ViewStep& view);
// Whether a slice takes a part of the axis, or steps along it.
bool is_cut(const Move& slice, std::size_t axis);
// Whether the elements keep their row-major order.
bool keeps_order(const Move& move);

// Whether each axis of `from` becomes one or more of `to`, so that the reshape is a view whatever the strides are.
bool splits_only(const std::vector<Polynomial>& from, const std::vector<Polynomial>& to);

// Says of the views of a tensor that lies in strides that they do too. Where one joins axes, which it cannot of strides, a
// copy is put before it.
void spread_strides(BlockEditor& edit, TensorId t);

// An operand that meets (is broadcast to) a tensor, after the tensor has been moved: why there is none without a copy,
// or empty where `follow` gives it.
std::string cannot_follow(BlockEditor& edit, const OperandRef& operand, const std::vector<Move>& moves);
OperandRef follow(BlockEditor& edit, BlockEditor::Position before, OperandRef operand, const std::vector<Move>& moves);

// Whether an operand is a number the build knows, which a formula can spell.
bool is_number(const OperandRef& operand);

// Adds `part` to the expression: its result there. Operands go to `operands`, each once, numbers into the formula;
// `replaced` has what stands for an operand, where it is a value of the expression already.
Expression::Id add_to(Expression& expression, std::vector<OperandRef>& operands, const Expression& part,
                      const std::vector<OperandRef>& inputs, const std::vector<std::optional<Expression::Id>>& replaced);

}  // namespace loam
