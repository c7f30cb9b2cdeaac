#include "compiler/operators/scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/operators/formula.hpp"
#include "compiler/operators/labels.hpp"

namespace loam {

namespace {

constexpr std::array<std::string_view, 5> words{"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

// The quantile of the normal distribution, by the closed form (Winitzki 2008, good to 0.002) with which onnxruntime and
// ONNX's reference evaluator compute it.
Term probit(Term p) {
  constexpr double a = 0.147;
  const Term y = p * 2.0 - 1.0, l = log((y.constant(1) - y) * (y + 1.0));
  const Term v = l * 0.5 + 2 / (std::numbers::pi * a);
  const Term size = sqrt(sqrt(v * v - l / a) - v) * std::numbers::sqrt2;
  return where(y < y.constant(0), -size, size);
}

}  // namespace

TensorId as_floats(LowerContext& c) {
  if (c.dtype(0) == DType::float32) return c.in(0);
  Formula f(c);
  return f.make(c.axes(0), f(c.in(0)).as(DType::float32), "float");
}

TensorId float_constant(LowerContext& c, const std::vector<double>& values, std::vector<Axis> axes) {
  Known known{DType::float32, {}, {values.begin(), values.end()}};
  for (const Axis& axis : axes) known.dims.push_back(axis.extent().constant().value_or(1));
  return c.constant(std::move(known), std::move(axes));
}

std::optional<PostTransform> expect_transform(const NodeContext& c) {
  const std::string word = c.text("post_transform", "NONE");
  const auto found = std::ranges::find(words, word);
  if (found != words.end()) return static_cast<PostTransform>(found - words.begin());
  c.error(Code::bad_attribute, fmt::format("post_transform is {}, and it is one of {}", word, fmt::join(words, ", ")));
  return std::nullopt;
}

void transform_scores(LowerContext& c, PostTransform transform, TensorId out, TensorId scores) {
  const auto softmax = [&](TensorId x) {
    c.call("softmax", "softmax", {out}, {Literal{"loam::Softmax{}"}, integer_literal(1)}, {x});
  };
  if (transform == PostTransform::softmax) return softmax(scores);
  Formula f(c);
  const Term x = f(scores);
  if (transform == PostTransform::softmax_zero) {
    // Scores of 0, by onnxruntime's measure of it, stay 0 and take no share.
    const Term kept = where(abs(x) > x.constant(1e-7), x, x.constant(-std::numeric_limits<double>::infinity()));
    return softmax(f.make(c.tensor(scores).axes, kept, "kept"));
  }
  f.into(out, transform == PostTransform::logistic ? sigmoid(x) : transform == PostTransform::probit ? probit(x) : x);
}

std::optional<ClassLabels> expect_labels(const NodeContext& c, std::string_view integers) {
  ClassLabels labels{c.integers(integers).value_or(std::vector<std::int64_t>{}),
                     c.texts("classlabels_strings").value_or(std::vector<std::string>{})};
  if (labels.integers.empty() != labels.texts.empty()) return labels;
  c.error(Code::bad_attribute, fmt::format("gives {} {} and {} classlabels_strings, and takes labels of one kind",
                                           labels.integers.size(), integers, labels.texts.size()));
  return std::nullopt;
}

void label_classes(LowerContext& c, TensorId out, const ClassLabels& labels, TensorId chosen) {
  const std::int64_t classes = labels.count();
  if (labels.dtype() == DType::int64) {
    Known known{DType::int64, {classes}, {}};
    for (const std::int64_t label : labels.integers) known.elements.emplace_back(Polynomial(label));
    const TensorId table = c.constant(std::move(known), {c.named_axis("Class", classes)});
    return c.call("gather", "gather", {out}, {integer_literal(0)}, {table, chosen}, true);
  }
  look_up(c, out, counted_labels(labels.texts.size()), labels_of(labels.texts), Label(std::string()), chosen);
}

TensorId greatest_class(LowerContext& c, TensorId scores) {
  const TensorId best = c.temporary(DType::int64, {c.tensor(scores).axes[0]}, "best");
  c.call("arg_reduce", "arg_reduce", {best}, {Literal{"loam::ArgMax{}"}, integer_literal(1), flag_literal(false)},
         {scores});
  return best;
}

}  // namespace loam
