// OptionalHasElement and OptionalGetElement (ai.onnx) of tensors: what is there is there, and is what it is.
#include "compiler/operators/lower.hpp"

namespace loam {

namespace {

void infer_has_element(InferContext& c) { c.output(0, DType::boolean, {}); }

void fold_has_element(InferContext& c) { c.fold(0, {DType::boolean, {}, {Polynomial(c.has(0) ? 1 : 0)}}); }

void infer_get_element(InferContext& c) { c.output(0, c.dtype(0), c.axes(0)); }

void fold_get_element(InferContext& c) {
  if (c.known(0)) c.fold(0, *c.known(0));
}

void lower_get_element(LowerContext& c) { c.alias(0, c.in(0)); }

constexpr Operator rows[] = {
    {.domain = "", .name = "OptionalHasElement", .infer = infer_has_element, .fold = fold_has_element,
     .folds = Operator::Folds::always, .min_inputs = 0, .any_rank = true},
    {.domain = "", .name = "OptionalGetElement", .infer = infer_get_element, .lower = lower_get_element,
     .fold = fold_get_element},
};

}  // namespace

std::span<const Operator> optional_operators() { return rows; }

}  // namespace loam
