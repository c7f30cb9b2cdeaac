#include "compiler/operators/labels.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/operators/strings.hpp"

namespace loam {

namespace {

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

Literal array(const std::vector<std::string>& spelled, DType type) {
  return {fmt::format("std::array<{}, {}>{{{}}}", dtype_cpp(type), spelled.size(), fmt::join(spelled, ", "))};
}

}  // namespace

Labels labels_of(const std::vector<std::int64_t>& list) { return {DType::int64, {list.begin(), list.end()}}; }
Labels labels_of(const std::vector<std::string>& list) { return {DType::string, {list.begin(), list.end()}}; }

Labels counted_labels(std::size_t count) {
  Labels labels{DType::int64, {}};
  for (std::size_t i = 0; i < count; ++i) labels.list.emplace_back(static_cast<std::int64_t>(i));
  return labels;
}

void look_up(LowerContext& c, TensorId out, const Labels& keys, const Labels& values,
             const std::optional<Label>& otherwise, TensorId x, Repeated counts) {
  std::vector<std::size_t> order(keys.list.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (counts == Repeated::last) std::ranges::reverse(order);
  const auto less = [&](std::size_t a, std::size_t b) { return below(keys.list[a], keys.list[b]); };
  std::ranges::stable_sort(order, less);
  const auto repeated = std::ranges::unique(order, [&](std::size_t a, std::size_t b) { return !less(a, b); });
  order.erase(repeated.begin(), repeated.end());
  std::vector<std::string> spelled_keys, spelled_values;
  for (const std::size_t i : order) {
    spelled_keys.push_back(spelled(keys.list[i], keys.dtype));
    spelled_values.push_back(spelled(values.list[i], values.dtype));
  }
  std::vector<Argument> table{array(spelled_keys, keys.dtype), array(spelled_values, values.dtype)};
  if (otherwise) table.emplace_back(Literal{spelled(*otherwise, values.dtype)});
  c.call("lookup", "lookup", {out}, std::move(table), {x}, !otherwise);
}

}  // namespace loam
