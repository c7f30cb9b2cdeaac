// ai.onnx.ml over numbers: Binarizer, Scaler, Normalizer, ArrayFeatureExtractor, LinearRegressor and
// LinearClassifier.
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/scores.hpp"

namespace loam {

namespace {

constexpr std::string_view domain = "ai.onnx.ml";

// ---- Binarizer and Scaler ------------------------------------------------------------------------------------------

void infer_binarizer(InferContext& c) {
  if (expect_number(c, 0)) c.output(0, c.dtype(0), c.axes(0));
}

void lower_binarizer(LowerContext& c) {
  Formula f(c);
  const Term x = f(c.in(0)), threshold = f.number(c.number("threshold", 0), DType::float64);
  f.into(c.out(0), (x.as(DType::float64) > threshold).as(x.type()));
}

// A list of one number for all features, or of one for each.
bool expect_features(const InferContext& c, std::string_view name) {
  const auto numbers = c.numbers(name);
  if (!numbers || numbers->size() <= 1) return true;
  const Polynomial features = c.extent(0, c.rank(0) - 1);
  return c.equate(static_cast<std::int64_t>(numbers->size()), features,
                  std::string(name) + " holds " + std::to_string(numbers->size()) + " numbers, and there are " +
                      c.spell(features) + " features");
}

void infer_scaler(InferContext& c) {
  if (!expect_number(c, 0) || !expect_least_rank(c, 0, 1) || !expect_features(c, "offset") ||
      !expect_features(c, "scale"))
    return;
  c.output(0, DType::float32, c.axes(0));
}

void lower_scaler(LowerContext& c) {
  Formula f(c);
  const auto feature = [&](std::string_view name, double fallback) {
    const auto numbers = c.numbers(name).value_or(std::vector<double>{fallback});
    if (numbers.size() <= 1) return f.number(numbers.empty() ? fallback : numbers[0], DType::float32);
    return f(float_constant(c, numbers, {c.axes(0).back()}));
  };
  const Term x = f(c.in(0)).as(DType::float32);
  f.into(c.out(0), (x - feature("offset", 0)) * feature("scale", 1));
}

// ---- Normalizer ----------------------------------------------------------------------------------------------------

void infer_normalizer(InferContext& c) {
  if (expect_number(c, 0) && expect_least_rank(c, 0, 1) && expect_word(c, "norm", "MAX", {"MAX", "L1", "L2"}))
    c.output(0, DType::float32, c.axes(0));
}

// By the greatest element (of either sign, as onnxruntime), the sum of magnitudes or the length; a row whose norm is 0
// stays as it is.
void lower_normalizer(LowerContext& c) {
  const std::string norm = c.text("norm", "MAX");
  const int last = c.rank(0) - 1;
  const TensorId x = as_floats(c);
  std::vector<Axis> axes = c.axes(0);
  axes.back() = c.unit();
  const TensorId size =
      call_reduce(c, c.temporary(DType::float32, std::move(axes), "norm"), norm == "MAX" ? "Max" : norm, {last}, x);
  Formula f(c);
  const Term value = f(x), n = f(size);
  f.into(c.out(0), where(equal(n, n.constant(0)), value, value / n));
}

// ---- ArrayFeatureExtractor: X [.., features], Y indices -------------------------------------------------------------

// One index alone has no axis where scikit-learn's converter writes it.
void infer_extractor(InferContext& c) {
  if ((c.dtype(0) != DType::string && !expect_number(c, 0)) || !expect_dtype(c, 1, {DType::int64}) ||
      !expect_least_rank(c, 0, 1))
    return;
  std::vector<Axis> axes = c.axes(0);
  axes.pop_back();
  if (axes.empty()) axes.push_back(c.unit());
  const int last = c.rank(1) - 1;
  axes.push_back(last < 0                                          ? c.unit()
                 : last == 0 || c.extent(1, last) == c.elements(1) ? c.axis(1, last)
                                                                   : c.fresh(c.elements(1)));
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_extractor(LowerContext& c) {
  const std::vector<Axis>& out = c.output_type(0).axes;
  const TensorId indices = c.reshape(c.in(1), {out.back()});
  TensorId x = c.in(0);
  if (c.rank(0) == 1) x = c.units(x, {-1, 0}, {out[0], c.axis(0, 0)});
  c.call("gather", "gather", {c.out(0)}, {integer_literal(static_cast<std::int64_t>(out.size()) - 1)}, {x, indices},
         true);
}

// ---- Linear models: X [N, features], a row of coefficients for each target or class
// ----------------------------------

bool expect_linear(const InferContext& c, std::int64_t rows) {
  if (!expect_number(c, 0) || !expect_rank(c, 0, 2)) return false;
  if (!expect_transform(c)) return false;
  const auto coefficients = c.numbers("coefficients").value_or(std::vector<double>{});
  const auto n = static_cast<std::int64_t>(coefficients.size());
  if (rows < 1 || n % rows != 0) {
    c.error(Code::bad_attribute,
            "coefficients holds " + std::to_string(n) + " numbers, which are no " + std::to_string(rows) + " rows");
    return false;
  }
  return c.equate(n / rows, c.extent(0, 1),
                  "coefficients holds rows of " + std::to_string(n / rows) + ", and " + c.input_name(0) + " has " +
                      c.spell(c.extent(0, 1)) + " features");
}

// X times the coefficients, plus the intercepts: [N, rows].
TensorId linear_scores(LowerContext& c, const Axis& row) {
  const auto coefficients = *c.numbers("coefficients");
  const TensorId x = as_floats(c);
  const TensorId weights = c.transpose(float_constant(c, coefficients, {row, c.axis(0, 1)}), {1, 0});
  const TensorId product = c.temporary(DType::float32, {c.axis(0, 0), row}, "product");
  c.call("matmul", "matmul", {product}, {}, {x, weights});
  const auto intercepts = c.numbers("intercepts");
  if (!intercepts || intercepts->empty()) return product;
  Formula f(c);
  const Term sum = f(product) + f(float_constant(c, *intercepts, {row}));
  return f.make({c.axis(0, 0), row}, sum, "scores");
}

void infer_regressor(InferContext& c) {
  if (expect_linear(c, c.integer("targets", 1)))
    c.output(0, DType::float32, {c.axis(0, 0), c.fresh(c.integer("targets", 1))});
}

void lower_regressor(LowerContext& c) {
  transform_scores(c, *expect_transform(c), c.out(0), linear_scores(c, c.output_type(0).axes[1]));
}

// A single row of coefficients for two classes scores the second; the first has the opposite.
std::int64_t class_rows(const NodeContext& c, std::int64_t classes) {
  const auto intercepts = c.numbers("intercepts");
  return classes == 2 && intercepts && intercepts->size() == 1 ? 1 : classes;
}

void infer_classifier(InferContext& c) {
  const auto labels = expect_labels(c, "classlabels_ints");
  if (!labels) return;
  const std::int64_t classes = labels->count();
  if (classes < 2) return c.error(Code::operator_form, "has one class, and no kernel computes that form");
  if (!expect_linear(c, class_rows(c, classes))) return;
  c.output(0, labels->dtype(), {c.axis(0, 0)});
  c.output(1, DType::float32, {c.axis(0, 0), c.fresh(classes)});
}

void lower_classifier(LowerContext& c) {
  const ClassLabels labels = *expect_labels(c, "classlabels_ints");
  const std::int64_t classes = labels.count();
  const Axis batch = c.axis(0, 0), class_axis = c.wants(1) ? c.output_type(1).axes[1] : c.named_axis("Class", classes);
  TensorId scores;
  if (class_rows(c, classes) == classes) {
    scores = linear_scores(c, class_axis);
  } else {
    const TensorId one = linear_scores(c, c.unit());
    Formula f(c);
    const Term second = equal(f.coordinate(1), f.integer(1, DType::int64)), score = f(one);
    scores = f.make({batch, class_axis}, where(second, score, -score), "scores");
  }
  const TensorId transformed = c.wants(1) ? c.out(1) : c.temporary(DType::float32, {batch, class_axis}, "transformed");
  transform_scores(c, *expect_transform(c), transformed, scores);
  if (c.wants(0)) label_classes(c, c.out(0), labels, greatest_class(c, transformed));
}

constexpr Operator row(std::string_view name, void (*infer)(InferContext&), void (*lower)(LowerContext&),
                       int inputs = 1, int outputs = 1) {
  return {.domain = domain,
          .name = name,
          .infer = infer,
          .lower = lower,
          .min_inputs = inputs,
          .max_inputs = inputs,
          .max_outputs = outputs};
}

constexpr Operator rows[] = {
    row("Binarizer", infer_binarizer, lower_binarizer),
    row("Scaler", infer_scaler, lower_scaler),
    row("Normalizer", infer_normalizer, lower_normalizer),
    row("ArrayFeatureExtractor", infer_extractor, lower_extractor, 2),
    row("LinearRegressor", infer_regressor, lower_regressor),
    row("LinearClassifier", infer_classifier, lower_classifier, 1, 2),
};

}  // namespace

std::span<const Operator> ml_operators() { return rows; }

}  // namespace loam
