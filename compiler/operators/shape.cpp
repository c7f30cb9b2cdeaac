// Shape and Size (ai.onnx): always folded, since stage 0 knows every extent as a polynomial over symbols.
#include <algorithm>

#include "compiler/operators/operator.hpp"

namespace loam {

namespace {

struct Window {
  int first, last;
};

// The axes Shape gives: all of them, or start .. end, each counted from the end where negative and clamped.
Window window(const NodeContext& c) {
  const std::int64_t rank = c.rank(0);
  const auto clamped = [&](std::int64_t axis) {
    return static_cast<int>(std::clamp(axis < 0 ? axis + rank : axis, std::int64_t{0}, rank));
  };
  const int first = clamped(c.integer("start", 0));
  return {first, std::max(first, clamped(c.integer("end", rank)))};
}

void infer_shape(InferContext& c) {
  const auto [first, last] = window(c);
  c.output(0, DType::int64, {c.fresh(last - first)});
}

void fold_shape(InferContext& c) {
  const auto [first, last] = window(c);
  Known shape{DType::int64, {last - first}, {}};
  for (int k = first; k < last; ++k) shape.elements.emplace_back(c.extent(0, k));
  c.fold(0, std::move(shape));
}

void infer_size(InferContext& c) { c.output(0, DType::int64, {}); }
void fold_size(InferContext& c) { c.fold(0, Known{DType::int64, {}, {Scalar(c.elements(0))}}); }

constexpr Operator rows[] = {
    {.domain = "", .name = "Shape", .infer = infer_shape, .fold = fold_shape, .folds = Operator::Folds::always},
    {.domain = "", .name = "Size", .infer = infer_size, .fold = fold_size, .folds = Operator::Folds::always},
};

}  // namespace

std::span<const Operator> shape_operators() { return rows; }

}  // namespace loam
