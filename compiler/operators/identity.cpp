// Identity (ai.onnx): the output is the operand itself, under another name.
#include "compiler/operators/lower.hpp"

namespace loam {

namespace {

void infer_identity(InferContext& c) {
  c.output(0, c.dtype(0), c.axes(0));
  if (c.rank_varies(0)) c.vary_rank(0);
}

void fold_identity(InferContext& c) {
  if (c.known(0)) c.fold(0, *c.known(0));
}

void lower_identity(LowerContext& c) { c.alias(0, c.in(0)); }

constexpr Operator rows[] = {
    {.domain = "", .name = "Identity", .infer = infer_identity, .lower = lower_identity, .fold = fold_identity,
     .any_rank = true},
};

}  // namespace

std::span<const Operator> identity_operators() { return rows; }

}  // namespace loam
