// Operators that do one thing at every place: what the operator files share to state one as an expression.
#pragma once

#include <initializer_list>
#include <vector>

#include "compiler/operators/lower.hpp"
#include "compiler/operators/operator.hpp"

namespace loam {

// Writes the node's computation over operands x (already in their compute types) and returns its result.
using ExpressionRule = Expression::Id (*)(const NodeContext& c, Expression& e, const std::vector<Expression::Id>& x);

// The result's element type: `like` the first operand, or what the rule says.
using TypeRule = DType (*)(const NodeContext& c);

// The three parts of an elementwise operator, over the inputs that are present.
void infer_elementwise(InferContext& c, DType result);
void fold_elementwise(InferContext& c, ExpressionRule rule);
void lower_elementwise(LowerContext& c, ExpressionRule rule);

// How a node narrows to a float of 8 bits, by its saturate and round_mode (ONNX Cast, CastLike, QuantizeLinear); where
// `to` is no such type it narrows as every conversion does.
Narrowing narrowing(const NodeContext& c, DType to);
bool expect_narrowing(const NodeContext& c);

// Folds and lowers any expression whose operand k is input `inputs[k]`: for operators elsewhere that are elementwise
// once their attributes are read.
void fold_expression(InferContext& c, int output, const Expression& e, const std::vector<int>& inputs);
void lower_expression(LowerContext& c, int output, const Expression& e, const std::vector<int>& inputs);

}  // namespace loam
