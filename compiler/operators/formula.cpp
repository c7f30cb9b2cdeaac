#include "compiler/operators/formula.hpp"

#include <algorithm>

#include "compiler/shape/integer.hpp"

namespace loam {

Term Term::constant(double value) const {
  if (is_float(type())) return {expression, expression->constant(value, type())};
  return {expression, expression->integer(loam::saturated(value), type())};
}

Term Term::as(DType type, Narrowing how) const {
  // An integer constant is written in the type wanted.
  const Expression::Step step = expression->steps()[static_cast<std::size_t>(id)];
  if (step.kind == Expression::Step::Kind::constant && type == compute_type(type) && type != DType::boolean)
    if (const auto* integer = std::get_if<Polynomial>(&step.constant))
      return {expression, expression->integer(integer->constant_term(), type)};
  return {expression, expression->cast(id, type, how)};
}

Term apply(ScalarOp op, Term a) { return {a.expression, a.expression->apply(op, a.id)}; }
Term apply(ScalarOp op, Term a, Term b) { return {a.expression, a.expression->apply(op, a.id, b.id)}; }
Term where(Term condition, Term then, Term otherwise) {
  return {then.expression, then.expression->apply(ScalarOp::where, condition.id, then.id, otherwise.id)};
}

Term Formula::operand(OperandRef ref, DType stored) {
  operands_.push_back(std::move(ref));
  return {&expression_, expression_.input(static_cast<int>(operands_.size()) - 1, stored)};
}

Term Formula::operator()(TensorId tensor) {
  const DType stored = c_.tensor(tensor).dtype;
  for (std::size_t k = 0; k < operands_.size(); ++k)
    if (const auto* known = std::get_if<TensorId>(&operands_[k]); known && *known == tensor)
      return {&expression_, expression_.input(static_cast<int>(k), stored)};
  return operand(tensor, stored);
}

Term Formula::in(int i) {
  const Known* known = c_.known(i);
  if (!known || known->elements.size() != 1) return (*this)(c_.in(i));
  if (!known->integral()) return number(known->number(0), compute_type(known->dtype));
  if (const auto constant = known->integer(0).constant()) return integer(*constant, compute_type(known->dtype));
  return operand(ScalarOperand{known->elements[0], known->dtype}, known->dtype);
}

Term Formula::one(int i) {
  return c_.known(i) || c_.rank(i) == 0 ? in(i) : (*this)(c_.reshape(c_.in(i), {}));
}

Term Formula::value(const Polynomial& integer, DType type) {
  const Polynomial p = c_.symbols().simplify(integer);
  if (const auto constant = p.constant())
    return is_float(type) ? number(static_cast<double>(*constant), type) : this->integer(*constant, type);
  return operand(ScalarOperand{p, DType::int64}, DType::int64).as(type);
}

Term Formula::coordinate(int axis) { return operand(CoordinateOperand{axis}, DType::int64); }

void Formula::into(TensorId out, Term result) {
  const DType wanted = compute_type(c_.tensor(out).dtype);
  expression_.result(result.type() == wanted ? result.id : result.as(wanted).id);
  // Compilers evaluate `f(a) + f(b)` in orders of their own, and a module is the same whichever compiled Loam.
  std::vector<int> mentioned;
  Expression ordered = expression_.ordered(mentioned);
  std::vector<OperandRef> operands;
  for (const int i : mentioned) operands.push_back(std::move(operands_[static_cast<std::size_t>(i)]));
  c_.map(out, std::move(ordered), std::move(operands));
}

TensorId Formula::make(std::vector<Axis> axes, Term result, std::string_view suffix) {
  const DType stored = result.type();
  return make(std::move(axes), stored, result, suffix);
}

TensorId Formula::make(std::vector<Axis> axes, DType stored, Term result, std::string_view suffix) {
  const TensorId out = c_.temporary(stored, std::move(axes), suffix);
  into(out, result);
  return out;
}

Literal integer_literal(std::int64_t value) { return {std::to_string(value)}; }
Literal flag_literal(bool value) { return {value ? "true" : "false"}; }
Literal number_literal(double value) { return {cpp_literal(value, DType::float32)}; }

Literal over_literal(const std::vector<int>& axes) {
  std::string text = "loam::Over<";
  for (std::size_t i = 0; i < axes.size(); ++i) text += (i ? ", " : "") + std::to_string(axes[i]);
  return {text + ">{}"};
}

TensorId call_reduce(LowerContext& c, TensorId out, std::string_view reducer, const std::vector<int>& axes,
                     TensorId x) {
  c.call("reduce", "reduce", {out}, {Literal{"loam::reducer::" + std::string(reducer) + "{}"}, over_literal(axes)},
         {x});
  return out;
}

TensorId along(LowerContext& c, TensorId vector, int axis, int rank) {
  if (axis == rank - 1) return vector;
  std::vector<int> source{0};
  std::vector<Axis> axes{c.tensor(vector).axes[0]};
  for (int k = axis + 1; k < rank; ++k) {
    source.push_back(-1);
    axes.push_back(c.unit());
  }
  return c.units(vector, source, std::move(axes));
}

}  // namespace loam
