// A map spelled as the formula it computes: an operand is taken where it is mentioned, and arithmetic reads as
// arithmetic.
//
//   Formula f(c);
//   const Term x = f(c.in(0)), mean = f(means);
//   f.into(c.out(0), (x - mean) / sqrt(f(variances) + epsilon));
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/operators/lower.hpp"

namespace loam {

// A value of the formula, in a compute type. Both operands of an operation are of one type; a number beside a term
// takes the term's.
struct Term {
  Expression* expression;
  Expression::Id id;

  DType type() const { return expression->type(id); }
  Term constant(double value) const;
  Term as(DType type, Narrowing how = {}) const;  // ONNX Cast
  Term saturated(DType type) const { return {expression, expression->saturate(id, type)}; }
};

Term apply(ScalarOp op, Term a);
Term apply(ScalarOp op, Term a, Term b);
Term where(Term condition, Term then, Term otherwise);

inline Term operator+(Term a, Term b) { return apply(ScalarOp::add, a, b); }
inline Term operator-(Term a, Term b) { return apply(ScalarOp::sub, a, b); }
inline Term operator*(Term a, Term b) { return apply(ScalarOp::mul, a, b); }
inline Term operator/(Term a, Term b) { return apply(ScalarOp::div, a, b); }
inline Term operator+(Term a, double b) { return a + a.constant(b); }
inline Term operator-(Term a, double b) { return a - a.constant(b); }
inline Term operator*(Term a, double b) { return a * a.constant(b); }
inline Term operator/(Term a, double b) { return a / a.constant(b); }
inline Term operator/(double a, Term b) { return b.constant(a) / b; }
inline Term operator-(double a, Term b) { return b.constant(a) - b; }
inline Term operator-(Term a) { return apply(ScalarOp::neg, a); }
inline Term operator<(Term a, Term b) { return apply(ScalarOp::less, a, b); }
inline Term operator<=(Term a, Term b) { return apply(ScalarOp::less_equal, a, b); }
inline Term operator>(Term a, Term b) { return apply(ScalarOp::greater, a, b); }
inline Term operator>=(Term a, Term b) { return apply(ScalarOp::greater_equal, a, b); }
inline Term equal(Term a, Term b) { return apply(ScalarOp::equal, a, b); }
inline Term operator&(Term a, Term b) { return apply(ScalarOp::logical_and, a, b); }
inline Term operator|(Term a, Term b) { return apply(ScalarOp::logical_or, a, b); }
inline Term min(Term a, Term b) { return apply(ScalarOp::min, a, b); }
inline Term max(Term a, Term b) { return apply(ScalarOp::max, a, b); }
inline Term sqrt(Term a) { return apply(ScalarOp::sqrt, a); }
inline Term exp(Term a) { return apply(ScalarOp::exp, a); }
inline Term log(Term a) { return apply(ScalarOp::log, a); }
inline Term abs(Term a) { return apply(ScalarOp::abs, a); }
inline Term erf(Term a) { return apply(ScalarOp::erf, a); }
inline Term tanh(Term a) { return apply(ScalarOp::tanh, a); }
inline Term sigmoid(Term a) { return apply(ScalarOp::sigmoid, a); }
inline Term round(Term a) { return apply(ScalarOp::round, a); }
inline Term pow(Term a, double exponent) { return apply(ScalarOp::pow, a, a.constant(exponent)); }

class Formula {
 public:
  explicit Formula(LowerContext& c) : c_(c) {}
  Formula(const Formula&) = delete;
  Formula& operator=(const Formula&) = delete;

  Term operator()(TensorId tensor);                    // an operand, broadcast to the output
  Term in(int i);                                      // input i: a number where the build knows its one element
  Term one(int i);                                     // the same of an input of one element, whatever its rank
  Term value(const Polynomial& integer, DType type);   // an extent, as a number of the compute type `type`
  Term coordinate(int axis);                           // the place's coordinate on an axis of the output, an int64
  Term number(double value, DType type) { return {&expression_, expression_.constant(value, type)}; }
  Term integer(std::int64_t value, DType type) { return {&expression_, expression_.integer(value, type)}; }

  // out = result, converted to out's type.
  void into(TensorId out, Term result);
  // The same into a new tensor, of the result's type and of these axes.
  TensorId make(std::vector<Axis> axes, Term result, std::string_view suffix = "part");
  TensorId make(std::vector<Axis> axes, DType stored, Term result, std::string_view suffix = "part");

 private:
  Term operand(OperandRef ref, DType stored);
  LowerContext& c_;
  Expression expression_;
  std::vector<OperandRef> operands_;
};

// Arguments of kernels, as C++.
Literal integer_literal(std::int64_t value);
Literal flag_literal(bool value);
Literal number_literal(double value);                  // a float
Literal over_literal(const std::vector<int>& axes);    // loam::Over<0, 2>{}

// out = x reduced over axes, by a reducer of ops/reduce: "Mean". Returns out.
TensorId call_reduce(LowerContext& c, TensorId out, std::string_view reducer, const std::vector<int>& axes, TensorId x);

// A tensor of one axis, viewed to lie along axis `axis` of tensors of `rank` axes.
TensorId along(LowerContext& c, TensorId vector, int axis, int rank);

}  // namespace loam
