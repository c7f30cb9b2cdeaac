// What the operators over numbers check alike of their operands' types, ranks and axes.
#pragma once

#include <string>
#include <vector>

#include "compiler/operators/operator.hpp"

namespace loam {

// Each of these inputs is there, among optional ones that may not be.
bool expect_present(const NodeContext& c, std::initializer_list<int> inputs);

// Inputs a and b have one element type.
bool expect_one_dtype(const NodeContext& c, int a, int b);
// Input i computes in a float: float16, bfloat16, float32 or float64.
bool expect_float(const NodeContext& c, int i);
// Input i is a number that arithmetic takes: such a float, or an integer.
bool expect_number(const NodeContext& c, int i);
bool expect_least_rank(const NodeContext& c, int i, int rank);

// Input i, aligned at its end, stretches to axes `to` and not beyond (ONNX unidirectional broadcasting).
bool expect_stretches(const InferContext& c, int i, const std::vector<Axis>& to);
// Input i has one axis, and it is `axis` under the name `of`: "X's channels".
bool expect_along(const InferContext& c, int i, const Axis& axis, std::string_view of);

// An attribute that is one of a few integers or words; reported where it is another.
bool expect_word(const NodeContext& c, std::string_view attribute, std::string_view fallback,
                 std::initializer_list<std::string_view> words);

}  // namespace loam
