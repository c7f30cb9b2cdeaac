// What the models of ai.onnx.ml make of their scores alike: a post_transform, and the label of the class chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/operators/lower.hpp"

namespace loam {

// Input 0 as float32s.
TensorId as_floats(LowerContext& c);
// A constant of float32s.
TensorId float_constant(LowerContext& c, const std::vector<double>& values, std::vector<Axis> axes);

// In the order of TreeEnsemble's numbers.
enum class PostTransform : std::uint8_t { none, softmax, logistic, softmax_zero, probit };

// By the word of the attribute post_transform; a word that is none of them is reported.
std::optional<PostTransform> expect_transform(const NodeContext& c);
// out = scores [row, class], transformed.
void transform_scores(LowerContext& c, PostTransform transform, TensorId out, TensorId scores);

// The labels of the classes, in their order: integers or strings.
struct ClassLabels {
  std::vector<std::int64_t> integers;
  std::vector<std::string> texts;

  DType dtype() const { return texts.empty() ? DType::int64 : DType::string; }
  std::int64_t count() const { return static_cast<std::int64_t>(texts.empty() ? integers.size() : texts.size()); }
};

// Of classlabels_strings or the attribute of integers, one of which must have elements; reported where not.
std::optional<ClassLabels> expect_labels(const NodeContext& c, std::string_view integers);
// out = the labels of the classes `chosen` [row], an int64.
void label_classes(LowerContext& c, TensorId out, const ClassLabels& labels, TensorId chosen);
// The class of the greatest of scores [row, class], the first among equals: [row].
TensorId greatest_class(LowerContext& c, TensorId scores);

}  // namespace loam
