// LabelEncoder (ai.onnx.ml): a value for each key.
#include <algorithm>
#include <cmath>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/operators/lower.hpp"
#include "compiler/operators/strings.hpp"

namespace loam {

namespace {

using Label = std::variant<std::int64_t, double, std::string>;

struct Labels {
  DType dtype = DType::undefined;
  std::vector<Label> list;
};

Labels strings(const std::vector<std::string>& list) { return {DType::string, {list.begin(), list.end()}}; }

std::optional<Labels> labels_of(const TensorData& data) {
  if (data.dtype == DType::string) return strings(data.strings);
  const auto known = known_from(data);
  if (!known) return std::nullopt;
  Labels labels{data.dtype, {}};
  for (std::size_t i = 0; i < known->elements.size(); ++i)
    labels.list.push_back(known->integral() ? Label(known->integer(i).constant_term()) : Label(known->number(i)));
  return labels;
}

// keys_int64s, values_floats, ...: as a tensor attribute holds them or as a list.
std::optional<Labels> labels_of(const NodeContext& c, const std::string& side) {
  if (const auto list = c.integers(side + "_int64s")) return Labels{DType::int64, {list->begin(), list->end()}};
  if (const auto list = c.numbers(side + "_floats")) return Labels{DType::float32, {list->begin(), list->end()}};
  if (const auto list = c.texts(side + "_strings")) return strings(*list);
  const TensorData* data = c.has_attribute(side + "_tensor") ? c.tensor(side + "_tensor") : nullptr;
  return data ? labels_of(*data) : std::nullopt;
}

Label otherwise(const NodeContext& c, DType type) {
  if (const TensorData* data = c.has_attribute("default_tensor") ? c.tensor("default_tensor") : nullptr)
    if (const auto labels = labels_of(*data); labels && labels->dtype == type && !labels->list.empty())
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
    Labels places{DType::int64, {}};
    for (std::size_t i = 0; i < classes->size(); ++i) places.list.emplace_back(static_cast<std::int64_t>(i));
    if (c.dtype(0) == DType::string) return Table{strings(*classes), std::move(places)};
    return Table{std::move(places), strings(*classes)};
  }
  auto keys = labels_of(c, "keys"), values = labels_of(c, "values");
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

// Ascending, NaN last.
bool below(const Label& a, const Label& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (!x || !y) return a < b;
  return *x < *y || (!std::isnan(*x) && std::isnan(*y));
}

std::string spelled(const Label& label, DType type) {
  if (const auto* i = std::get_if<std::int64_t>(&label)) return cpp_literal(*i, type);
  if (const auto* d = std::get_if<double>(&label)) return cpp_literal(*d, type);
  return string_literal(std::get<std::string>(label)).text;
}

Literal list(const std::vector<std::string>& spelled, DType type) {
  return {fmt::format("std::array<{}, {}>{{{}}}", dtype_cpp(type), spelled.size(), fmt::join(spelled, ", "))};
}

void lower_encoder(LowerContext& c) {
  const Table t = *table(c);
  std::vector<std::size_t> order(t.keys.list.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // Of equal keys the last counts from opset 4 on; before, ONNX does not say, and the first does as in onnxruntime.
  if (c.opset() >= 4) std::ranges::reverse(order);
  const auto less = [&](std::size_t a, std::size_t b) { return below(t.keys.list[a], t.keys.list[b]); };
  std::ranges::stable_sort(order, less);
  const auto repeated = std::ranges::unique(order, [&](std::size_t a, std::size_t b) { return !less(a, b); });
  order.erase(repeated.begin(), repeated.end());
  std::vector<std::string> keys, values;
  for (const std::size_t i : order) {
    keys.push_back(spelled(t.keys.list[i], t.keys.dtype));
    values.push_back(spelled(t.values.list[i], t.values.dtype));
  }
  c.call("lookup", "lookup", {c.out(0)},
         {list(keys, t.keys.dtype), list(values, t.values.dtype), Literal{spelled(otherwise(c, t.values.dtype), t.values.dtype)}},
         {c.in(0)});
}

constexpr Operator rows[] = {
    {.domain = "ai.onnx.ml", .name = "LabelEncoder", .infer = infer_encoder, .lower = lower_encoder},
};

}  // namespace

std::span<const Operator> label_encoder_operators() { return rows; }

}  // namespace loam
