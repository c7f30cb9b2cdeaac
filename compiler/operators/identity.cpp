// Identity (ai.onnx): the output is the operand itself, under another name.
#include "compiler/operators/structures.hpp"

namespace loam {

namespace {

void infer_identity(InferContext& c) { pass_on(c, c.typed().inputs[0]); }

constexpr Operator rows[] = {
    {.domain = "", .name = "Identity", .infer = infer_identity, .lower = lower_passed_on, .any_rank = true,
     .structures = true},
};

}  // namespace

std::span<const Operator> identity_operators() { return rows; }

}  // namespace loam
