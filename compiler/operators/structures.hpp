// What the operators of sequences and optionals share: a value passed on, a position, turns put one after another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/operators/lower.hpp"

namespace loam {

// Output 0 is this value: a structure as it is, or a tensor, which the node then reads alone and lowers to.
void pass_on(InferContext& c, ValueId id);
void lower_passed_on(LowerContext& c);

// The number that input i holds; where it is none that the build knows, an error that says what it decides and what
// would settle it. "at which position a value is inserted"
std::optional<std::int64_t> settled_number(const NodeContext& c, int i, const std::string& decides);

// A Loop whose body runs once for each turn the build counts, each turn's nodes standing after the last one's: what it
// carries may be sequences and optionals. The trip count and the conditions must be known.
void infer_unrolled(InferContext& c, const Graph& body);
void lower_unrolled(LowerContext& c);
bool is_unrolled(NodeContext& c);

}  // namespace loam
