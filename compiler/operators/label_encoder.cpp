// LabelEncoder and CategoryMapper (ai.onnx.ml): a value for each key.
#include <utility>

#include "compiler/operators/labels.hpp"

namespace loam {

namespace {

std::optional<Labels> tensor_labels(const TensorData& data) {
  if (data.dtype == DType::string) return labels_of(data.strings);
  const auto known = known_from(data);
  if (!known) return std::nullopt;
  Labels labels{data.dtype, {}};
  for (std::size_t i = 0; i < known->elements.size(); ++i)
    if (known->integral()) labels.list.emplace_back(known->integer(i).constant_term());
    else labels.list.emplace_back(known->number(i));
  return labels;
}

// keys_int64s, values_floats, ...: as a tensor attribute holds them or as a list.
std::optional<Labels> listed(const NodeContext& c, const std::string& side) {
  if (const auto list = c.integers(side + "_int64s")) return labels_of(*list);
  if (const auto list = c.numbers(side + "_floats")) return Labels{DType::float32, {list->begin(), list->end()}};
  if (const auto list = c.texts(side + "_strings")) return labels_of(*list);
  const TensorData* data = c.has_attribute(side + "_tensor") ? c.tensor(side + "_tensor") : nullptr;
  return data ? tensor_labels(*data) : std::nullopt;
}

Label otherwise(const NodeContext& c, DType type) {
  if (const TensorData* data = c.has_attribute("default_tensor") ? c.tensor("default_tensor") : nullptr)
    if (const auto labels = tensor_labels(*data); labels && labels->dtype == type && !labels->list.empty())
      return labels->list.front();
  if (type == DType::string) return c.text("default_string", "_Unused");
  if (is_float(type)) return c.number("default_float", -0.0);
  return c.integer("default_int64", -1);
}

struct Table {
  Labels keys, values;
};

std::optional<Table> table(const NodeContext& c) {
  if (const auto classes = c.texts("classes_strings")) {  // opset 1: a string and its place, either way
    if (c.dtype(0) == DType::string) return Table{labels_of(*classes), counted_labels(classes->size())};
    return Table{counted_labels(classes->size()), labels_of(*classes)};
  }
  auto keys = listed(c, "keys"), values = listed(c, "values");
  if (!keys || !values) {
    c.error(Code::bad_attribute, std::string("has no ") + (keys ? "values" : "keys") + " that the build can read");
    return std::nullopt;
  }
  return Table{std::move(*keys), std::move(*values)};
}

void infer_encoder(InferContext& c) {
  const auto t = table(c);
  if (!t) return;
  if (t->keys.list.size() != t->values.list.size())
    return c.error(Code::bad_attribute, "gives " + std::to_string(t->keys.list.size()) + " keys and " +
                                            std::to_string(t->values.list.size()) + " values");
  if (expect_dtype(c, 0, {t->keys.dtype})) c.output(0, t->values.dtype, c.axes(0));
}

void lower_encoder(LowerContext& c) {
  const Table t = *table(c);
  // Of equal keys the last counts from opset 4 on; before, ONNX does not say, and the first does as in onnxruntime.
  look_up(c, c.out(0), t.keys, t.values, otherwise(c, t.values.dtype), c.in(0),
          c.opset() >= 4 ? Repeated::last : Repeated::first);
}

// ---- CategoryMapper: a string and its integer, either way -----------------------------------------------------------

// By X's type, which is what the default that ONNX asks for would say.
std::optional<Table> categories(const NodeContext& c) {
  const auto words = c.texts("cats_strings").value_or(std::vector<std::string>{});
  const auto integers = c.integers("cats_int64s").value_or(std::vector<std::int64_t>{});
  if (words.size() != integers.size() || words.empty()) {
    c.error(Code::bad_attribute, "gives " + std::to_string(words.size()) + " cats_strings and " +
                                     std::to_string(integers.size()) + " cats_int64s");
    return std::nullopt;
  }
  Table t{labels_of(words), labels_of(integers)};
  if (c.dtype(0) != DType::string) std::swap(t.keys, t.values);
  return t;
}

void infer_mapper(InferContext& c) {
  const auto t = categories(c);
  if (t && expect_dtype(c, 0, {DType::string, DType::int64})) c.output(0, t->values.dtype, c.axes(0));
}

void lower_mapper(LowerContext& c) {
  const Table t = *categories(c);
  look_up(c, c.out(0), t.keys, t.values, otherwise(c, t.values.dtype), c.in(0));
}

constexpr Operator rows[] = {
    {.domain = "ai.onnx.ml", .name = "LabelEncoder", .infer = infer_encoder, .lower = lower_encoder},
    {.domain = "ai.onnx.ml", .name = "CategoryMapper", .infer = infer_mapper, .lower = lower_mapper},
};

}  // namespace

std::span<const Operator> label_encoder_operators() { return rows; }

}  // namespace loam
