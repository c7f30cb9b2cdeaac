// RotaryEmbedding, of ai.onnx 23 and of com.microsoft: a head's elements turned pair by pair, by the angles of a
// position.
#include "compiler/operators/attention.hpp"
#include "compiler/operators/checks.hpp"

namespace loam {

TensorId rotary_rows(LowerContext& c, TensorId cache, TensorId positions) {
  std::vector<Axis> axes = c.tensor(positions).axes;
  axes.push_back(c.tensor(cache).axes[1]);
  const TensorId rows = c.temporary(c.tensor(cache).dtype, std::move(axes), "angles");
  c.call("gather", "gather", {rows}, {integer_literal(0)}, {cache, positions}, true);
  return rows;
}

namespace {

// Both elements of every pair in one map: x turned is x * cos + (its other element) * sin, of which the first takes
// the minus.
TensorId rotate_whole(LowerContext& c, TensorId x, TensorId cos, TensorId sin, bool interleaved) {
  const std::vector<Axis> axes = c.tensor(x).axes;
  const auto last = static_cast<int>(axes.size()) - 1;
  const Axis side = c.named_axis("RotarySide", 2), pair = c.tensor(cos).axes.back();
  const int side_at = interleaved ? last + 1 : last;
  std::vector<Axis> apart(axes.begin(), axes.end() - 1);
  apart.push_back(interleaved ? pair : side);
  apart.push_back(interleaved ? side : pair);
  x = c.reshape(x, apart);
  std::vector<Polynomial> starts(apart.size(), 0), steps(apart.size(), 1);
  starts[static_cast<std::size_t>(side_at)] = 1;
  steps[static_cast<std::size_t>(side_at)] = -1;
  const TensorId other = c.slice(x, apart, starts, steps);
  const auto spread = [&](TensorId angles) {
    std::vector<Axis> to = c.tensor(angles).axes;
    std::vector<int> source;
    for (int k = 0; k < last; ++k) source.push_back(k);
    source.push_back(interleaved ? last : -1);
    source.push_back(interleaved ? -1 : last);
    to.insert(to.end() - (interleaved ? 0 : 1), c.unit());
    return c.units(angles, source, std::move(to));
  };
  const TensorId cos_spread = spread(cos), sin_spread = spread(sin);
  Formula f(c);
  const Term value = f(x), turned = f(other) * f(sin_spread).as(value.type());
  const Term first = equal(f.coordinate(side_at), f.integer(0, DType::int64));
  const Term y = value * f(cos_spread).as(value.type()) + where(first, -turned, turned);
  return c.reshape(f.make(apart, c.tensor(x).dtype, y, "rotated"), axes);
}

// The first elements of the pairs, the second ones, and what is not turned, each written in its place.
TensorId rotate_part(LowerContext& c, TensorId x, TensorId cos, TensorId sin, const Polynomial& width,
                     bool interleaved) {
  const std::vector<Axis> axes = c.tensor(x).axes;
  const Axis pair = c.tensor(cos).axes.back();
  const std::size_t last = axes.size() - 1;
  const TensorId out = c.temporary(c.tensor(x).dtype, axes, "rotated");
  const auto part = [&](TensorId t, const Axis& axis, const Polynomial& start, std::int64_t step) {
    std::vector<Axis> taken = axes;
    taken[last] = axis;
    std::vector<Polynomial> starts(axes.size(), 0), steps(axes.size(), 1);
    starts[last] = start;
    steps[last] = step;
    return c.slice(t, std::move(taken), std::move(starts), std::move(steps));
  };
  const Polynomial half = *width.divided_by(2);
  const auto side = [&](TensorId t, bool second) {
    return part(t, pair, second ? (interleaved ? Polynomial(1) : half) : Polynomial(0), interleaved ? 2 : 1);
  };
  const TensorId x1 = side(x, false), x2 = side(x, true);
  for (const bool second : {false, true}) {
    const TensorId target = side(out, second);
    Formula f(c);
    const Term a = f(x1), b = f(x2), cosine = f(cos).as(a.type()), sine = f(sin).as(a.type());
    f.into(target, second ? a * sine + b * cosine : a * cosine - b * sine);
  }
  if (width == c.symbols().simplify(axes[last].extent())) return out;
  const Axis rest = c.named_axis("Unrotated", axes[last].extent() - width);
  const TensorId target = part(out, rest, width, 1);
  c.copy(target, part(x, rest, width, 1));
  return out;
}

}  // namespace

TensorId rotate(LowerContext& c, TensorId x, TensorId cos, TensorId sin, const Polynomial& width, bool interleaved) {
  const Polynomial all = c.symbols().simplify(c.tensor(x).axes.back().extent());
  // A tensor that is not dense would be copied to be taken apart.
  return width == all && c.tensor(x).dense ? rotate_whole(c, x, cos, sin, interleaved)
                                           : rotate_part(c, x, cos, sin, width, interleaved);
}

namespace {

// Where each of the two operators has its inputs.
struct Inputs {
  int cos, sin, positions;
};
bool microsoft(const NodeContext& c) { return c.node().domain == "com.microsoft"; }
Inputs inputs_of(const NodeContext& c) { return microsoft(c) ? Inputs{2, 3, 1} : Inputs{1, 2, 3}; }

// The elements of a head.
std::optional<Polynomial> head_width(const NodeContext& c) {
  if (c.rank(0) == 4) return c.extent(0, 3);
  std::int64_t heads = c.integer("num_heads", 0);
  if (heads > 0) return c.extent(0, 2).divided_by(heads);
  // com.microsoft's form may leave it to the cache's width.
  if (!microsoft(c)) return std::nullopt;
  return c.integer("rotary_embedding_dim", 0) > 0 ? std::nullopt : std::optional(c.extent(2, 1) * 2);
}

Polynomial rotated_width(const NodeContext& c, const Polynomial& head) {
  const std::int64_t width = c.integer("rotary_embedding_dim", 0);
  return width > 0 ? Polynomial(width) : head;
}

void infer_rotary(InferContext& c) {
  const auto [cos, sin, positions] = inputs_of(c);
  if (!expect_float(c, 0) || !expect_float(c, cos) || !expect_float(c, sin)) return;
  if (c.rank(0) != 3 && c.rank(0) != 4)
    return c.error(Code::rank_mismatch,
                   c.input_name(0) + " has " + std::to_string(c.rank(0)) + " axes, and the operator takes 3 or 4");
  if (c.integer("is_packed_batching", 0) != 0)
    return c.error(Code::operator_form, "packs its batch, which no kernel reads");
  const auto head = head_width(c);
  if (!head)
    return c.error(Code::bad_attribute, "num_heads is " + std::to_string(c.integer("num_heads", 0)) +
                                            ", which does not divide the " + c.spell(c.extent(0, c.rank(0) - 1)) +
                                            " elements of a position");
  const Polynomial width = rotated_width(c, *head);
  const auto half = width.divided_by(2);
  if (!half) return c.error(Code::operator_form, "turns " + c.spell(width) + " elements, which are no pairs");
  if (!c.owe(*head - width,
             "a head has " + c.spell(*head) + " elements and must hold the " + c.spell(width) + " that are turned"))
    return;
  const Axis& length = c.axis(0, c.rank(0) - 2);
  const Axis& batch = c.axis(0, 0);
  const bool cached = c.has(positions);
  for (const int i : {cos, sin}) {
    if (!expect_rank(c, i, cached ? 2 : 3)) return;
    const Polynomial held = c.extent(i, c.rank(i) - 1);
    c.equate(held, *half,
             c.input_name(i) + " has " + c.spell(held) + " angles a position, and " + c.spell(width) +
                 " elements make " + c.spell(*half) + " pairs");
    if (cached) continue;
    if (!c.extent(i, 0).is(1)) c.equate(batch, c.axis(i, 0), "in " + c.input_name(0), "in " + c.input_name(i));
    c.equate(length, c.axis(i, 1), "in " + c.input_name(0), "in " + c.input_name(i));
  }
  c.equate(c.axis(cos, c.rank(cos) - 1), c.axis(sin, c.rank(sin) - 1), "in " + c.input_name(cos),
           "in " + c.input_name(sin));
  if (cached) {
    if (!expect_dtype(c, positions, {DType::int64, DType::int32})) return;
    const bool first_only = microsoft(c) && c.rank(positions) == 1;
    if (first_only)
      c.equate(c.extent(positions, 0), 1,
               c.input_name(positions) + " has " + c.spell(c.extent(positions, 0)) +
                   " elements, and as one axis it holds the first position alone");
    else if (expect_rank(c, positions, 2)) {
      if (!c.extent(positions, 0).is(1))
        c.equate(batch, c.axis(positions, 0), "in " + c.input_name(0), "in " + c.input_name(positions));
      c.equate(length, c.axis(positions, 1), "in " + c.input_name(0), "in " + c.input_name(positions));
    }
  }
  c.output(0, c.dtype(0), c.axes(0));
}

void lower_rotary(LowerContext& c) {
  const auto [cos_input, sin_input, positions_input] = inputs_of(c);
  const Polynomial head = *head_width(c), width = rotated_width(c, head);
  const bool heads_first = c.rank(0) == 4;
  const Axis length = c.axis(0, heads_first ? 2 : 1);
  TensorId cos = c.in(cos_input), sin = c.in(sin_input);
  if (c.has(positions_input)) {
    TensorId positions = c.in(positions_input);
    if (c.rank(positions_input) == 1) {
      Formula f(c);
      const Term first = f.in(positions_input).as(DType::int64);
      positions = f.make({c.unit(), length}, first + f.coordinate(1), "positions");
    }
    cos = rotary_rows(c, cos, positions);
    sin = rotary_rows(c, sin, positions);
  }
  // [batch, length, pairs], with a unit where the heads are.
  const auto spread = [&](TensorId t) {
    std::vector<Axis> axes = c.tensor(t).axes;
    axes.insert(axes.begin() + (heads_first ? 1 : 2), c.unit());
    return c.units(t, heads_first ? std::vector{0, -1, 1, 2} : std::vector{0, 1, -1, 2}, std::move(axes));
  };
  TensorId x = c.in(0);
  if (!heads_first) {
    const Polynomial heads = *c.extent(0, 2).divided_by(head);
    x = c.reshape(x, {c.axis(0, 0), length, c.named_axis("Head", heads), c.named_axis("HeadDim", head)});
  }
  const TensorId cos_spread = spread(cos), sin_spread = spread(sin);
  const TensorId y = rotate(c, x, cos_spread, sin_spread, width, c.integer("interleaved", 0) != 0);
  const double scale = c.number("scale", 1);
  if (scale != 1) {
    Formula f(c);
    const TensorId scaled = f.make(c.tensor(y).axes, c.dtype(0), f(y) * scale, "scaled");
    return c.alias(0, heads_first ? scaled : c.reshape(scaled, c.output_type(0).axes));
  }
  c.alias(0, heads_first ? y : c.reshape(y, c.output_type(0).axes));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "RotaryEmbedding", .infer = infer_rotary, .lower = lower_rotary, .min_inputs = 3,
     .max_inputs = 4},
    {.domain = "com.microsoft", .name = "RotaryEmbedding", .infer = infer_rotary, .lower = lower_rotary,
     .min_inputs = 4, .max_inputs = 4},
};

}  // namespace

std::span<const Operator> rotary_operators() { return rows; }

}  // namespace loam
