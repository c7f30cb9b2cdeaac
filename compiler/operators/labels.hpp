// Tables of labels, as ai.onnx.ml's attributes list them: integers, numbers or strings, looked up by others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/operators/lower.hpp"

namespace loam {

using Label = std::variant<std::int64_t, double, std::string>;

struct Labels {
  DType dtype = DType::undefined;
  std::vector<Label> list;
};

Labels labels_of(const std::vector<std::int64_t>& list);
Labels labels_of(const std::vector<std::string>& list);
// 0, 1, .. count - 1.
Labels counted_labels(std::size_t count);

enum class Repeated : std::uint8_t { first, last };  // which of equal keys counts

// out = the value of each of x's keys: of as many values as keys. A key that is none of them has `otherwise`, and is a
// failure of the run where there is no otherwise.
void look_up(LowerContext& c, TensorId out, const Labels& keys, const Labels& values,
             const std::optional<Label>& otherwise, TensorId x, Repeated counts = Repeated::last);

}  // namespace loam
