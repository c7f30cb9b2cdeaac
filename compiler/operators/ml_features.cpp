// ai.onnx.ml over columns of features: Imputer, OneHotEncoder, FeatureVectorizer and ZipMap.
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/labels.hpp"

namespace loam {

namespace {

constexpr std::string_view domain = "ai.onnx.ml";

// ---- Imputer: one number in place of those that are missing, or one for each feature -------------------------------

// The attributes of one element type.
struct Imputed {
  Known values;  // of one axis
  std::variant<Polynomial, double> replaced;
};

std::optional<Imputed> imputed(const NodeContext& c) {
  const auto floats = c.numbers("imputed_value_floats").value_or(std::vector<double>{});
  const auto integers = c.integers("imputed_value_int64s").value_or(std::vector<std::int64_t>{});
  if (floats.empty() == integers.empty()) {
    c.error(Code::bad_attribute, "gives imputed values as floats and as integers, or as neither");
    return std::nullopt;
  }
  const auto n = static_cast<std::int64_t>(floats.size() + integers.size());
  if (!floats.empty())
    return Imputed{{DType::float32, {n}, {floats.begin(), floats.end()}}, c.number("replaced_value_float", 0)};
  Imputed with{{DType::int64, {n}, {}}, Polynomial(c.integer("replaced_value_int64", 0))};
  for (const std::int64_t v : integers) with.values.elements.emplace_back(Polynomial(v));
  return with;
}

void infer_imputer(InferContext& c) {
  const auto with = imputed(c);
  if (!with || !expect_dtype(c, 0, {with->values.dtype}) || !expect_least_rank(c, 0, 1)) return;
  const auto n = with->values.dims[0];
  const Polynomial features = c.extent(0, c.rank(0) - 1);
  if (n > 1 && !c.equate(n, features, fmt::format("gives {} imputed values, and there are {} features", n,
                                                  c.spell(features))))
    return;
  c.output(0, c.dtype(0), c.axes(0));
}

void lower_imputer(LowerContext& c) {
  const Imputed with = *imputed(c);
  Formula f(c);
  const Term x = f(c.in(0));
  const auto number = [&](const std::variant<Polynomial, double>& v) {
    const auto* const d = std::get_if<double>(&v);
    return d ? f.number(*d, x.type()) : f.integer(std::get<Polynomial>(v).constant_term(), x.type());
  };
  const Term value = with.values.elements.size() == 1 ? number(with.values.elements[0])
                                                      : f(c.constant(with.values, {c.axes(0).back()}));
  const auto* const replaced = std::get_if<double>(&with.replaced);
  const bool replaces_nan = replaced && std::isnan(*replaced);
  const Term missing = replaces_nan ? apply(ScalarOp::logical_not, equal(x, x)) : equal(x, number(with.replaced));
  f.into(c.out(0), where(missing, value, x));
}

// ---- OneHotEncoder: X [..] to [.., category] -----------------------------------------------------------------------

// Of one kind; reported where not.
std::optional<Labels> categories(const NodeContext& c) {
  const auto integers = c.integers("cats_int64s").value_or(std::vector<std::int64_t>{});
  const auto words = c.texts("cats_strings").value_or(std::vector<std::string>{});
  if (integers.empty() != words.empty()) return words.empty() ? labels_of(integers) : labels_of(words);
  c.error(Code::bad_attribute, fmt::format("gives {} cats_int64s and {} cats_strings, and takes categories of one kind",
                                           integers.size(), words.size()));
  return std::nullopt;
}

void infer_one_hot(InferContext& c) {
  const auto known = categories(c);
  if (!known || !(known->dtype == DType::string ? expect_dtype(c, 0, {DType::string}) : expect_number(c, 0))) return;
  std::vector<Axis> axes = c.axes(0);
  axes.push_back(c.fresh(static_cast<std::int64_t>(known->list.size())));
  c.output(0, DType::float32, std::move(axes));
}

// Numbers are compared as integers, a float's fraction dropped. One that is no category is no column's, or, where zeros
// is 0, a failure of the run. Of two equal categories the last is meant, as in onnxruntime.
void lower_one_hot(LowerContext& c) {
  const Labels known = *categories(c);
  TensorId x = c.in(0);
  if (c.dtype(0) != known.dtype) {
    Formula f(c);
    x = f.make(c.axes(0), f(x).as(known.dtype), "category");
  }
  const TensorId place = c.temporary(DType::int64, c.axes(0), "place");
  const auto otherwise = c.integer("zeros", 1) != 0 ? std::optional<Label>(std::int64_t{-1}) : std::nullopt;
  look_up(c, place, known, counted_labels(known.list.size()), otherwise, x);
  std::vector<int> source;
  for (int k = 0; k < c.rank(0); ++k) source.push_back(k);
  source.push_back(-1);
  std::vector<Axis> columns = c.axes(0);
  columns.push_back(c.unit());
  Formula f(c);
  f.into(c.out(0), equal(f(c.units(place, source, columns)), f.coordinate(c.rank(0))).as(DType::float32));
}

// ---- FeatureVectorizer: columns side by side -----------------------------------------------------------------------

void infer_vectorizer(InferContext& c) {
  const auto widths = c.integers("inputdimensions");
  if (c.inputs() == 0) return c.error(Code::operator_form, "has no inputs");
  if (widths && static_cast<int>(widths->size()) != c.inputs())
    return c.error(Code::bad_attribute,
                   fmt::format("gives {} inputdimensions to {} inputs", widths->size(), c.inputs()));
  Polynomial width = 0;
  Axis row = c.unit();
  for (int i = 0; i < c.inputs(); ++i) {
    if (!c.has(i)) return c.error(Code::operator_form, "input " + std::to_string(i) + " is absent");
    if (!expect_number(c, i) || !expect_rank(c, i, 2)) return;
    const Polynomial columns = c.extent(i, 1);
    const std::int64_t said = widths ? (*widths)[static_cast<std::size_t>(i)] : 0;
    if (widths && !c.equate(said, columns, fmt::format("inputdimensions says {}, and {} has {} columns", said,
                                                       c.input_name(i), c.spell(columns))))
      return;
    row = i == 0 ? c.axis(0, 0) : c.equate(row, c.axis(i, 0), "in " + c.input_name(0), "in " + c.input_name(i));
    width = width + columns;
  }
  c.output(0, DType::float32, {row, c.fresh(width)});
}

void lower_vectorizer(LowerContext& c) {
  const TensorId out = c.out(0);
  const Axis row = c.output_type(0).axes[0];
  Polynomial start = 0;
  for (int i = 0; i < c.inputs(); ++i) {
    const std::vector<Axis> part{row, c.axis(i, 1)};
    Formula f(c);
    f.into(c.slice(out, part, {0, start}, {1, 1}), f(c.in(i)).as(DType::float32));
    start = start + c.extent(i, 1);
  }
}

// ---- ZipMap: a map of each row, from a label for each column --------------------------------------------------------

// No value here is a map. What its rows hold is the tensor it is given, whose columns the build knows the labels of:
// that is its output, as a sequence is the tensors it holds.
void infer_zip_map(InferContext& c) {
  const auto integers = c.integers("classlabels_int64s").value_or(std::vector<std::int64_t>{});
  const auto words = c.texts("classlabels_strings").value_or(std::vector<std::string>{});
  if (integers.empty() == words.empty())
    return c.error(Code::bad_attribute,
                   fmt::format("gives {} classlabels_int64s and {} classlabels_strings, and takes labels of one kind",
                               integers.size(), words.size()));
  if (!expect_dtype(c, 0, {DType::float32}) || !expect_least_rank(c, 0, 1)) return;
  const auto labels = static_cast<std::int64_t>(integers.size() + words.size());
  const Polynomial columns = c.extent(0, c.rank(0) - 1);
  if (c.equate(labels, columns, fmt::format("gives {} labels, and {} has {} columns", labels, c.input_name(0),
                                            c.spell(columns))))
    c.output(0, DType::float32, c.axes(0));
}

void lower_zip_map(LowerContext& c) { c.alias(0, c.in(0)); }

constexpr Operator rows[] = {
    {.domain = domain, .name = "Imputer", .infer = infer_imputer, .lower = lower_imputer},
    {.domain = domain, .name = "OneHotEncoder", .infer = infer_one_hot, .lower = lower_one_hot},
    {.domain = domain, .name = "FeatureVectorizer", .infer = infer_vectorizer, .lower = lower_vectorizer,
     .max_inputs = -1},
    {.domain = domain, .name = "ZipMap", .infer = infer_zip_map, .lower = lower_zip_map},
};

}  // namespace

std::span<const Operator> ml_features_operators() { return rows; }

}  // namespace loam
