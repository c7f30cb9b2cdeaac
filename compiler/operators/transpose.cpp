// Transpose (ai.onnx): the axes in another order, a view.
#include <algorithm>
#include <numeric>

#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

// The operand's axis at each place of the output; nullopt where `perm` is no permutation.
std::optional<std::vector<int>> order(const NodeContext& c) {
  const int rank = c.rank(0);
  std::vector<int> axes(static_cast<std::size_t>(rank));
  std::iota(axes.rbegin(), axes.rend(), 0);
  if (!c.has_attribute("perm")) return axes;
  const auto perm = c.integers("perm");
  if (!perm) return std::nullopt;
  if (static_cast<int>(perm->size()) != rank) {
    c.error(Code::bad_attribute, "perm orders " + std::to_string(perm->size()) + " axes, and " + c.input_name(0) +
                                     " has " + std::to_string(rank));
    return std::nullopt;
  }
  std::vector<bool> taken(perm->size());
  for (std::size_t i = 0; i < perm->size(); ++i) {
    const std::int64_t axis = (*perm)[i] < 0 ? (*perm)[i] + rank : (*perm)[i];
    if (axis < 0 || axis >= rank || taken[static_cast<std::size_t>(axis)]) {
      c.error(Code::bad_attribute, "perm is no permutation: " + std::to_string((*perm)[i]) +
                                       (axis < 0 || axis >= rank
                                            ? " is none of the " + std::to_string(rank) + " axes of " + c.input_name(0)
                                            : " is listed twice"));
      return std::nullopt;
    }
    taken[static_cast<std::size_t>(axis)] = true;
    axes[i] = static_cast<int>(axis);
  }
  return axes;
}

void infer_transpose(InferContext& c) {
  const auto source = order(c);
  if (!source) return;
  std::vector<Axis> axes;
  for (const int k : *source) axes.push_back(c.axis(0, k));
  c.output(0, c.dtype(0), std::move(axes));
}

void fold_transpose(InferContext& c) {
  const auto dims = known_dims(c, 0);
  if (!dims) return;
  const auto source = *order(c);
  const Places from = dense_strides(c.known(0)->dims);
  Places strides;
  for (const int k : source) strides.push_back(from[static_cast<std::size_t>(k)]);
  c.fold(0, moved(*c.known(0), *dims, [&](const Places& index) { return offset_of(index, strides); }));
}

void lower_transpose(LowerContext& c) {
  const auto source = *order(c);
  c.alias(0, std::ranges::is_sorted(source) ? c.in(0) : c.transpose(c.in(0), source));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Transpose", .infer = infer_transpose, .lower = lower_transpose, .fold = fold_transpose},
};

}  // namespace

std::span<const Operator> transpose_operators() { return rows; }

}  // namespace loam
