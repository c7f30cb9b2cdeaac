// RoiAlign (ai.onnx): regions of a feature map pooled to one size.
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"

namespace loam {

namespace {

bool half_pixel(const NodeContext& c) {
  return c.opset() >= 16 && c.text("coordinate_transformation_mode", "half_pixel") == "half_pixel";
}

void infer_roi_align(InferContext& c) {
  if (!expect_float(c, 0) || !expect_float(c, 1) || !expect_dtype(c, 2, {DType::int64, DType::int32})) return;
  if (!expect_rank(c, 0, 4) || !expect_rank(c, 1, 2) || !expect_rank(c, 2, 1)) return;
  if (!expect_word(c, "mode", "avg", {"avg", "max"}) ||
      !expect_word(c, "coordinate_transformation_mode", "half_pixel", {"half_pixel", "output_half_pixel"}))
    return;
  for (const char* name : {"output_height", "output_width"})
    if (c.integer(name, 1) < 1) {
      c.error(Code::bad_attribute,
              std::string(name) + " is " + std::to_string(c.integer(name, 1)) + ", and the least it may be is 1");
      return;
    }
  c.equate(c.extent(1, 1), 4,
           c.input_name(1) + " gives regions of " + c.spell(c.extent(1, 1)) + " numbers, and the operator reads 4");
  const Axis regions = c.equate(c.axis(1, 0), c.axis(2, 0), "in " + c.input_name(1), "in " + c.input_name(2));
  c.output(0, c.dtype(0),
           {regions, c.axis(0, 1), c.fresh(c.integer("output_height", 1)), c.fresh(c.integer("output_width", 1))});
}

void lower_roi_align(LowerContext& c) {
  std::string how = "loam::RoiAlign{";
  how += std::string(".maximum = ") + (c.text("mode", "avg") == "max" ? "true" : "false");
  how += std::string(", .half_pixel = ") + (half_pixel(c) ? "true" : "false");
  how += ", .sampling_ratio = " + std::to_string(c.integer("sampling_ratio", 0));
  how += ", .spatial_scale = " + number_literal(c.number("spatial_scale", 1)).text + "}";
  c.call("roi_align", "roi_align", {c.out(0)}, {Literal{how}}, {c.in(0), c.in(1), c.in(2)}, true);
}

constexpr Operator rows[] = {{.domain = "",
                              .name = "RoiAlign",
                              .infer = infer_roi_align,
                              .lower = lower_roi_align,
                              .min_inputs = 3,
                              .max_inputs = 3}};

}  // namespace

std::span<const Operator> roi_align_operators() { return rows; }

}  // namespace loam
