// MaxUnpool (ai.onnx): each element put back where a MaxPool found it.
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"
#include "compiler/operators/window.hpp"

namespace loam {

namespace {

// The extents of the pooling's input, which the indices count in; of every axis.
std::optional<std::vector<Polynomial>> pooled_extents(const NodeContext& c) {
  const std::size_t n = static_cast<std::size_t>(c.rank(0)) - 2;
  const auto kernel = kernel_shape(c, n);
  const auto strides = window_numbers(c, "strides", n, 1, 1);
  const auto pads = window_numbers(c, "pads", 2 * n, 0, 0);
  if (!kernel || !strides || !pads) return std::nullopt;
  std::vector<Polynomial> extents{c.extent(0, 0), c.extent(0, 1)};
  for (std::size_t i = 0; i < n; ++i)
    extents.push_back((c.extent(0, static_cast<int>(i) + 2) - 1) * (*strides)[i] + (*kernel)[i] - (*pads)[i] -
                      (*pads)[i + n]);
  return extents;
}

void infer_max_unpool(InferContext& c) {
  if (!expect_number(c, 0) || !expect_dtype(c, 1, {DType::int64}) || !expect_least_rank(c, 0, 3) ||
      !expect_rank(c, 1, c.rank(0)))
    return;
  for (int k = 0; k < c.rank(0); ++k)
    c.equate(c.axis(0, k), c.axis(1, k), "in " + c.input_name(0), "in " + c.input_name(1));
  if (!bind_unknown(c, {2}, {0, longest_length})) return;
  auto extents = pooled_extents(c);
  if (!extents) return;
  if (c.has(2)) {
    bool failed = false;
    const auto stated = BoundInputs(c).integers(2, "output_shape", failed);
    if (failed || !stated) return;
    if (stated->size() != extents->size()) {
      c.error(Code::operator_form, "output_shape holds " + std::to_string(stated->size()) + " extents, and " +
                                       c.input_name(0) + " has " + std::to_string(extents->size()) + " axes");
      return;
    }
    for (std::size_t k : {0u, 1u})
      c.equate((*extents)[k], (*stated)[k],
               c.spell(c.axis(0, static_cast<int>(k))) + " is " + c.spell((*extents)[k]) + ", and output_shape says " +
                   c.spell((*stated)[k]));
    *extents = *stated;
  }
  std::vector<Axis> axes{c.axis(0, 0), c.axis(0, 1)};
  for (std::size_t k = 2; k < extents->size(); ++k) {
    c.owe((*extents)[k], c.spell(c.axis(0, static_cast<int>(k))) + " unpools to " + c.spell((*extents)[k]) +
                             " elements, and a length is not negative");
    axes.push_back(c.fresh((*extents)[k]));
  }
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_max_unpool(LowerContext& c) {
  bind_unknown(c, {2}, {0, longest_length});
  c.call("max_unpool", "max_unpool", {c.out(0)}, {ExtentList{*pooled_extents(c)}}, {c.in(0), c.in(1)}, true);
}

constexpr Operator rows[] = {{.domain = "",
                              .name = "MaxUnpool",
                              .infer = infer_max_unpool,
                              .lower = lower_max_unpool,
                              .min_inputs = 2,
                              .max_inputs = 3}};

}  // namespace

std::span<const Operator> max_unpool_operators() { return rows; }

}  // namespace loam
