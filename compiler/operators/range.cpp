// Range (ai.onnx): start, start + delta, ... up to limit, which it leaves out.
#include <cmath>

#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

bool all_known(const NodeContext& c) { return c.known(0) && c.known(1) && c.known(2); }

// How many elements known bounds give; nullopt where that was reported.
std::optional<Polynomial> count(const InferContext& c) {
  const Known &start = *c.known(0), &limit = *c.known(1), &delta = *c.known(2);
  if (!start.integral()) {
    if (delta.number(0) == 0) {
      c.error(Code::bad_attribute, "steps by 0");
      return std::nullopt;
    }
    const double n = std::ceil(round_to(start.dtype, limit.number(0) - start.number(0)) / delta.number(0));
    if (!(n <= static_cast<double>(longest_length))) {
      c.error(Code::overflow, "gives more elements than a list holds");
      return std::nullopt;
    }
    return n > 0 ? static_cast<std::int64_t>(n) : 0;
  }
  Symbols& s = c.symbols();
  const Polynomial step = s.simplify(delta.integer(0));
  const Polynomial span = s.simplify(limit.integer(0)) - s.simplify(start.integer(0));
  if (step.is(0)) {
    c.error(Code::bad_attribute, "steps by 0");
    return std::nullopt;
  }
  const Range sign = s.range(step);
  if (sign.low < 0 && sign.high > 0) {
    c.error(Code::value_needed,
            "steps by " + c.spell(step) + ", and the inputs decide whether that is forward or back");
    return std::nullopt;
  }
  const bool forward = sign.low >= 0;
  c.owe((forward ? step : -step) - 1, "the step " + c.spell(step) + " must not be 0");
  return s.max(forward ? s.ceil_div(span, step) : s.ceil_div(-span, -step), 0);
}

void infer_range(InferContext& c) {
  for (int i = 0; i < 3; ++i) {
    if (c.dtype(i) != c.dtype(0)) {
      c.error(Code::element_type, c.input_name(0) + " is " + std::string(dtype_name(c.dtype(0))) + " and " +
                                      c.input_name(i) + " is " + std::string(dtype_name(c.dtype(i))));
      return;
    }
    if (!c.elements(i).is(1)) {
      c.error(Code::rank_mismatch, c.input_name(i) + " is no scalar, and the operator takes one number");
      return;
    }
  }
  if (!expect_dtype(
          c, 0,
          {DType::int64, DType::int32, DType::int16, DType::float32, DType::float64, DType::float16, DType::bfloat16}))
    return;
  if (all_known(c)) {
    if (const auto n = count(c)) c.output(0, c.dtype(0), {c.fresh(*n)});
    return;
  }
  if (!c.wants(0)) return;
  const Polynomial n = c.bind(result_name(c) + "_length");
  if (!c.known(2))
    c.owe(c.bind(c.input_name(2) + "_not_zero", {0, 1}) - 1, "the step " + c.input_name(2) + " must not be 0");
  c.output(0, c.dtype(0), {c.fresh(n)});
}

void fold_range(InferContext& c) {
  const auto dims = known_dims(c, 0);
  if (!dims) return;
  const Known &start = *c.known(0), &delta = *c.known(2);
  Known out{c.dtype(0), *dims, {}};
  for (std::int64_t i = 0; i < dims->front(); ++i) {
    if (start.integral())
      out.elements.emplace_back(c.symbols().simplify(start.integer(0)) + c.symbols().simplify(delta.integer(0)) * i);
    else
      out.elements.emplace_back(round_to(out.dtype, start.number(0) + static_cast<double>(i) * delta.number(0)));
  }
  c.fold(0, std::move(out));
}

// max(0, ceil((limit - start) / delta)), a step of 0 giving none.
void bind_count(LowerContext& c) {
  Formula f(c);
  const Term start = f.one(0), limit = f.one(1), delta = f.one(2);
  Term n = start;
  if (is_float(start.type())) {
    const Term step = delta.as(DType::float64), none = step.constant(0);
    n = where(equal(step, none), none, apply(ScalarOp::ceil, (limit - start).as(DType::float64) / step));
  } else {
    // Integers divide toward zero: lengthened to one short of the next step, the quotient is rounded up.
    const Term s = delta.as(DType::int64), span = limit.as(DType::int64) - start.as(DType::int64);
    n = (span + s - apply(ScalarOp::sign, s)) / s;
  }
  const TensorId length = f.make({}, max(n, n.constant(0)).as(DType::int64), "length");
  c.bind({c.typed().bound[0]}, length);
  if (c.known(2)) return;
  Formula g(c);
  const Term step = g.one(2);
  c.bind({c.typed().bound[1]}, g.make({}, apply(ScalarOp::logical_not, equal(step, step.constant(0))), "not_zero"));
}

void lower_range(LowerContext& c) {
  if (!c.typed().bound.empty()) bind_count(c);
  Formula f(c);
  const Term start = f.one(0), delta = f.one(2);
  f.into(c.out(0), start + f.coordinate(0).as(start.type()) * delta);
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Range", .infer = infer_range, .lower = lower_range, .fold = fold_range, .min_inputs = 3,
     .max_inputs = 3},
};

}  // namespace

std::span<const Operator> range_operators() { return rows; }

}  // namespace loam
