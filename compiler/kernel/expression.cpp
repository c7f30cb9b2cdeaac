#include "compiler/kernel/expression.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "compiler/shape/integer.hpp"

namespace loam {

namespace {

constexpr std::string_view names[] = {
#define LOAM_SCALAR(name, operands) #name,
#include "compiler/kernel/scalar_ops.inc"
#undef LOAM_SCALAR
};
constexpr int counts[] = {
#define LOAM_SCALAR(name, operands) operands,
#include "compiler/kernel/scalar_ops.inc"
#undef LOAM_SCALAR
};

bool gives_bool(ScalarOp op) {
  using enum ScalarOp;
  switch (op) {
    case is_nan: case is_positive_infinity: case is_negative_infinity: case logical_not: case logical_and:
    case logical_or: case logical_xor: case equal: case less: case less_equal: case greater: case greater_equal:
      return true;
    default: return false;
  }
}

}  // namespace

std::string_view scalar_name(ScalarOp op) { return names[static_cast<std::size_t>(op)]; }
int scalar_operands(ScalarOp op) { return counts[static_cast<std::size_t>(op)]; }

DType compute_type(DType type) {
  if (is_float(type)) return type == DType::float64 ? type : DType::float32;
  if (is_integer(type) && dtype_bits(type) < 8) return is_signed(type) ? DType::int8 : DType::uint8;
  return type;
}

Expression::Id Expression::add(Step step) {
  // Equal steps are one: an input read twice, a constant written twice.
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (steps_[i] == step) return static_cast<Id>(i);
  steps_.push_back(std::move(step));
  return static_cast<Id>(steps_.size() - 1);
}

Expression::Id Expression::input(int index, DType stored) {
  return add({.kind = Step::Kind::input, .type = compute_type(stored), .input = index});
}
Expression::Id Expression::constant(double value, DType type) {
  if (!is_float(type)) return integer(saturated(value), type);
  return add({.kind = Step::Kind::constant, .type = compute_type(type), .constant = round_to(compute_type(type), value)});
}
Expression::Id Expression::integer(std::int64_t value, DType type) {
  if (is_float(type)) return constant(static_cast<double>(value), type);
  return add({.kind = Step::Kind::constant, .type = compute_type(type), .constant = Polynomial(wrap_to(type, value))});
}
Expression::Id Expression::apply(ScalarOp op, Id a) {
  if (op == ScalarOp::identity) return a;
  return add({.kind = Step::Kind::apply, .type = gives_bool(op) ? DType::boolean : type(a), .op = op, .operands = {a, 0, 0}});
}
Expression::Id Expression::apply(ScalarOp op, Id a, Id b) {
  const auto is_sigmoid_of = [&](Id y, Id x) {
    const Step& step = steps_[static_cast<std::size_t>(y)];
    return step.kind == Step::Kind::apply && step.op == ScalarOp::sigmoid && step.operands[0] == x;
  };
  if (op == ScalarOp::mul && is_sigmoid_of(b, a)) return apply(ScalarOp::silu, a);
  if (op == ScalarOp::mul && is_sigmoid_of(a, b)) return apply(ScalarOp::silu, b);
  return add({.kind = Step::Kind::apply, .type = gives_bool(op) ? DType::boolean : type(a), .op = op, .operands = {a, b, 0}});
}
Expression::Id Expression::apply(ScalarOp op, Id a, Id b, Id c) {
  return add({.kind = Step::Kind::apply, .type = type(b), .op = op, .operands = {a, b, c}});
}
Expression::Id Expression::cast(Id a, DType to, Narrowing how) {
  // To a narrow type and back rounds, so the storage type is kept as the target even where the compute type is not.
  if (type(a) == to) return a;
  return add({.kind = Step::Kind::apply, .type = compute_type(to), .op = ScalarOp::cast, .target = to, .how = how, .operands = {a, 0, 0}});
}
Expression::Id Expression::saturate(Id a, DType to) {
  return add({.kind = Step::Kind::apply, .type = compute_type(to), .op = ScalarOp::saturate, .target = to, .operands = {a, 0, 0}});
}

Expression Expression::ordered(std::vector<int>& inputs) const {
  Expression e;
  std::vector<Id> moved(steps_.size(), -1);
  const auto move = [&](const auto& self, Id id) -> Id {
    Id& to = moved[static_cast<std::size_t>(id)];
    if (to >= 0) return to;
    Step step = steps_[static_cast<std::size_t>(id)];
    if (step.kind == Step::Kind::input) {
      inputs.push_back(step.input);
      step.input = static_cast<int>(inputs.size()) - 1;
    } else if (step.kind == Step::Kind::apply) {
      for (int i = 0; i < scalar_operands(step.op); ++i) step.operands[i] = self(self, step.operands[i]);
    }
    return to = e.add(std::move(step));
  };
  e.result(move(move, result_));
  return e;
}

int Expression::inputs() const {
  int n = 0;
  for (const Step& step : steps_)
    if (step.kind == Step::Kind::input) n = std::max(n, step.input + 1);
  return n;
}

namespace {

using enum ScalarOp;

double erf_of(double x) { return std::erf(x); }

std::optional<Scalar> float_result(ScalarOp op, DType type, double a, double b) {
  const auto give = [&](double v) { return Scalar(round_to(type, v)); };
  const auto test = [](bool v) { return Scalar(Polynomial(v)); };
  switch (op) {
    case neg: return give(-a);
    case abs: return give(std::fabs(a));
    case sign: return give(std::isnan(a) ? a : a > 0 ? 1 : a < 0 ? -1 : 0);
    case ceil: return give(std::ceil(a));
    case floor: return give(std::floor(a));
    case round: return give(std::nearbyint(a));
    case exp: return give(std::exp(a));
    case log: return give(std::log(a));
    case log1p: return give(std::log1p(a));
    case expm1: return give(std::expm1(a));
    case sqrt: return give(std::sqrt(a));
    case reciprocal: return give(1 / a);
    case sin: return give(std::sin(a));
    case cos: return give(std::cos(a));
    case tan: return give(std::tan(a));
    case asin: return give(std::asin(a));
    case acos: return give(std::acos(a));
    case atan: return give(std::atan(a));
    case sinh: return give(std::sinh(a));
    case cosh: return give(std::cosh(a));
    case tanh: return give(std::tanh(a));
    case asinh: return give(std::asinh(a));
    case acosh: return give(std::acosh(a));
    case atanh: return give(std::atanh(a));
    case erf: return give(erf_of(a));
    case sigmoid: return give(1 / (1 + std::exp(-a)));
    case silu: return give(a / (1 + std::exp(-a)));
    case is_nan: return test(std::isnan(a));
    case is_positive_infinity: return test(std::isinf(a) && a > 0);
    case is_negative_infinity: return test(std::isinf(a) && a < 0);
    case add: return give(a + b);
    case sub: return give(a - b);
    case mul: return give(a * b);
    case div: return give(a / b);
    case pow: return give(std::pow(a, b));
    case mod: return give(b == 0 ? std::nan("") : a - b * std::floor(a / b));
    case fmod: return give(std::fmod(a, b));
    case min: return give(std::isnan(a) || std::isnan(b) ? std::nan("") : std::min(a, b));
    case max: return give(std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b));
    case atan2: return give(std::atan2(a, b));
    case equal: return test(a == b);
    case less: return test(a < b);
    case less_equal: return test(a <= b);
    case greater: return test(a > b);
    case greater_equal: return test(a >= b);
    default: return std::nullopt;
  }
}

// Integer arithmetic over polynomials; numbers alone where an operation leaves them.
std::optional<Scalar> integer_result(Symbols& s, ScalarOp op, DType type, const Polynomial& a, const Polynomial& b) {
  const auto ca = a.constant(), cb = b.constant();
  const bool numbers = ca && cb;
  switch (op) {
    case neg: return -a;
    case abs: return s.max(a, -a);
    case sign: return s.ge(a, 1) - s.ge(-a, 1);
    case add: return a + b;
    case sub: return a - b;
    case mul: return a * b;
    case div: return cb && *cb == 0 ? std::nullopt : std::optional<Scalar>(s.truncated_div(a, b));
    case mod: return cb && *cb > 0 ? std::optional<Scalar>(s.floor_mod(a, b)) : numbers && *cb != 0
                         ? std::optional<Scalar>(Polynomial(((*ca % *cb) + *cb) % *cb)) : std::nullopt;
    case fmod: return numbers && *cb != 0 ? std::optional<Scalar>(Polynomial(*ca % *cb)) : std::nullopt;
    case min: return s.min(a, b);
    case max: return s.max(a, b);
    case equal: return s.eq(a, b);
    case less: return s.ge(b, a + 1);
    case less_equal: return s.ge(b, a);
    case greater: return s.ge(a, b + 1);
    case greater_equal: return s.ge(a, b);
    case logical_not: return Polynomial(1) - a;
    case logical_and: return a * b;
    case logical_or: return a + b - a * b;
    case logical_xor: return a + b - Polynomial(2) * a * b;
    case bitwise_not: return wrap_to(type, 0) == 0 ? std::optional<Scalar>(Polynomial(-1) - a) : std::nullopt;
    case bitwise_and: return numbers ? std::optional<Scalar>(Polynomial(*ca & *cb)) : std::nullopt;
    case bitwise_or: return numbers ? std::optional<Scalar>(Polynomial(*ca | *cb)) : std::nullopt;
    case bitwise_xor: return numbers ? std::optional<Scalar>(Polynomial(*ca ^ *cb)) : std::nullopt;
    case pow: {
      if (!cb || *cb < 0 || *cb > 62) return std::nullopt;
      Polynomial power = 1;
      for (std::int64_t i = 0; i < *cb; ++i) power = power * a;
      return power;
    }
    case round: case ceil: case floor: return a;
    default: return std::nullopt;
  }
}

// An integer as its type holds it: int32 keeps the low 32 bits; of the narrower types only what is sure to fit is known.
std::optional<Scalar> held(Symbols& s, DType type, Scalar value) {
  const auto* p = std::get_if<Polynomial>(&value);
  if (!p || type == DType::int64 || type == DType::boolean || !is_integer(type)) return value;
  if (const auto c = p->constant()) return Polynomial(wrap_to(type, *c));
  if (type == DType::int32) return s.wrap32(*p);
  const Range range = s.range(*p);
  const bool fits = type == DType::uint64 ? range.low >= 0 : wrap_to(type, range.low) == range.low && wrap_to(type, range.high) == range.high;
  return fits ? std::optional(std::move(value)) : std::nullopt;
}

std::optional<Scalar> cast_result(Symbols& s, const Scalar& value, DType to, bool saturates, Narrowing how) {
  if (const auto* p = std::get_if<Polynomial>(&value)) {
    const auto c = p->constant();
    if (is_float(to)) return c ? std::optional<Scalar>(round_to(to, static_cast<double>(*c), how)) : std::nullopt;
    if (to == DType::boolean) return Polynomial(1) - s.eq(*p, 0);
    return held(s, to, *p);
  }
  const double d = std::get<double>(value);
  if (is_float(to)) return round_to(to, d, how);
  if (to == DType::boolean) return Polynomial(d != 0);
  const bool sub_byte = dtype_bits(to) < 8;  // a cast to one rounds and wraps
  const double whole = saturates || sub_byte ? std::nearbyint(d) : std::trunc(d);
  if (!(whole >= -9.2e18 && whole <= 9.2e18)) return std::nullopt;  // left to the kernel, which saturates
  const auto integer = static_cast<std::int64_t>(whole);
  const std::int64_t held = wrap_to(to, integer);
  return held == integer || (sub_byte && !saturates) ? std::optional<Scalar>(Polynomial(held)) : std::nullopt;
}

}  // namespace

std::optional<Scalar> Expression::evaluate(Symbols& symbols, std::span<const Scalar> operands) const {
  std::vector<Scalar> values;
  values.reserve(steps_.size());
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::input) {
      values.push_back(operands[static_cast<std::size_t>(step.input)]);
      continue;
    }
    if (step.kind == Step::Kind::constant) {
      values.push_back(step.constant);
      continue;
    }
    const Scalar& a = values[static_cast<std::size_t>(step.operands[0])];
    const Scalar& b = values[static_cast<std::size_t>(step.operands[1])];
    std::optional<Scalar> v;
    if (step.op == ScalarOp::cast || step.op == ScalarOp::saturate) {
      v = cast_result(symbols, a, step.target, step.op == ScalarOp::saturate, step.how);
    } else if (step.op == where) {
      const Scalar& c = values[static_cast<std::size_t>(step.operands[2])];
      const Polynomial& condition = std::get<Polynomial>(a);
      if (const auto known = condition.constant()) v = *known ? b : c;
      else if (b == c) v = b;
      else if (b.index() == 0 && c.index() == 0) v = symbols.select(condition, std::get<Polynomial>(b), std::get<Polynomial>(c));
    } else if (const auto* da = std::get_if<double>(&a)) {
      const double db = scalar_operands(step.op) > 1
                            ? (b.index() == 1 ? std::get<double>(b)
                                              : static_cast<double>(std::get<Polynomial>(b).constant().value_or(0)))
                            : 0;
      if (scalar_operands(step.op) > 1 && b.index() == 0 && !std::get<Polynomial>(b).is_constant()) return std::nullopt;
      v = float_result(step.op, step.type == DType::boolean ? type(step.operands[0]) : step.type, *da, db);
    } else {
      if (scalar_operands(step.op) > 1 && b.index() == 1) {
        // An integer base under a float exponent.
        const double e = std::get<double>(b);
        v = e == std::floor(e) ? integer_result(symbols, step.op, step.type, std::get<Polynomial>(a), Polynomial(static_cast<std::int64_t>(e))) : std::nullopt;
      } else {
        v = integer_result(symbols, step.op, step.type, std::get<Polynomial>(a),
                           scalar_operands(step.op) > 1 ? std::get<Polynomial>(b) : Polynomial(0));
      }
    }
    if (v) v = held(symbols, step.type, std::move(*v));
    if (!v) return std::nullopt;
    values.push_back(std::move(*v));
  }
  return values[static_cast<std::size_t>(result_)];
}

std::string cpp_literal(double value, DType type) {
  const std::string_view cpp = dtype_cpp(compute_type(type));
  if (std::isnan(value)) return fmt::format("std::numeric_limits<{}>::quiet_NaN()", cpp);
  if (std::isinf(value)) return fmt::format("{}std::numeric_limits<{}>::infinity()", value < 0 ? "-" : "", cpp);
  std::string text = type == DType::float64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return type == DType::float64 ? text : text + "f";
}

std::string cpp_literal(std::int64_t value, DType type) {
  if (type == DType::boolean) return value ? "true" : "false";
  if (value == std::numeric_limits<std::int64_t>::min()) return "std::numeric_limits<std::int64_t>::min()";
  if (type == DType::uint64) return fmt::format("std::uint64_t{{{}u}}", static_cast<std::uint64_t>(value));
  return fmt::format("{}{{{}}}", dtype_cpp(type), value);
}

namespace {

// cast's template arguments: "<float>", "<loam::float8e5m2, loam::Narrowing{.saturates = false}>".
std::string cast_arguments(const Expression::Step& step) {
  std::string how;
  if (!step.how.saturates) how = ".saturates = false";
  if (step.how.rounding != Narrowing::up)
    how += fmt::format("{}.rounding = loam::Narrowing::{}", how.empty() ? "" : ", ", step.how.rounding == Narrowing::down ? "down" : "nearest");
  return fmt::format("<{}{}>", dtype_cpp(step.target), how.empty() ? "" : fmt::format(", loam::Narrowing{{{}}}", how));
}

}  // namespace

std::string Expression::named() const {
  if (steps_.empty()) return {};
  const Step& last = steps_[static_cast<std::size_t>(result_)];
  if (last.kind == Step::Kind::input && steps_.size() == 1) return "loam::fn::Identity";
  if (last.kind != Step::Kind::apply || last.op == ScalarOp::saturate) return {};
  const int n = scalar_operands(last.op);
  if (static_cast<int>(steps_.size()) != n + 1) return {};
  for (int i = 0; i < n; ++i) {
    const Step& operand = steps_[static_cast<std::size_t>(last.operands[i])];
    if (operand.kind != Step::Kind::input || operand.input != i) return {};
  }
  std::string name;
  bool upper = true;
  for (const char c : scalar_name(last.op)) {
    if (c == '_') {
      upper = true;
      continue;
    }
    name += upper ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  if (last.op == ScalarOp::cast) return "loam::fn::Cast" + cast_arguments(last);
  return "loam::fn::" + name;
}

std::string Expression::cpp() const {
  // Steps used more than once get a name; the rest nest.
  std::vector<int> uses(steps_.size(), 0);
  for (const Step& step : steps_)
    if (step.kind == Step::Kind::apply)
      for (int i = 0; i < scalar_operands(step.op); ++i) ++uses[static_cast<std::size_t>(step.operands[i])];
  std::vector<std::string> text(steps_.size());
  std::string body;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.kind == Step::Kind::input) {
      text[i] = fmt::format("x{}", step.input);
      continue;
    }
    if (step.kind == Step::Kind::constant) {
      text[i] = step.constant.index() == 1 ? cpp_literal(std::get<double>(step.constant), step.type)
                                           : cpp_literal(std::get<Polynomial>(step.constant).constant_term(), step.type);
      continue;
    }
    const auto operand = [&](int k) -> const std::string& { return text[static_cast<std::size_t>(step.operands[k])]; };
    const DType of = type(step.operands[0]);
    const bool real = of == DType::float32 || of == DType::float64;
    const auto infix = [&](const char* sign) { return fmt::format("({} {} {})", operand(0), sign, operand(1)); };
    std::string call;
    if (step.op == ScalarOp::cast || step.op == ScalarOp::saturate) {
      call = fmt::format("loam::fn::{}{}({})", scalar_name(step.op), cast_arguments(step), operand(0));
      if (compute_type(step.target) != step.target) call = fmt::format("loam::load({})", call);
    } else if (real && step.op == ScalarOp::add) call = infix("+");
    else if (real && step.op == sub) call = infix("-");
    else if (real && step.op == mul) call = infix("*");
    else if (real && step.op == div) call = infix("/");
    else if (real && step.op == neg) call = fmt::format("(-{})", operand(0));
    else {
      call = fmt::format("loam::fn::{}(", scalar_name(step.op));
      for (int k = 0; k < scalar_operands(step.op); ++k) call += (k ? ", " : "") + operand(k);
      call += ")";
    }
    if (uses[i] > 1) {
      body += fmt::format("const auto t{} = {};\n    ", i, call);
      call = fmt::format("t{}", i);
    }
    text[i] = std::move(call);
  }
  std::string last = text[static_cast<std::size_t>(result_)];
  if (last.size() > 2 && last.front() == '(' && last.back() == ')') {
    // The outermost parentheses say nothing, where they are one pair.
    int depth = 0;
    bool one_pair = true;
    for (std::size_t i = 0; i + 1 < last.size(); ++i) {
      depth += last[i] == '(' ? 1 : last[i] == ')' ? -1 : 0;
      one_pair = one_pair && depth > 0;
    }
    if (one_pair) last = last.substr(1, last.size() - 2);
  }
  return body + "return " + last + ";";
}

}  // namespace loam
