// DepthToSpace, SpaceToDepth, ReverseSequence, Col2Im (ai.onnx): images and sequences laid out anew.
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

// ---- DepthToSpace and SpaceToDepth: blocks of channels for blocks of places, each axis split, moved and merged. ----

std::optional<std::int64_t> block_size(const NodeContext& c) {
  const std::int64_t b = c.integer("blocksize", 0);
  if (b >= 1 && b <= 1 << 15) return b;
  c.error(Code::bad_attribute, "blocksize is " + std::to_string(b));
  return std::nullopt;
}

// extent / divisor, where that leaves nothing over.
std::optional<Polynomial> divided(const InferContext& c, int axis, std::int64_t divisor) {
  const Polynomial extent = c.extent(0, axis), quotient = c.symbols().floor_div(extent, divisor);
  if (!c.equate(quotient * divisor, extent,
                c.spell(c.axis(0, axis)) + " is " + c.spell(extent) + " and is divided by " + std::to_string(divisor)))
    return std::nullopt;
  return quotient;
}

void infer_depth_to_space(InferContext& c) {
  const auto b = block_size(c);
  if (!b || !expect_rank(c, 0, 4) || !expect_word(c, "mode", "DCR", {"DCR", "CRD"})) return;
  const auto depth = divided(c, 1, *b * *b);
  if (depth)
    c.output(0, c.dtype(0),
             {c.axis(0, 0), c.fresh(*depth), c.fresh(c.extent(0, 2) * *b), c.fresh(c.extent(0, 3) * *b)});
}

void infer_space_to_depth(InferContext& c) {
  const auto b = block_size(c);
  if (!b || !expect_rank(c, 0, 4) || !expect_word(c, "mode", "DCR", {"DCR", "CRD"})) return;
  const auto rows = divided(c, 2, *b), columns = divided(c, 3, *b);
  if (rows && columns)
    c.output(0, c.dtype(0), {c.axis(0, 0), c.fresh(c.extent(0, 1) * (*b * *b)), c.fresh(*rows), c.fresh(*columns)});
}

// x split into `parts` and these moved into `order`, then merged into the output's axes.
void lower_rearranged(LowerContext& c, std::vector<Axis> parts, const std::vector<int>& order) {
  c.alias(0, c.reshape(c.transpose(c.reshape(c.in(0), std::move(parts)), order), c.output_type(0).axes));
}

void lower_depth_to_space(LowerContext& c) {
  const std::int64_t b = *block_size(c);
  const std::vector<Axis>& out = c.output_type(0).axes;
  const Axis down = c.named_axis("BlockRow", b), right = c.named_axis("BlockColumn", b);
  if (c.text("mode", "DCR") == "DCR")
    lower_rearranged(c, {out[0], down, right, out[1], c.axis(0, 2), c.axis(0, 3)}, {0, 3, 4, 1, 5, 2});
  else
    lower_rearranged(c, {out[0], out[1], down, right, c.axis(0, 2), c.axis(0, 3)}, {0, 1, 4, 2, 5, 3});
}

void lower_space_to_depth(LowerContext& c) {
  const std::int64_t b = *block_size(c);
  const std::vector<Axis>& out = c.output_type(0).axes;
  lower_rearranged(c,
                   {out[0], c.axis(0, 1), out[2], c.named_axis("BlockRow", b), out[3], c.named_axis("BlockColumn", b)},
                   c.text("mode", "DCR") == "DCR" ? std::vector{0, 3, 5, 1, 2, 4} : std::vector{0, 1, 3, 5, 2, 4});
}

// ---- ReverseSequence -----------------------------------------------------------------------------------------------

void infer_reverse_sequence(InferContext& c) {
  if (!expect_least_rank(c, 0, 2) || !expect_dtype(c, 1, {DType::int64, DType::int32})) return;
  const std::int64_t time = c.integer("time_axis", 0), batch = c.integer("batch_axis", 1);
  if (time < 0 || time > 1 || batch != 1 - time)
    return c.error(Code::bad_attribute, "time_axis is " + std::to_string(time) + " and batch_axis " +
                                            std::to_string(batch) + ", and one is 0 and the other 1");
  if (!expect_along(c, 1, c.axis(0, static_cast<int>(batch)), "the batch")) return;
  c.output(0, c.dtype(0), c.axes(0));
}

void lower_reverse_sequence(LowerContext& c) {
  c.call("reverse_sequence", "reverse_sequence", {c.out(0)},
         {integer_literal(c.integer("time_axis", 0)), integer_literal(c.integer("batch_axis", 1))}, {c.in(0), c.in(1)},
         true);
}

// ---- Col2Im: blocks laid back into the image they were cut from. ---------------------------------------------------

struct Blocks {
  std::vector<Polynomial> image, block;
  std::vector<std::int64_t> dilations, pads, strides;
};

std::optional<Blocks> blocks(NodeContext& c) {
  bool failed = false;
  BoundInputs inputs(c);
  const auto image = inputs.integers(1, "image_shape", failed), block = inputs.integers(2, "block_shape", failed);
  if (failed) return std::nullopt;
  const std::size_t n = image->size();
  Blocks b{*image, *block, c.integers("dilations").value_or(std::vector<std::int64_t>(n, 1)),
           c.integers("pads").value_or(std::vector<std::int64_t>(2 * n, 0)),
           c.integers("strides").value_or(std::vector<std::int64_t>(n, 1))};
  if (n > 0 && b.block.size() == n && b.dilations.size() == n && b.pads.size() == 2 * n && b.strides.size() == n)
    return b;
  c.error(Code::bad_attribute, "image_shape, block_shape, dilations, pads and strides do not pair up");
  return std::nullopt;
}

void infer_col2im(InferContext& c) {
  if (!expect_rank(c, 0, 3) || !bind_unknown(c, {1, 2}, length_range)) return;
  const auto b = blocks(c);
  if (!b) return;
  Polynomial places = 1;
  std::vector<Axis> axes{c.axis(0, 0)};
  for (std::size_t k = 0; k < b->image.size(); ++k) {
    if (b->strides[k] < 1 || b->dilations[k] < 1)
      return c.error(Code::bad_attribute, "strides and dilations are 1 or more");
    const Polynomial reach = Polynomial(b->dilations[k]) * (b->block[k] - 1) + 1;
    const Polynomial room = b->image[k] + b->pads[k] + b->pads[k + b->image.size()] - reach;
    if (!c.owe(room, "the block reaches over " + c.spell(reach) + " of axis " + std::to_string(k) +
                         " of the image, which is " + c.spell(b->image[k]) + ", and must lie within"))
      return;
    places = places * (c.symbols().floor_div(room, b->strides[k]) + 1);
    axes.push_back(c.fresh(b->image[k]));
  }
  const Polynomial size = product(b->block), channels = c.symbols().floor_div(c.extent(0, 1), size);
  if (!c.equate(channels * size, c.extent(0, 1),
                c.spell(c.axis(0, 1)) + " is " + c.spell(c.extent(0, 1)) + ", and a block holds " + c.spell(size)))
    return;
  if (!c.equate(c.extent(0, 2), places,
                c.spell(c.axis(0, 2)) + " is " + c.spell(c.extent(0, 2)) + ", and the image has places for " +
                    c.spell(places) + " blocks"))
    return;
  axes.insert(axes.begin() + 1, c.fresh(channels));
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_col2im(LowerContext& c) {
  bind_unknown(c, {1, 2}, length_range);
  const auto b = *blocks(c);
  const std::size_t n = b.image.size();
  Aggregate how{"loam::Col2Im<" + std::to_string(n) + ">{", {}};
  const auto list = [&](const auto& values, std::size_t first) {
    how.text += how.values.empty() ? "{" : ", {";
    for (std::size_t k = 0; k < n; ++k) {
      how.text += k ? ", $" : "$";
      how.values.emplace_back(values[first + k]);
    }
    how.text += "}";
  };
  list(b.block, 0);
  list(b.dilations, 0);
  list(b.pads, 0);
  list(b.pads, n);
  list(b.strides, 0);
  how.text += "}";
  c.call("col2im", "col2im", {c.out(0)}, {std::move(how)}, {c.in(0)});
}

constexpr Operator rows[] = {
    {.domain = "", .name = "DepthToSpace", .infer = infer_depth_to_space, .lower = lower_depth_to_space},
    {.domain = "", .name = "SpaceToDepth", .infer = infer_space_to_depth, .lower = lower_space_to_depth},
    {.domain = "", .name = "ReverseSequence", .infer = infer_reverse_sequence, .lower = lower_reverse_sequence,
     .min_inputs = 2, .max_inputs = 2},
    {.domain = "", .name = "Col2Im", .infer = infer_col2im, .lower = lower_col2im, .min_inputs = 3, .max_inputs = 3},
};

}  // namespace

std::span<const Operator> rearrange_operators() { return rows; }

}  // namespace loam
