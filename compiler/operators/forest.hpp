// Decision trees as ops/tree_ensemble takes them, of whichever operator of ai.onnx.ml they were read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/operators/lower.hpp"

namespace loam {

// ops/tree_ensemble/tree_ensemble.hpp says what each table holds.
struct Forest {
  std::vector<std::int64_t> roots, nodes, leaves, targets;
  std::vector<double> splits, members, weights;
  std::int64_t target_count = 1;
};

// A bad_attribute; none.
std::optional<Forest> refuse_forest(const NodeContext& c, std::string message);
// A tensor attribute's elements, none where it is absent; reported where the build does not keep as many.
std::optional<std::vector<double>> tensor_numbers(const NodeContext& c, std::string_view name);
// Input 0 has the features that nodes read: proved, refused, or owed.
void owe_features(const InferContext& c, const Forest& forest);
// out = what the trees give, summed as `gives` says: "sum". Their tables hold splits and weights of type `stored`.
void call_forest(LowerContext& c, TensorId out, const Forest& forest, std::string_view gives, DType stored);

}  // namespace loam
