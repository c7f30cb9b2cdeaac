#include "compiler/kernel/follow.hpp"

#include <algorithm>

namespace loam {

Move move_of(BlockEditor& edit, const ViewStep& view) {
  return {view.kind, edit.extents(view.in), edit.extents(view.out), edit.tensor(view.out).axes, view.order, view.starts, view.steps};
}

bool is_cut(const Move& slice, std::size_t axis) {
  return !(slice.from[axis] == slice.to[axis]) || !slice.starts[axis].is(0) || !slice.steps[axis].is(1);
}

bool keeps_order(const Move& move) {
  return move.kind == ViewStep::Kind::reshape || move.kind == ViewStep::Kind::units || move.kind == ViewStep::Kind::relabel;
}

bool splits_only(const std::vector<Polynomial>& from, const std::vector<Polynomial>& to) {
  std::size_t j = 0;
  for (const Polynomial& extent : from) {
    if (extent.is(1)) continue;
    Polynomial product = 1;
    while (j < to.size() && product != extent) product = product * to[j++];
    if (product != extent) return false;
  }
  return std::all_of(to.begin() + static_cast<std::ptrdiff_t>(j), to.end(), [](const Polynomial& extent) { return extent.is(1); });
}

void spread_strides(BlockEditor& edit, TensorId t) {
  for (Step* const step : std::set<Step*>(edit.readers(t))) {
    const auto* view = std::get_if<ViewStep>(&step->what);
    if (!view || view->in != t) continue;
    if (view->kind == ViewStep::Kind::reshape && !splits_only(edit.extents(t), view->extents)) {
      edit.set_view_source(edit.position(step), edit.new_copy(edit.position(step), t));
      continue;
    }
    edit.tensor(view->out).dense = false;
    spread_strides(edit, view->out);
  }
}

namespace {

bool is_ones(const std::vector<Polynomial>& extents) {
  return std::ranges::all_of(extents, [](const Polynomial& extent) { return extent.is(1); });
}

// Whether an operand of these extents reaches over last axes alone, which the move leaves as they are.
bool is_of_kept_axes(const std::vector<Polynomial>& extents, const Move& move) {
  const auto first = std::ranges::find_if(extents, [](const Polynomial& extent) { return !extent.is(1); });
  const auto reach = static_cast<std::size_t>(extents.end() - first);
  if (extents.size() > move.to.size() || reach > move.from.size() || reach > move.to.size()) return false;
  return std::equal(move.from.end() - static_cast<std::ptrdiff_t>(reach), move.from.end(), move.to.end() - static_cast<std::ptrdiff_t>(reach));
}

// Whether an operand of these extents reaches over no axis that the slice takes a part of.
bool is_of_whole_axes(const std::vector<Polynomial>& extents, const Move& slice) {
  if (extents.size() > slice.from.size()) return false;
  for (std::size_t i = 1; i <= extents.size(); ++i)
    if (is_cut(slice, slice.from.size() - i) && !extents[extents.size() - i].is(1)) return false;
  return true;
}

bool stays(const std::vector<Polynomial>& extents, const Move& move) {
  if (move.kind == ViewStep::Kind::relabel) return true;
  if (is_ones(extents)) return extents.size() <= move.to.size();
  if (move.kind == ViewStep::Kind::slice) return is_of_whole_axes(extents, move);
  return keeps_order(move) && is_of_kept_axes(extents, move);
}

}  // namespace

std::string cannot_follow(BlockEditor& edit, const OperandRef& operand, const std::vector<Move>& moves) {
  const auto* t = std::get_if<TensorId>(&operand);
  if (std::holds_alternative<CoordinateOperand>(operand) && std::ranges::any_of(moves, [](const Move& m) { return m.kind != ViewStep::Kind::relabel; }))
    return "a coordinate is computed with, and its axis is another after the view between them";
  if (!t || *t == no_tensor) return {};
  std::vector<Polynomial> extents = edit.extents(*t);
  bool dense = edit.tensor(*t).dense;
  for (const Move& move : moves) {
    if (stays(extents, move)) continue;
    if (extents != move.from) return "an operand is broadcast along axes that the view between them changes";
    switch (move.kind) {
      case ViewStep::Kind::reshape:
        if (!dense && !splits_only(extents, move.to)) return "an operand's axes do not lie as one, and the view between them joins them";
        break;
      case ViewStep::Kind::units: case ViewStep::Kind::relabel: break;
      case ViewStep::Kind::transpose: case ViewStep::Kind::slice: dense = false; break;
      case ViewStep::Kind::expand: return "it is computed once and read at many places";
    }
    extents = move.to;
  }
  return {};
}

OperandRef follow(BlockEditor& edit, BlockEditor::Position before, OperandRef operand, const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    const auto* t = std::get_if<TensorId>(&operand);
    if (!t || *t == no_tensor || stays(edit.extents(*t), move)) continue;
    const bool dense = edit.tensor(*t).dense && keeps_order(move);
    const bool sliced = move.kind == ViewStep::Kind::slice;
    ViewStep view{move.kind, no_tensor, *t, move.order, {}, move.starts, move.steps};
    if (sliced || move.kind == ViewStep::Kind::reshape) view.extents = move.to;
    operand = edit.new_view(before, std::move(view), move.axes, dense);
  }
  return operand;
}

bool is_number(const OperandRef& operand) {
  const auto* scalar = std::get_if<ScalarOperand>(&operand);
  if (!scalar) return false;
  const auto* integer = std::get_if<Polynomial>(&scalar->value);
  return !integer || integer->is_constant();
}

namespace {

Expression::Id number(Expression& expression, const Scalar& value, DType type) {
  if (const auto* d = std::get_if<double>(&value)) return expression.constant(*d, type);
  return expression.integer(std::get<Polynomial>(value).constant_term(), type);
}

// A square or a cube by products, which are far from the cost of a power and as near to it as a float is.
std::optional<Expression::Id> small_power(Expression& expression, Expression::Id base, Expression::Id exponent) {
  const Expression::Step step = expression.steps()[static_cast<std::size_t>(exponent)];
  const auto* value = std::get_if<double>(&step.constant);
  if (step.kind != Expression::Step::Kind::constant || !value || !is_float(expression.type(base)) || (*value != 2 && *value != 3)) return std::nullopt;
  const Expression::Id square = expression.apply(ScalarOp::mul, base, base);
  return *value == 2 ? square : expression.apply(ScalarOp::mul, square, base);
}

}  // namespace

Expression::Id add_to(Expression& expression, std::vector<OperandRef>& operands, const Expression& part,
                      const std::vector<OperandRef>& inputs, const std::vector<std::optional<Expression::Id>>& replaced) {
  std::vector<Expression::Id> ids;
  const auto id = [&](Expression::Id of_part) { return ids[static_cast<std::size_t>(of_part)]; };
  for (const Expression::Step& step : part.steps()) {
    if (step.kind == Expression::Step::Kind::input) {
      const auto k = static_cast<std::size_t>(step.input);
      if (k < replaced.size() && replaced[k]) {
        ids.push_back(*replaced[k]);
        continue;
      }
      if (is_number(inputs[k])) {
        ids.push_back(number(expression, std::get<ScalarOperand>(inputs[k]).value, step.type));
        continue;
      }
      auto at = std::ranges::find_if(operands, [&](const OperandRef& o) { return same_operand(o, inputs[k]); });
      if (at == operands.end()) at = operands.insert(at, inputs[k]);
      ids.push_back(expression.input(static_cast<int>(at - operands.begin()), step.type));
    } else if (step.kind == Expression::Step::Kind::constant) {
      ids.push_back(number(expression, step.constant, step.type));
    } else if (step.op == ScalarOp::cast) {
      ids.push_back(expression.cast(id(step.operands[0]), step.target, step.how));
    } else if (step.op == ScalarOp::saturate) {
      ids.push_back(expression.saturate(id(step.operands[0]), step.target));
    } else if (scalar_operands(step.op) == 1) {
      ids.push_back(expression.apply(step.op, id(step.operands[0])));
    } else if (scalar_operands(step.op) == 2) {
      const Expression::Id a = id(step.operands[0]), b = id(step.operands[1]);
      const auto power = step.op == ScalarOp::pow ? small_power(expression, a, b) : std::nullopt;
      ids.push_back(power ? *power : expression.apply(step.op, a, b));
    } else {
      ids.push_back(expression.apply(step.op, id(step.operands[0]), id(step.operands[1]), id(step.operands[2])));
    }
  }
  return id(part.result());
}

}  // namespace loam
