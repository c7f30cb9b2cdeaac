// LRN (ai.onnx): local response normalization across channels.
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"

namespace loam {

namespace {

void infer_lrn(InferContext& c) {
  if (!expect_float(c, 0) || !expect_least_rank(c, 0, 2)) return;
  if (c.integer("size", 0) < 1)
    c.error(Code::bad_attribute, "size is " + std::to_string(c.integer("size", 0)) + ", and the least it may be is 1");
  else c.output(0, c.dtype(0), c.axes(0));
}

void lower_lrn(LowerContext& c) {
  c.call("lrn", "lrn", {c.out(0)},
         {integer_literal(c.integer("size", 1)), number_literal(c.number("alpha", 1e-4f)),
          number_literal(c.number("beta", 0.75)), number_literal(c.number("bias", 1))},
         {c.in(0)});
}

constexpr Operator rows[] = {{.domain = "", .name = "LRN", .infer = infer_lrn, .lower = lower_lrn}};

}  // namespace

std::span<const Operator> lrn_operators() { return rows; }

}  // namespace loam
