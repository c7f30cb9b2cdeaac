#include "compiler/kernel/fuse_slices.hpp"

#include <algorithm>

#include "compiler/kernel/follow.hpp"

namespace loam {

namespace {

// Which operand's rows the call's rows are, and from which axis on a row's own axes begin; nothing where rows are not
// computed apart. Operands from `others` on meet the output as a map's do.
struct Rows {
  std::size_t operand, first_own, others;
};
std::optional<Rows> rows_of(BlockEditor& edit, const Call& call) {
  const std::size_t rank = edit.extents(call.outputs[0]).size();
  if (call.kernel == "map") return Rows{call.inputs.size(), rank, 0};
  const auto* a = call.inputs.empty() ? nullptr : std::get_if<TensorId>(&call.inputs[0]);
  if (!a || *a == no_tensor || edit.extents(*a).size() != rank || rank < 2) return std::nullopt;
  if (call.kernel == "matmul" || call.kernel == "matmul_map") {
    const auto* w = std::get_if<TensorId>(&call.inputs[1]);
    if (!w || edit.extents(*w).size() != 2) return std::nullopt;
    return Rows{0, rank - 1, 2};
  }
  if (call.kernel == "layer_norm" || call.kernel == "rms_norm") {
    const auto* axis = std::get_if<Literal>(&call.arguments[0]);
    if (!axis || axis->text.empty() || axis->text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    return Rows{0, static_cast<std::size_t>(std::stoul(axis->text)), 1};
  }
  return std::nullopt;
}

}  // namespace

std::optional<PushedSlice> push_up_slice(BlockEditor& edit, BlockEditor::Position slice) {
  const auto* view = std::get_if<ViewStep>(&slice->what);
  if (!view || view->kind != ViewStep::Kind::slice) return std::nullopt;
  const TensorId made = view->in, out = view->out;
  const auto at = edit.maker(made);
  if (!at || edit.read_elsewhere(made) || edit.readers(made).size() != 1) return std::nullopt;
  const auto* maker = std::get_if<Call>(&(*at)->what);
  if (!maker || maker->outputs.size() != 1 || maker->outputs[0] != made || !edit.tensor(made).dense) return std::nullopt;
  Call call = *maker;
  const auto rows = rows_of(edit, call);
  const Move move = move_of(edit, *view);
  if (!rows) return std::nullopt;
  for (std::size_t axis = rows->first_own; axis < move.from.size(); ++axis)
    if (is_cut(move, axis)) return std::nullopt;
  // Operands that meet the output follow; the one whose rows these are is sliced along the same axes.
  for (std::size_t k = rows->others; k < call.inputs.size(); ++k)
    if (!cannot_follow(edit, call.inputs[k], {move}).empty()) return std::nullopt;
  std::optional<Move> of_rows;
  if (rows->operand < call.inputs.size()) {
    const TensorId from = std::get<TensorId>(call.inputs[rows->operand]);
    of_rows = Move{ViewStep::Kind::slice, edit.extents(from), edit.extents(from), edit.tensor(from).axes, {}, move.starts, move.steps};
    for (std::size_t axis = 0; axis < rows->first_own; ++axis) {
      if (!is_cut(move, axis)) continue;
      if (!(of_rows->from[axis] == move.from[axis])) return std::nullopt;
      of_rows->to[axis] = move.to[axis];
      of_rows->axes[axis] = move.axes[axis];
    }
    for (std::size_t axis = rows->first_own; axis < of_rows->starts.size(); ++axis) {
      of_rows->starts[axis] = 0;
      of_rows->steps[axis] = 1;
    }
  }

  PushedSlice pushed{*at, made, std::nullopt};
  for (std::size_t k = rows->others; k < call.inputs.size(); ++k) call.inputs[k] = follow(edit, *at, call.inputs[k], {move});
  if (of_rows) {
    OperandRef& operand = call.inputs[rows->operand];
    operand = follow(edit, *at, operand, {*of_rows});
    pushed.left = edit.maker(std::get<TensorId>(operand));
  } else if (call.inputs.size() == 1) {
    if (const auto* t = std::get_if<TensorId>(&call.inputs[0])) pushed.left = edit.maker(*t);
  }
  call.outputs[0] = out;
  edit.erase(slice);
  edit.tensor(out).dense = true;
  edit.set_call(*at, std::move(call));
  return pushed;
}

}  // namespace loam
