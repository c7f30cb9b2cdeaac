// MaxRoiPool (ai.onnx): the greatest elements of regions of a feature map, by bins.
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"

namespace loam {

namespace {

void infer_max_roi_pool(InferContext& c) {
  if (!expect_float(c, 0) || !expect_one_dtype(c, 0, 1) || !expect_rank(c, 0, 4) || !expect_rank(c, 1, 2)) return;
  const auto shape = c.integers("pooled_shape");
  if (!shape || shape->size() != 2 || (*shape)[0] < 1 || (*shape)[1] < 1)
    return c.error(Code::bad_attribute, "pooled_shape is no height and width of 1 at least");
  c.equate(c.extent(1, 1), 5,
           c.input_name(1) + " gives regions of " + c.spell(c.extent(1, 1)) + " numbers, and the operator reads 5");
  c.output(0, c.dtype(0), {c.axis(1, 0), c.axis(0, 1), c.fresh((*shape)[0]), c.fresh((*shape)[1])});
}

void lower_max_roi_pool(LowerContext& c) {
  c.call("max_roi_pool", "max_roi_pool", {c.out(0)}, {number_literal(c.number("spatial_scale", 1))},
         {c.in(0), c.in(1)}, true);
}

constexpr Operator rows[] = {{.domain = "",
                              .name = "MaxRoiPool",
                              .infer = infer_max_roi_pool,
                              .lower = lower_max_roi_pool,
                              .min_inputs = 2,
                              .max_inputs = 2}};

}  // namespace

std::span<const Operator> max_roi_pool_operators() { return rows; }

}  // namespace loam
