// SVMRegressor and SVMClassifier (ai.onnx.ml 1): support vectors, weighed by a kernel of each and the row.
//
// Without support vectors the coefficients are those of a linear model. Where onnxruntime and ONNX's text part, the text
// decides: a post_transform is applied to the one score of a regressor, which onnxruntime leaves as it is, and SOFTMAX
// and SOFTMAX_ZERO to the two scores of two classes, of which onnxruntime makes 1 - s and s.
#include <numeric>

#include <fmt/format.h>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/scores.hpp"

namespace loam {

namespace {

using Numbers = std::vector<double>;
using Integers = std::vector<std::int64_t>;

constexpr std::string_view domain = "ai.onnx.ml";

Numbers numbers(const NodeContext& c, std::string_view name) { return c.numbers(name).value_or(Numbers{}); }

bool expect_count(const NodeContext& c, std::string_view name, std::int64_t count, std::string_view taken) {
  const auto n = static_cast<std::int64_t>(numbers(c, name).size());
  if (n == count) return true;
  c.error(Code::bad_attribute, fmt::format("{} holds {} numbers, and {}", name, n, taken));
  return false;
}

// A list of rows of features, as many as X has.
bool expect_rows(const InferContext& c, std::string_view name, std::int64_t rows) {
  const auto n = static_cast<std::int64_t>(numbers(c, name).size());
  if (n == 0 || n % rows != 0) {
    c.error(Code::bad_attribute, fmt::format("{} holds {} numbers, which are no {} rows", name, n, rows));
    return false;
  }
  return c.equate(n / rows, c.extent(0, 1),
                  fmt::format("{} holds rows of {}, and {} has {} features", name, n / rows, c.input_name(0),
                              c.spell(c.extent(0, 1))));
}

// X, the kernel and the vectors it is of; `rows` rows of coefficients in their place where there are none.
bool expect_machine(const InferContext& c, std::int64_t vectors, std::int64_t rows) {
  if (!expect_dtype(c, 0, {DType::float32, DType::float64, DType::int64, DType::int32}) || !expect_rank(c, 0, 2) ||
      !expect_transform(c) || !expect_word(c, "kernel_type", "LINEAR", {"LINEAR", "POLY", "RBF", "SIGMOID"}))
    return false;
  if (vectors == 0) return expect_rows(c, "coefficients", rows);
  const std::string kernel = c.text("kernel_type", "LINEAR");
  return expect_rows(c, "support_vectors", vectors) &&
         (kernel == "LINEAR" || expect_count(c, "kernel_params", 3, "they are gamma, coef0 and degree"));
}

// Rows of X's features, listed one after another, as columns: [feature, row].
TensorId columns(LowerContext& c, const Numbers& rows, const Axis& row) {
  const auto count = static_cast<std::size_t>(row.extent().constant().value_or(1)), features = rows.size() / count;
  Numbers turned;
  for (std::size_t f = 0; f < features; ++f)
    for (std::size_t r = 0; r < count; ++r) turned.push_back(rows[r * features + f]);
  return float_constant(c, turned, {c.axis(0, 1), row});
}

TensorId product(LowerContext& c, TensorId x, TensorId columns) {
  const TensorId out = c.temporary(DType::float32, {c.axis(0, 0), c.tensor(columns).axes[1]}, "product");
  c.call("matmul", "matmul", {out}, {}, {x, columns});
  return out;
}

TensorId plus(LowerContext& c, TensorId scores, double offset) {
  Formula f(c);
  return f.make(c.tensor(scores).axes, f(scores) + offset, "scores");
}

// The kernel of each row and each support vector: [N, vector].
TensorId kernel_values(LowerContext& c, const Axis& vector) {
  const std::string kernel = c.text("kernel_type", "LINEAR");
  const TensorId vectors = columns(c, numbers(c, "support_vectors"), vector);
  if (kernel == "LINEAR") return product(c, as_floats(c), vectors);
  const Numbers parameters = numbers(c, "kernel_params");
  const double gamma = parameters[0], offset = parameters[1], degree = parameters[2];
  const std::vector<Axis> axes{c.axis(0, 0), vector};
  Formula f(c);
  if (kernel == "RBF") {
    const TensorId distance = c.temporary(DType::float32, axes, "distance");
    c.call("squared_distance", "squared_distance", {distance}, {}, {as_floats(c), vectors});
    return f.make(axes, exp(f(distance) * -gamma), "kernel");
  }
  const Term inner = f(product(c, as_floats(c), vectors)) * gamma + offset;
  return f.make(axes, kernel == "POLY" ? pow(inner, degree) : tanh(inner), "kernel");
}

// ---- SVMRegressor --------------------------------------------------------------------------------------------------

void infer_regressor(InferContext& c) {
  const std::int64_t vectors = c.integer("n_supports", 0);
  if (vectors < 0) return c.error(Code::bad_attribute, "n_supports is " + std::to_string(vectors));
  if (!expect_machine(c, vectors, 1) || !expect_count(c, "rho", 1, "there is one score")) return;
  if (vectors > 0 && !expect_count(c, "coefficients", vectors, fmt::format("n_supports is {}", vectors))) return;
  if (c.integer("one_class", 0) != 0 && *expect_transform(c) != PostTransform::none)
    return c.error(Code::operator_form, "has one_class, whose answer is 1 or -1, and a post_transform");
  c.output(0, DType::float32, {c.axis(0, 0), c.unit()});
}

void lower_regressor(LowerContext& c) {
  const std::int64_t vectors = c.integer("n_supports", 0);
  const Numbers coefficients = numbers(c, "coefficients");
  TensorId score = no_tensor;
  if (vectors == 0) {
    score = product(c, as_floats(c), columns(c, coefficients, c.unit()));
  } else {
    const Axis vector = c.named_axis("Vector", vectors);
    score = product(c, kernel_values(c, vector), float_constant(c, coefficients, {vector, c.unit()}));
  }
  const double rho = numbers(c, "rho")[0];
  if (c.integer("one_class", 0) == 0) return transform_scores(c, *expect_transform(c), c.out(0), plus(c, score, rho));
  Formula f(c);
  const Term sum = f(score) + rho;
  f.into(c.out(0), where(sum > sum.constant(0), sum.constant(1), sum.constant(-1)));
}

// ---- SVMClassifier -------------------------------------------------------------------------------------------------

// What the attributes say of the classes. Pairs are i < j, by i and then by j.
struct Classes {
  ClassLabels labels;
  Integers vectors;  // of each class; empty: a linear model
  std::int64_t count = 0, pairs = 0, all_vectors = 0;
  bool probable = false;

  std::int64_t scores() const { return vectors.empty() || probable || count == 2 ? count : pairs; }
};

std::optional<Classes> expect_classes(const NodeContext& c) {
  const auto refuse = [&](Code code, std::string message) {
    c.error(code, std::move(message));
    return std::nullopt;
  };
  const auto labels = expect_labels(c, "classlabels_ints");
  if (!labels) return std::nullopt;
  Classes k{.labels = *labels, .vectors = c.integers("vectors_per_class").value_or(Integers{})};
  k.count = labels->count();
  k.pairs = k.count * (k.count - 1) / 2;
  if (k.count < 2) return refuse(Code::operator_form, "has one class, and no kernel computes that form");
  if (!k.vectors.empty() && static_cast<std::int64_t>(k.vectors.size()) != k.count)
    return refuse(Code::bad_attribute, fmt::format("vectors_per_class counts those of {} classes, and there are {}",
                                                   k.vectors.size(), k.count));
  const auto listed = static_cast<std::int64_t>(numbers(c, "support_vectors").size());
  for (const std::int64_t n : k.vectors)
    if (n < 0 || n > listed)
      return refuse(Code::bad_attribute, fmt::format("vectors_per_class gives a class {} vectors, and support_vectors "
                                                     "holds {} numbers", n, listed));
  k.all_vectors = std::accumulate(k.vectors.begin(), k.vectors.end(), std::int64_t{0});
  if (k.all_vectors == 0) k.vectors.clear();
  k.probable = !numbers(c, "prob_a").empty() || !numbers(c, "prob_b").empty();
  if (k.vectors.empty() && k.probable)
    return refuse(Code::operator_form, "has prob_a or prob_b and no support vectors, and no kernel computes that form");
  return k;
}

void infer_classifier(InferContext& c) {
  const auto k = expect_classes(c);
  if (!k || !expect_machine(c, k->all_vectors, k->count)) return;
  if (k->vectors.empty()) {
    if (!expect_count(c, "rho", 1, "a linear model's classes share one")) return;
  } else {
    const std::string pairs = fmt::format("{} classes make {} pairs", k->count, k->pairs);
    const std::int64_t coefficients = (k->count - 1) * k->all_vectors;
    if (!expect_count(c, "coefficients", coefficients,
                      fmt::format("the {} vectors of {} classes take {}", k->all_vectors, k->count, coefficients)) ||
        !expect_count(c, "rho", k->pairs, pairs) ||
        (k->probable && (!expect_count(c, "prob_a", k->pairs, pairs) || !expect_count(c, "prob_b", k->pairs, pairs))))
      return;
    if (k->count == 2 && !k->probable && *expect_transform(c) == PostTransform::probit)
      return c.error(Code::operator_form, "ends with PROBIT, and tells two classes apart by one score");
  }
  c.output(0, k->labels.dtype(), {c.axis(0, 0)});
  c.output(1, DType::float32, {c.axis(0, 0), c.fresh(k->scores())});
}

// Of two classes of a linear model the second is chosen where either's score is positive (or from 0.5 on, where no
// coefficient is negative), and the greater decides elsewhere; ONNX does not say, and onnxruntime does so.
TensorId choose_of_two(LowerContext& c, TensorId scores) {
  const Axis batch = c.axis(0, 0);
  const auto score = [&](int k) { return c.reshape(c.slice(scores, {batch, c.unit()}, {0, k}, {1, 1}), {batch}); };
  const bool positive = std::ranges::none_of(numbers(c, "coefficients"), [](double v) { return v < 0; });
  Formula f(c);
  const Term first = f(score(0)), second = f(score(1)), greater = max(first, second);
  const Term enough = positive ? greater >= greater.constant(0.5) : greater > greater.constant(0);
  return f.make({batch}, (enough | (second > first)).as(DType::int64), "chosen");
}

// The class that most of its pairs choose, the first among equals; a pair chooses its first class by a positive score.
TensorId choose_by_votes(LowerContext& c, const Classes& k, TensorId scores) {
  const Axis batch = c.axis(0, 0);
  Formula f(c);
  if (k.count == 2) {
    const Term score = f(c.reshape(scores, {batch}));
    return f.make({batch}, (score <= score.constant(0)).as(DType::int64), "chosen");
  }
  // A positive score takes the vote that its second class has without it to its first.
  const auto classes = static_cast<std::size_t>(k.count);
  Numbers taken(static_cast<std::size_t>(k.pairs) * classes, 0), before(classes, 0);
  std::size_t pair = 0;
  for (std::size_t i = 0; i < classes; ++i)
    for (std::size_t j = i + 1; j < classes; ++j, ++pair) {
      taken[pair * classes + i] = 1;
      taken[pair * classes + j] = -1;
      ++before[j];
    }
  const Axis each = c.named_axis("Voted", k.count);
  const Term score = f(scores);
  const TensorId positive =
      f.make(c.tensor(scores).axes, (score > score.constant(0)).as(DType::float32), "positive");
  const TensorId change = product(c, positive, float_constant(c, taken, {c.tensor(scores).axes[1], each}));
  Formula sum(c);
  return greatest_class(c, sum.make({batch, each}, sum(change) + sum(float_constant(c, before, {each})), "votes"));
}

TensorId pair_scores(LowerContext& c, const Classes& k) {
  const Axis vector = c.named_axis("Vector", k.all_vectors), pair = c.named_axis("Pair", k.pairs);
  Known starts{DType::int64, {k.count + 1}, {Polynomial(0)}};
  std::int64_t start = 0;
  for (const std::int64_t n : k.vectors) starts.elements.emplace_back(Polynomial(start += n));
  const TensorId scores = c.temporary(DType::float32, {c.axis(0, 0), pair}, "pairs");
  c.call("pair_scores", "pair_scores", {scores}, {},
         {kernel_values(c, vector),
          float_constant(c, numbers(c, "coefficients"), {c.named_axis("OtherClass", k.count - 1), vector}),
          c.constant(std::move(starts), {c.named_axis("ClassStart", k.count + 1)}),
          float_constant(c, numbers(c, "rho"), {pair})});
  return scores;
}

// The probabilities of the classes, from a logistic of each pair's score.
TensorId probabilities(LowerContext& c, TensorId scores, const Axis& classes) {
  const std::vector<Axis> axes = c.tensor(scores).axes;
  Formula f(c);
  const auto of_pair = [&](std::string_view name) { return f(float_constant(c, numbers(c, name), {axes[1]})); };
  const Term first = sigmoid(-(f(scores) * of_pair("prob_a") + of_pair("prob_b")));
  const Term inside = min(max(first, first.constant(1e-7)), first.constant(1 - 1e-7));
  const TensorId pairs = f.make(axes, inside, "probabilities"), out = c.temporary(DType::float32, {axes[0], classes});
  c.call("couple_pairs", "couple_pairs", {out}, {}, {pairs});
  return out;
}

void lower_classifier(LowerContext& c) {
  const Classes k = *expect_classes(c);
  const Axis batch = c.axis(0, 0);
  const Axis score_axis = c.wants(1) ? c.output_type(1).axes[1] : c.named_axis("Score", k.scores());
  const auto label = [&](TensorId chosen) { label_classes(c, c.out(0), k.labels, chosen); };
  const auto transform = [&](TensorId scores) { transform_scores(c, *expect_transform(c), c.out(1), scores); };
  if (k.vectors.empty()) {
    const TensorId weights = columns(c, numbers(c, "coefficients"), score_axis);
    const TensorId scores = plus(c, product(c, as_floats(c), weights), numbers(c, "rho")[0]);
    if (c.wants(0)) label(k.count == 2 ? choose_of_two(c, scores) : greatest_class(c, scores));
    if (c.wants(1)) transform(scores);
    return;
  }
  const TensorId scores = pair_scores(c, k);
  if (c.wants(0)) label(choose_by_votes(c, k, scores));
  if (!c.wants(1)) return;
  if (k.probable) return transform(probabilities(c, scores, score_axis));
  if (k.count > 2) return transform(c.relabel(scores, {batch, score_axis}));
  Formula f(c);
  const Term score = f(scores), is_second = equal(f.coordinate(1), f.integer(1, DType::int64));
  transform(f.make({batch, score_axis}, where(is_second, score, -score), "scores"));
}

constexpr Operator rows[] = {
    {.domain = domain, .name = "SVMRegressor", .infer = infer_regressor, .lower = lower_regressor},
    {.domain = domain, .name = "SVMClassifier", .infer = infer_classifier, .lower = lower_classifier,
     .max_outputs = 2},
};

}  // namespace

std::span<const Operator> svm_operators() { return rows; }

}  // namespace loam
