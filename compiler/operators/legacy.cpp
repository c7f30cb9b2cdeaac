// The operators of ai.onnx's first years that left it as experimental and that old models still hold: Affine, Crop,
// ImageScaler, ParametricSoftplus, ScaledTanh, Scale.
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"

namespace loam {

namespace {

void infer_like(InferContext& c) {
  if (expect_float(c, 0)) c.output(0, c.dtype(0), c.axes(0));
}

void lower_affine(LowerContext& c) {
  Formula f(c);
  f.into(c.out(0), f(c.in(0)) * c.number("alpha", 1) + c.number("beta", 0));
}

void lower_scale(LowerContext& c) {
  Formula f(c);
  f.into(c.out(0), f(c.in(0)) * c.number("scale", 1));
}

void lower_scaled_tanh(LowerContext& c) {
  Formula f(c);
  f.into(c.out(0), tanh(f(c.in(0)) * c.number("beta", 1)) * c.number("alpha", 1));
}

// alpha * log(1 + exp(beta x)), without overflow.
void lower_parametric_softplus(LowerContext& c) {
  Formula f(c);
  const Term x = f(c.in(0)) * c.number("beta", 1);
  f.into(c.out(0), (max(x, x.constant(0)) + apply(ScalarOp::log1p, exp(-abs(x)))) * c.number("alpha", 1));
}

// x * scale + bias, a bias for each channel.
void infer_image_scaler(InferContext& c) {
  if (!expect_float(c, 0) || !expect_rank(c, 0, 4)) return;
  const auto bias = c.numbers("bias");
  if (bias)
    c.equate(static_cast<std::int64_t>(bias->size()), c.extent(0, 1),
             "bias holds " + std::to_string(bias->size()) + " numbers, and " + c.input_name(0) + " has " +
                 c.spell(c.extent(0, 1)) + " channels");
  c.output(0, c.dtype(0), c.axes(0));
}

void lower_image_scaler(LowerContext& c) {
  Formula f(c);
  Term y = f(c.in(0)) * c.number("scale", 1);
  if (const auto bias = c.numbers("bias")) {
    Known known{DType::float32, {static_cast<std::int64_t>(bias->size())}, {bias->begin(), bias->end()}};
    y = y + f(along(c, c.constant(std::move(known), {c.axis(0, 1)}), 1, 4)).as(y.type());
  }
  f.into(c.out(0), y);
}

// border: left, top, right, bottom; scale, where it is given: the height and width kept from (left, top) on.
struct Cropped {
  Polynomial top, left, height, width;
};

std::optional<Cropped> cropped(const NodeContext& c) {
  const auto border = c.integers("border"), scale = c.integers("scale");
  if (!border || border->size() != 4 || (scale && scale->size() != 2)) {
    c.error(Code::bad_attribute, "takes a border of 4 numbers, and a scale of 2 or none");
    return std::nullopt;
  }
  for (const std::int64_t n : *border)
    if (n < 0) {
      c.error(Code::bad_attribute, "border holds " + std::to_string(n) + ", and the least it may hold is 0");
      return std::nullopt;
    }
  if (scale) return Cropped{(*border)[1], (*border)[0], (*scale)[0], (*scale)[1]};
  return Cropped{(*border)[1], (*border)[0], c.extent(0, 2) - (*border)[1] - (*border)[3],
                 c.extent(0, 3) - (*border)[0] - (*border)[2]};
}

void infer_crop(InferContext& c) {
  if (!expect_rank(c, 0, 4)) return;
  const auto crop = cropped(c);
  if (!crop) return;
  for (const auto& [axis, start, extent] :
       {std::tuple(2, crop->top, crop->height), std::tuple(3, crop->left, crop->width)}) {
    c.owe(extent, c.spell(c.axis(0, axis)) + " is " + c.spell(c.extent(0, axis)) + " and must hold the border");
    c.owe(c.extent(0, axis) - start - extent,
          c.spell(c.axis(0, axis)) + " is " + c.spell(c.extent(0, axis)) + " and must hold what is kept of it");
  }
  c.output(0, c.dtype(0), {c.axis(0, 0), c.axis(0, 1), c.fresh(crop->height), c.fresh(crop->width)});
}

void lower_crop(LowerContext& c) {
  const Cropped crop = *cropped(c);
  c.alias(0, c.slice(c.in(0), c.output_type(0).axes, {0, 0, crop.top, crop.left}, {1, 1, 1, 1}));
}

constexpr Operator row(std::string_view name, void (*infer)(InferContext&), void (*lower)(LowerContext&)) {
  return {.domain = "", .name = name, .infer = infer, .lower = lower};
}

constexpr Operator rows[] = {
    row("Affine", infer_like, lower_affine),
    row("Scale", infer_like, lower_scale),
    row("ScaledTanh", infer_like, lower_scaled_tanh),
    row("ParametricSoftplus", infer_like, lower_parametric_softplus),
    row("ImageScaler", infer_image_scaler, lower_image_scaler),
    row("Crop", infer_crop, lower_crop),
};

}  // namespace

std::span<const Operator> legacy_operators() { return rows; }

}  // namespace loam
