#include "compiler/operators/quantized.hpp"

#include "compiler/operators/checks.hpp"

namespace loam {

bool expect_bytes(const NodeContext& c, int i) { return expect_dtype(c, i, {DType::uint8, DType::int8}); }

bool expect_point(const InferContext& c, int i, const Axis& axis, std::string_view of, bool per_axis) {
  if (!c.has(i) || c.elements(i).is(1)) return true;
  if (per_axis) return expect_along(c, i, axis, of);
  c.error(Code::rank_mismatch,
          c.input_name(i) + " has " + c.spell(c.elements(i)) + " elements, and the operator takes one");
  return false;
}

Term point(LowerContext& c, Formula& f, int i, int axis, int rank) {
  if (c.rank(i) != 1 || c.elements(i).is(1)) return f.in(i);
  return f(along(c, c.in(i), axis, rank));
}

Term dequantized(LowerContext& c, Formula& f, Term q, int scale, int zero_point) {
  Term x = q.as(DType::float32);
  if (c.has(zero_point)) x = x - f.in(zero_point).as(DType::float32);
  return x * f.in(scale).as(DType::float32);
}

Term quantized(LowerContext& c, Formula& f, Term x, int scale, int zero_point, DType to) {
  Term q = round(x / f.in(scale).as(DType::float32));
  if (c.has(zero_point)) q = q + f.in(zero_point).as(DType::float32);
  return q.saturated(to);
}

TensorId centred(LowerContext& c, int operand, int zero_point, int axis) {
  Formula f(c);
  Term x = f(c.in(operand)).as(DType::int32);
  if (c.has(zero_point)) x = x - point(c, f, zero_point, axis, c.rank(operand)).as(DType::int32);
  return f.make(c.axes(operand), x, "centred");
}

}  // namespace loam
