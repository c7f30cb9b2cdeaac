// The elementwise operators (ai.onnx): arithmetic, comparison, logic, rounding, activations, Where, Clip, Cast.
//
// Each is one expression over its inputs, so infer, fold and lower are shared, and a row of the table is an operator.
#include "compiler/operators/elementwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/operators/checks.hpp"
#include "compiler/shape/integer.hpp"

namespace loam {

namespace {

using Id = Expression::Id;
using Ids = std::vector<Id>;
using enum ScalarOp;

// Opset 6 and older: B's axes are aligned with A's from `axis` on rather than at the end, PRelu's slopes with the
// channels. Nothing where it is not so.
std::optional<int> aligned_axis(const NodeContext& c) {
  if (c.opset() >= 7 || !c.node().domain.empty()) return std::nullopt;
  if (c.node().op_type == "PRelu" && c.rank(0) > 1 && c.rank(1) == 1) return 1;
  if (c.integer("broadcast", 0) == 0) return std::nullopt;
  const int at_end = c.rank(0) - c.rank(1);
  const std::int64_t axis = c.has_attribute("axis") ? c.integer("axis", 0) : at_end;
  return static_cast<int>(std::clamp<std::int64_t>(axis < 0 ? axis + c.rank(0) : axis, -1, c.rank(0) + 1));
}

}  // namespace

void infer_elementwise(InferContext& c, DType result) {
  std::vector<Axis> axes;
  bool first = true;
  if (const auto at = c.inputs() == 2 ? aligned_axis(c) : std::nullopt) {
    axes = c.axes(0);
    if (*at < 0 || *at + c.rank(1) > c.rank(0)) {
      c.error(Code::bad_attribute, "axis " + std::to_string(c.integer("axis", *at)) + " leaves no room for the " +
                                       std::to_string(c.rank(1)) + " axes of " + c.input_name(1) + " in the " +
                                       std::to_string(c.rank(0)) + " of " + c.input_name(0));
      return;
    }
    for (int k = 0; k < c.rank(1); ++k)
      axes[static_cast<std::size_t>(*at + k)] = c.broadcast(axes[static_cast<std::size_t>(*at + k)], c.axis(1, k));
  } else {
    for (int i = 0; i < c.inputs(); ++i) {
      if (!c.has(i)) continue;
      axes = first ? c.axes(i) : c.broadcast(axes, c.axes(i));
      first = false;
    }
  }
  const int rank = static_cast<int>(axes.size());
  bool varies = false, settled = false;  // settled by an input that has all of the axes in any case
  for (int i = 0; i < c.inputs(); ++i) {
    varies = varies || c.rank_varies(i);
    settled = settled || (c.has(i) && !c.rank_varies(i) && c.rank(i) == rank);
  }
  c.output(0, result, std::move(axes));
  if (varies && !settled) c.vary_rank(0);
}

void fold_expression(InferContext& c, int output, const Expression& e, const std::vector<int>& inputs) {
  const TensorType& type = c.output_type(output);
  Known out{type.dtype, {}, {}};
  std::int64_t n = 1;
  for (const Axis& axis : type.axes) {
    const auto extent = c.symbols().simplify(axis.extent()).constant();
    if (!extent) return;
    out.dims.push_back(*extent);
    n *= *extent;
  }
  if (n > most_known) return;
  std::vector<Scalar> operands(inputs.size());
  for (std::int64_t place = 0; place < n; ++place) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const Known& in = *c.known(inputs[k]);
      std::int64_t rest = place, offset = 0, step = 1;
      for (std::size_t back = 1; back <= out.dims.size(); ++back) {
        const std::int64_t d = out.dims[out.dims.size() - back];
        const std::int64_t at = rest % d;
        rest /= d;
        if (back > in.dims.size()) continue;
        const std::int64_t extent = in.dims[in.dims.size() - back];
        if (extent != 1) offset += at * step;
        step *= extent;
      }
      operands[k] = in.elements[static_cast<std::size_t>(offset)];
    }
    auto value = e.evaluate(c.symbols(), operands);
    if (!value) return;
    if (auto* p = std::get_if<Polynomial>(&*value)) {
      if (const auto constant = p->constant()) *p = wrap_to(type.dtype, *constant);
    } else {
      std::get<double>(*value) = round_to(type.dtype, std::get<double>(*value));
    }
    out.elements.push_back(std::move(*value));
  }
  c.fold(output, std::move(out));
}

void lower_expression(LowerContext& c, int output, const Expression& e, const std::vector<int>& inputs) {
  std::vector<OperandRef> operands;
  for (const int i : inputs) {
    const Known* known = c.known(i);
    if (known && known->elements.size() == 1)
      operands.push_back(ScalarOperand{known->elements[0], known->dtype});
    else
      operands.push_back(c.in(i));
  }
  c.map(c.out(output), e, std::move(operands));
}

Narrowing narrowing(const NodeContext& c, DType to) {
  if (!is_narrow(to) || !is_float(to) || dtype_bits(to) < 8) return {};
  Narrowing how{.saturates = c.integer("saturate", 1) != 0};
  const std::string mode = c.text("round_mode", "up");
  if (to == DType::float8e8m0 && mode != "up") how.rounding = mode == "down" ? Narrowing::down : Narrowing::nearest;
  return how;
}

bool expect_narrowing(const NodeContext& c) { return expect_word(c, "round_mode", "up", {"up", "down", "nearest"}); }

namespace {

struct Stated {
  Expression e;
  std::vector<int> inputs;
};

Stated state(const NodeContext& c, ExpressionRule rule) {
  Stated s;
  Ids ids;
  for (int i = 0; i < c.inputs(); ++i) {
    if (!c.has(i)) continue;
    ids.push_back(s.e.input(static_cast<int>(s.inputs.size()), c.dtype(i)));
    s.inputs.push_back(i);
  }
  s.e.result(rule(c, s.e, ids));
  return s;
}

}  // namespace

void fold_elementwise(InferContext& c, ExpressionRule rule) {
  if (c.inputs() == 2 && aligned_axis(c)) return;  // the alignment of opset 6 is no shape's arithmetic
  const Stated s = state(c, rule);
  fold_expression(c, 0, s.e, s.inputs);
}

void lower_elementwise(LowerContext& c, ExpressionRule rule) {
  const Stated s = state(c, rule);
  if (const auto at = c.inputs() == 2 ? aligned_axis(c) : std::nullopt; at && *at + c.rank(1) < c.rank(0)) {
    // B with units for the axes after its own is aligned at the end like any other operand.
    std::vector<int> source;
    std::vector<Axis> axes;
    for (int k = 0; k < c.rank(0) - *at; ++k) {
      source.push_back(k < c.rank(1) ? k : -1);
      axes.push_back(k < c.rank(1) ? c.axis(1, k) : c.unit());
    }
    c.map(c.out(0), s.e, {c.in(0), c.units(c.in(1), source, std::move(axes))});
    return;
  }
  lower_expression(c, 0, s.e, s.inputs);
}

namespace {

// ---- The rows' expressions -----------------------------------------------------------------------------------------

template <ScalarOp Op>
Id one(const NodeContext&, Expression& e, const Ids& x) { return e.apply(Op, x[0]); }
template <ScalarOp Op>
Id two(const NodeContext&, Expression& e, const Ids& x) { return e.apply(Op, x[0], x[1]); }
template <ScalarOp Op>
Id chain(const NodeContext&, Expression& e, const Ids& x) {
  Id r = x[0];
  for (std::size_t i = 1; i < x.size(); ++i) r = e.apply(Op, r, x[i]);
  return r;
}
Id mean(const NodeContext& c, Expression& e, const Ids& x) {
  return e.apply(div, chain<add>(c, e, x), e.constant(static_cast<double>(x.size()), e.type(x[0])));
}
Id k(Expression& e, const Ids& x, double value) { return e.constant(value, e.type(x[0])); }
Id zero(Expression& e, const Ids& x) {
  const DType t = e.type(x[0]);
  return is_float(t) ? e.constant(0, t) : e.integer(0, t);
}

Id relu(const NodeContext&, Expression& e, const Ids& x) { return e.apply(max, x[0], zero(e, x)); }
Id leaky_relu(const NodeContext& c, Expression& e, const Ids& x) {
  return e.apply(where, e.apply(less, x[0], zero(e, x)), e.apply(mul, x[0], k(e, x, c.number("alpha", 0.01f))), x[0]);
}
Id prelu(const NodeContext&, Expression& e, const Ids& x) {
  return e.apply(where, e.apply(less, x[0], zero(e, x)), e.apply(mul, x[0], x[1]), x[0]);
}
Id thresholded_relu(const NodeContext& c, Expression& e, const Ids& x) {
  return e.apply(where, e.apply(greater, x[0], k(e, x, c.number("alpha", 1))), x[0], zero(e, x));
}
Id elu(const NodeContext& c, Expression& e, const Ids& x) {
  const Id low = e.apply(mul, k(e, x, c.number("alpha", 1)), e.apply(expm1, x[0]));
  return e.apply(where, e.apply(less, x[0], zero(e, x)), low, x[0]);
}
Id celu(const NodeContext& c, Expression& e, const Ids& x) {
  const double alpha = c.number("alpha", 1);
  const Id low = e.apply(mul, k(e, x, alpha), e.apply(expm1, e.apply(div, x[0], k(e, x, alpha))));
  return e.apply(where, e.apply(less, x[0], zero(e, x)), low, x[0]);
}
Id selu(const NodeContext& c, Expression& e, const Ids& x) {
  const bool old = c.opset() < 6;
  const double alpha = c.number("alpha", old ? 1.6732 : 1.67326319217681884765625);
  const double gamma = c.number("gamma", old ? 1.0507 : 1.05070102214813232421875);
  const Id low = e.apply(mul, k(e, x, alpha), e.apply(expm1, x[0]));
  return e.apply(mul, k(e, x, gamma), e.apply(where, e.apply(greater, x[0], zero(e, x)), x[0], low));
}
Id softplus(const NodeContext&, Expression& e, const Ids& x) {
  // max(x, 0) + log1p(exp(-|x|)): no overflow for any x.
  return e.apply(add, e.apply(max, x[0], zero(e, x)), e.apply(log1p, e.apply(exp, e.apply(neg, e.apply(abs, x[0])))));
}
Id softsign(const NodeContext&, Expression& e, const Ids& x) {
  return e.apply(div, x[0], e.apply(add, k(e, x, 1), e.apply(abs, x[0])));
}
Id hard_sigmoid_of(Expression& e, const Ids& x, double alpha, double beta) {
  const Id line = e.apply(add, e.apply(mul, x[0], k(e, x, alpha)), k(e, x, beta));
  return e.apply(max, k(e, x, 0), e.apply(min, k(e, x, 1), line));
}
Id hard_sigmoid(const NodeContext& c, Expression& e, const Ids& x) {
  return hard_sigmoid_of(e, x, c.number("alpha", 0.2f), c.number("beta", 0.5));
}
Id hard_swish(const NodeContext&, Expression& e, const Ids& x) {
  return e.apply(mul, x[0], hard_sigmoid_of(e, x, 1.0 / 6, 0.5));
}
Id swish(const NodeContext& c, Expression& e, const Ids& x) {
  const double alpha = c.number("alpha", 1);
  return e.apply(mul, x[0], e.apply(sigmoid, alpha == 1 ? x[0] : e.apply(mul, x[0], k(e, x, alpha))));
}
Id mish(const NodeContext& c, Expression& e, const Ids& x) {
  return e.apply(mul, x[0], e.apply(tanh, softplus(c, e, x)));
}
Id gelu(const NodeContext& c, Expression& e, const Ids& x) {
  const Id half = e.apply(mul, k(e, x, 0.5), x[0]);
  if (c.text("approximate", "none") == "tanh") {
    const Id cube = e.apply(mul, x[0], e.apply(mul, x[0], x[0]));
    const Id inner = e.apply(mul, k(e, x, std::sqrt(2 / M_PI)), e.apply(add, x[0], e.apply(mul, k(e, x, 0.044715), cube)));
    return e.apply(mul, half, e.apply(add, k(e, x, 1), e.apply(tanh, inner)));
  }
  return e.apply(mul, half, e.apply(add, k(e, x, 1), e.apply(erf, e.apply(mul, x[0], k(e, x, std::sqrt(0.5))))));
}
Id shrink(const NodeContext& c, Expression& e, const Ids& x) {
  const double bias = c.number("bias", 0), lambda = c.number("lambd", 0.5);
  const DType t = e.type(x[0]);
  const auto constant = [&](double v) { return is_float(t) ? e.constant(v, t) : e.integer(saturated(v), t); };
  const Id high = e.apply(where, e.apply(greater, x[0], constant(lambda)), e.apply(sub, x[0], constant(bias)), constant(0));
  return e.apply(where, e.apply(less, x[0], constant(-lambda)), e.apply(add, x[0], constant(bias)), high);
}
Id is_inf(const NodeContext& c, Expression& e, const Ids& x) {
  const bool negative = c.integer("detect_negative", 1) != 0, positive = c.integer("detect_positive", 1) != 0;
  if (negative && positive) return e.apply(logical_or, e.apply(is_positive_infinity, x[0]), e.apply(is_negative_infinity, x[0]));
  if (positive) return e.apply(is_positive_infinity, x[0]);
  if (negative) return e.apply(is_negative_infinity, x[0]);
  return e.integer(0, DType::boolean);
}
Id modulo(const NodeContext& c, Expression& e, const Ids& x) {
  return c.integer("fmod", 0) ? e.apply(fmod, x[0], x[1]) : e.apply(mod, x[0], x[1]);
}
Id bit_shift(const NodeContext& c, Expression& e, const Ids& x) {
  return c.text("direction", "LEFT") == "RIGHT" ? e.apply(shift_right, x[0], x[1]) : e.apply(shift_left, x[0], x[1]);
}
Id swap_where(const NodeContext&, Expression& e, const Ids& x) { return e.apply(where, x[0], x[1], x[2]); }
Id clip(const NodeContext& c, Expression& e, const Ids& x) {
  const DType t = e.type(x[0]);
  Id r = x[0];
  std::size_t next = 1;
  // ONNX gives the upper bound the last word where the two cross.
  if (c.opset() < 11) {
    if (c.has_attribute("min")) r = e.apply(max, r, e.constant(c.number("min", 0), t));
    if (c.has_attribute("max")) r = e.apply(min, r, e.constant(c.number("max", 0), t));
    return r;
  }
  if (c.has(1)) r = e.apply(max, r, x[next++]);
  if (c.has(2)) r = e.apply(min, r, x[next]);
  return r;
}

// ---- The three parts -----------------------------------------------------------------------------------------------

enum class Gives : std::uint8_t { like, boolean };

template <ExpressionRule Rule, Gives G = Gives::like, int Like = 0>
constexpr Operator row(std::string_view name, int least = 1, int most = 1, std::string_view domain = "") {
  return {.domain = domain, .name = name,
          .infer = [](InferContext& c) { infer_elementwise(c, G == Gives::boolean ? DType::boolean : c.dtype(Like)); },
          .lower = [](LowerContext& c) { lower_elementwise(c, Rule); },
          .fold = [](InferContext& c) { fold_elementwise(c, Rule); },
          .min_inputs = least, .max_inputs = most, .any_rank = true};
}

void infer_clip(InferContext& c) {
  for (int i = 1; i < c.inputs(); ++i)
    if (c.has(i) && c.rank(i) != 0 && !(c.rank(i) == 1 && c.extent(i, 0).is(1)))
      c.error(Code::rank_mismatch, c.input_name(i) + " is no scalar, and the operator takes one bound for all elements");
  c.output(0, c.dtype(0), c.axes(0));
  if (c.rank_varies(0)) c.vary_rank(0);
}

// Cast's "to", older opsets' a word.
DType cast_target(const NodeContext& c) {
  if (const Attribute* to = c.node().attribute("to"); to && std::holds_alternative<std::string>(to->value)) {
    static constexpr std::pair<std::string_view, DType> words[] = {
        {"FLOAT", DType::float32}, {"FLOAT16", DType::float16}, {"DOUBLE", DType::float64}, {"INT8", DType::int8},
        {"INT16", DType::int16},   {"INT32", DType::int32},     {"INT64", DType::int64},    {"UINT8", DType::uint8},
        {"UINT16", DType::uint16}, {"UINT32", DType::uint32},   {"UINT64", DType::uint64},  {"BOOL", DType::boolean},
        {"STRING", DType::string}};
    for (const auto& [word, type] : words)
      if (word == std::get<std::string>(to->value)) return type;
    return DType::undefined;
  }
  return dtype_from_onnx(c.integer("to", 0)).value_or(DType::undefined);
}

void infer_cast(InferContext& c) {
  const DType to = c.node().op_type == "CastLike" ? c.dtype(1) : cast_target(c);
  if (dtype_cpp(to).empty() || dtype_cpp(c.dtype(0)).empty()) {
    c.error(Code::element_type, "casts " + std::string(dtype_name(c.dtype(0))) + " to " + std::string(dtype_name(to)) + ", and no kernel holds one of them");
    return;
  }
  if (!expect_narrowing(c)) return;
  c.output(0, to, c.axes(0));
  if (c.rank_varies(0)) c.vary_rank(0);
}

// A result of the operands' type, which must be one.
template <ExpressionRule Rule>
constexpr Operator binary(std::string_view name) {
  Operator op = row<Rule>(name, 2, 2);
  op.infer = [](InferContext& c) {
    if (c.dtype(0) != c.dtype(1))
      c.error(Code::element_type, c.input_name(0) + " is " + std::string(dtype_name(c.dtype(0))) + " and " + c.input_name(1) +
                                      " is " + std::string(dtype_name(c.dtype(1))));
    infer_elementwise(c, c.dtype(0));
  };
  return op;
}
template <ExpressionRule Rule>
constexpr Operator comparison(std::string_view name) {
  Operator op = binary<Rule>(name);
  op.infer = [](InferContext& c) {
    if (c.dtype(0) != c.dtype(1))
      c.error(Code::element_type, c.input_name(0) + " is " + std::string(dtype_name(c.dtype(0))) + " and " + c.input_name(1) +
                                      " is " + std::string(dtype_name(c.dtype(1))));
    infer_elementwise(c, DType::boolean);
  };
  return op;
}

void infer_where(InferContext& c) {
  if (!expect_dtype(c, 0, {DType::boolean})) return;
  if (c.dtype(1) != c.dtype(2))
    c.error(Code::element_type, c.input_name(1) + " is " + std::string(dtype_name(c.dtype(1))) + " and " + c.input_name(2) +
                                    " is " + std::string(dtype_name(c.dtype(2))));
  infer_elementwise(c, c.dtype(1));
}

constexpr Operator where_row() {
  Operator op = row<swap_where, Gives::like, 1>("Where", 3, 3);
  op.infer = infer_where;
  return op;
}
constexpr Operator clip_row() {
  Operator op = row<clip>("Clip", 1, 3);
  op.infer = infer_clip;
  return op;
}
// To the output's type, of what is stored as `from`.
Expression cast_from(const NodeContext& c, DType from) {
  const DType to = c.output_type(0).dtype;
  Expression e;
  e.result(e.cast(e.input(0, from), to, narrowing(c, to)));
  return e;
}

void fold_cast(InferContext& c) {
  if (c.known(0) && c.output_type(0).dtype != DType::string) fold_expression(c, 0, cast_from(c, c.dtype(0)), {0});
}

// Text is read as the widest type of its kind, and that is cast.
void lower_cast(LowerContext& c) {
  const DType from = c.dtype(0), to = c.output_type(0).dtype;
  if (from == DType::string && to == DType::string) return c.alias(0, c.in(0));
  if (to == DType::string) return c.call("format_numbers", "number_text", {c.out(0)}, {}, {c.in(0)});
  if (from != DType::string) return lower_expression(c, 0, cast_from(c, from), {0});
  const bool itself = to == DType::float64 || to == DType::uint64;
  const DType read = itself ? to : is_float(to) ? DType::float32 : DType::int64;
  const TensorId number = read == to ? c.out(0) : c.temporary(read, c.axes(0), "number");
  c.call("parse_numbers", "number_text", {number}, {}, {c.in(0)}, true);
  if (read != to) c.map(c.out(0), cast_from(c, read), {number});
}

constexpr Operator cast_row(std::string_view name, int inputs) {
  return {.domain = "", .name = name, .infer = infer_cast, .lower = lower_cast, .fold = fold_cast,
          .folds = Operator::Folds::always,  // CastLike reads the second operand's type alone
          .min_inputs = inputs, .max_inputs = inputs, .any_rank = true};
}

constexpr Operator rows[] = {
    row<one<neg>>("Neg"), row<one<abs>>("Abs"), row<one<sign>>("Sign"),
    row<one<ceil>>("Ceil"), row<one<floor>>("Floor"), row<one<round>>("Round"),
    row<one<exp>>("Exp"), row<one<log>>("Log"), row<one<sqrt>>("Sqrt"), row<one<reciprocal>>("Reciprocal"),
    row<one<sin>>("Sin"), row<one<cos>>("Cos"), row<one<tan>>("Tan"),
    row<one<asin>>("Asin"), row<one<acos>>("Acos"), row<one<atan>>("Atan"),
    row<one<sinh>>("Sinh"), row<one<cosh>>("Cosh"), row<one<tanh>>("Tanh"),
    row<one<asinh>>("Asinh"), row<one<acosh>>("Acosh"), row<one<atanh>>("Atanh"),
    row<one<erf>>("Erf"), row<one<sigmoid>>("Sigmoid"),
    row<one<logical_not>>("Not"), row<one<bitwise_not>>("BitwiseNot"),
    row<one<is_nan>, Gives::boolean>("IsNaN"), row<is_inf, Gives::boolean>("IsInf"),
    row<relu>("Relu"), row<leaky_relu>("LeakyRelu"), row<prelu>("PRelu", 2, 2), row<thresholded_relu>("ThresholdedRelu"),
    row<elu>("Elu"), row<celu>("Celu"), row<selu>("Selu"), row<softplus>("Softplus"), row<softsign>("Softsign"),
    row<hard_sigmoid>("HardSigmoid"), row<hard_swish>("HardSwish"), row<swish>("Swish"), row<mish>("Mish"),
    row<gelu>("Gelu"), row<shrink>("Shrink"),
    binary<two<add>>("Add"), binary<two<sub>>("Sub"), binary<two<mul>>("Mul"), binary<two<div>>("Div"),
    binary<modulo>("Mod"), row<two<pow>>("Pow", 2, 2), binary<bit_shift>("BitShift"),
    binary<two<bitwise_and>>("BitwiseAnd"), binary<two<bitwise_or>>("BitwiseOr"), binary<two<bitwise_xor>>("BitwiseXor"),
    binary<two<logical_and>>("And"), binary<two<logical_or>>("Or"), binary<two<logical_xor>>("Xor"),
    comparison<two<equal>>("Equal"), comparison<two<less>>("Less"), comparison<two<less_equal>>("LessOrEqual"),
    comparison<two<greater>>("Greater"), comparison<two<greater_equal>>("GreaterOrEqual"),
    row<chain<min>>("Min", 1, -1), row<chain<max>>("Max", 1, -1), row<chain<add>>("Sum", 1, -1), row<mean>("Mean", 1, -1),
    where_row(), clip_row(), cast_row("Cast", 1), cast_row("CastLike", 2),
};

}  // namespace

std::span<const Operator> elementwise_operators() { return rows; }

}  // namespace loam
