// What the operators over quantized tensors share: an element stands for (q - zero point) * scale.
#pragma once

#include <string_view>

#include "compiler/operators/formula.hpp"

namespace loam {

// The types whose values int32 sums of products take: uint8 and int8.
bool expect_bytes(const NodeContext& c, int i);
// Input i, a scale or zero point where it is present, has one element, or with `per_axis` one for each place of `axis`.
bool expect_point(const InferContext& c, int i, const Axis& axis, std::string_view of, bool per_axis);

// Input i of such form as a term, lying along `axis` of results of `rank` axes where it has several elements.
Term point(LowerContext& c, Formula& f, int i, int axis, int rank);
// (q - zero point) * scale in float. An absent zero point is 0.
Term dequantized(LowerContext& c, Formula& f, Term q, int scale, int zero_point);
// Rounds half to even and clamps, as QuantizeLinear does.
Term quantized(LowerContext& c, Formula& f, Term x, int scale, int zero_point, DType to);
// The operand less its zero point, in int32; `axis` is where a zero point for each place lies.
TensorId centred(LowerContext& c, int operand, int zero_point, int axis);

}  // namespace loam
