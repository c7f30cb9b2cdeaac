// com.microsoft GroupQueryAttention: causal attention over a cache that the operator itself fills.
//
// seqlens_k holds for each batch the last key's position. The new keys of batch b stand from max(seqlens_k[b] + 1 - S,
// 0) on, for a prompt of S tokens starts at 0 however much of it is padding. The cache is as long as the past or the
// total length, whichever is longer: a past of the greatest length is a buffer that all steps share.
#include <cmath>

#include "compiler/operators/attention.hpp"
#include "compiler/operators/checks.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

enum : int {
  query,
  key,
  value,
  past_key,
  past_value,
  last_positions,
  total_length,
  cos_cache,
  sin_cache,
  position_ids,
  scores_bias,
  sinks
};

bool packed(const NodeContext& c) { return !c.has(key); }
std::int64_t head_count(const NodeContext& c) { return c.integer("num_heads", 0); }
std::int64_t kv_head_count(const NodeContext& c) { return c.integer("kv_num_heads", 0); }
std::optional<Polynomial> head_width(const NodeContext& c) {
  const std::int64_t heads = head_count(c) + (packed(c) ? 2 * kv_head_count(c) : 0);
  return heads > 0 ? c.extent(query, 2).divided_by(heads) : std::nullopt;
}
bool rotates(const NodeContext& c) { return c.integer("do_rotary", 0) != 0; }

std::optional<Polynomial> total(NodeContext& c) {
  bool failed = false;
  const auto length = BoundInputs(c).integers(total_length, "total_sequence_length", failed);
  if (failed || !length || length->size() != 1) return std::nullopt;
  return (*length)[0];
}
Polynomial past_extent(const NodeContext& c) { return c.has(past_key) ? c.extent(past_key, 2) : Polynomial(0); }

// What none of the kernels compute; the reason, or nothing.
std::string_view unsupported(const NodeContext& c) {
  if (c.integer("smooth_softmax", 0) == 1 || c.has(sinks)) return "adds a sink to the softmax";
  if (c.text("k_quant_type", "NONE") != "NONE" || c.text("v_quant_type", "NONE") != "NONE")
    return "keeps a quantized cache";
  if (c.integer("sliding_window_cache", 0) != 0) return "evicts from its cache";
  if (c.integer("qk_output", 0) != 0 || c.wants(3)) return "gives the scores";
  for (int i = sinks + 1; i < c.inputs(); ++i)
    if (c.has(i)) return "normalizes or pads its queries";
  return {};
}

void infer_group_query(InferContext& c) {
  if (!expect_present(c, {query, last_positions, total_length})) return;
  if (const auto reason = unsupported(c); !reason.empty())
    return c.error(Code::operator_form, std::string(reason) + ", which no kernel does");
  bool types = expect_float(c, query) && expect_rank(c, query, 3) && expect_dtype(c, last_positions, {DType::int32});
  for (const int i : {key, value})
    types = (!c.has(i) || (expect_one_dtype(c, query, i) && expect_rank(c, i, 3))) && types;
  for (const int i : {past_key, past_value})
    types = (!c.has(i) || (expect_one_dtype(c, query, i) && expect_rank(c, i, 4))) && types;
  if (!types || !bind_unknown(c, {total_length}, {0, longest_length})) return;
  if (c.has(key) != c.has(value) || c.has(past_key) != c.has(past_value))
    return c.error(Code::operator_form, "takes key with value, and past_key with past_value");
  const std::int64_t heads = head_count(c), kv_heads = kv_head_count(c);
  const auto width = head_width(c);
  const auto length = total(c);
  if (heads < 1 || kv_heads < 1 || heads % kv_heads != 0 || !width || !width->is_constant())
    return c.error(Code::bad_attribute, c.input_name(query) + " has " + c.spell(c.extent(query, 2)) +
                                            " elements a position, which are not " + std::to_string(heads) +
                                            " heads of queries over " + std::to_string(kv_heads) + " of keys");
  if (!length) return;
  const Axis &batch = c.axis(query, 0), &queries = c.axis(query, 1);
  for (const int i : {key, value}) {
    if (!c.has(i)) continue;
    c.equate(batch, c.axis(i, 0), "in " + c.input_name(query), "in " + c.input_name(i));
    c.equate(queries, c.axis(i, 1), "in " + c.input_name(query), "in " + c.input_name(i));
    c.equate(c.extent(i, 2), *width * kv_heads,
             c.input_name(i) + " has " + c.spell(c.extent(i, 2)) + " elements a position, and " +
                 std::to_string(kv_heads) + " heads have " + c.spell(*width * kv_heads));
  }
  if (!c.elements(last_positions).is(1) || !c.symbols().simplify(batch.extent()).is(1)) {
    // seqlens_k may come as [batch] or [batch, 1].
    c.equate(c.elements(last_positions), batch.extent(),
             c.input_name(last_positions) + " has " + c.spell(c.elements(last_positions)) +
                 " elements, and the batch " + c.spell(batch.extent()));
  }
  Axis kv_head = c.has(past_key) ? c.axis(past_key, 1) : c.fresh(kv_heads),
       dim = c.has(past_key) ? c.axis(past_key, 3) : c.fresh(*width);
  if (c.has(past_key)) {
    for (int k = 0; k < 4; ++k)
      c.equate(c.axis(past_key, k), c.axis(past_value, k), "in " + c.input_name(past_key),
               "in " + c.input_name(past_value));
    c.equate(batch, c.axis(past_key, 0), "in " + c.input_name(query), "in " + c.input_name(past_key));
    c.equate(c.extent(past_key, 1), kv_heads,
             c.input_name(past_key) + " has " + c.spell(c.extent(past_key, 1)) + " heads, and kv_num_heads is " +
                 std::to_string(kv_heads));
    c.equate(c.extent(past_key, 3), *width,
             c.input_name(past_key) + " has heads of " + c.spell(c.extent(past_key, 3)) + " elements, and a head has " +
                 c.spell(*width));
  }
  const Axis keys = c.fresh(c.symbols().max(past_extent(c), *length));
  if (rotates(c)) {
    if (!c.has(cos_cache) || !c.has(sin_cache))
      return c.error(Code::operator_form, "rotates, and is given no cos_cache or sin_cache");
    for (const int i : {cos_cache, sin_cache})
      if (!expect_rank(c, i, 2) ||
          !c.owe(*width - c.extent(i, 1) * 2, c.input_name(i) + " has " + c.spell(c.extent(i, 1)) +
                                                  " angles a position, and a head of " + c.spell(*width) +
                                                  " elements must hold a pair for each"))
        return;
    c.equate(c.axis(cos_cache, 1), c.axis(sin_cache, 1), "in " + c.input_name(cos_cache),
             "in " + c.input_name(sin_cache));
    if (c.has(position_ids) && expect_rank(c, position_ids, 2)) expect_stretches(c, position_ids, {batch, queries});
  }
  if (c.has(scores_bias) && expect_rank(c, scores_bias, 4)) {
    const Axis query_head = c.fresh(heads);
    expect_stretches(c, scores_bias, {batch, query_head, queries, keys});
  }
  c.output(0, c.dtype(query), {batch, queries, packed(c) ? c.fresh(*width * heads) : c.axis(query, 2)});
  c.output(1, c.dtype(query), {batch, kv_head, keys, dim});
  c.output(2, c.dtype(query), {batch, kv_head, keys, dim});
}

// The cache with the new keys or values [batch, heads, length, dim] in their places, under `axes`.
TensorId cached(LowerContext& c, TensorId now, int past, int k, TensorId starts, const std::vector<Axis>& axes) {
  const DType type = c.dtype(query);
  const std::vector<Axis> own = c.wants(k) ? c.output_type(k).axes : axes;
  const TensorId before = c.temporary(type, own, "cache");
  const auto region = [&](const Axis& axis, const Polynomial& start) {
    std::vector<Axis> part = own;
    part[2] = axis;
    return c.slice(before, std::move(part), {0, 0, start, 0}, {1, 1, 1, 1});
  };
  const Polynomial held = past_extent(c), all = c.symbols().simplify(own[2].extent());
  if (!held.is(0)) c.copy(region(c.axis(past, 2), 0), c.in(past));
  if (!(held == all)) {
    // What neither the past nor this step fills is hidden by its position; zeros keep it from being no number.
    const TensorId rest = region(c.named_axis("CacheRest", all - held), held);
    Formula f(c);
    f.into(rest, f.number(0, compute_type(type)));
  }
  const std::vector<Axis> step{own[0], own[1], c.tensor(now).axes[2], own[3]};
  const TensorId present = c.wants(k) ? c.out(k) : c.temporary(type, own, "present"), update = c.relabel(now, step);
  c.call("tensor_scatter", "scatter", {present}, {integer_literal(2), flag_literal(false)}, {before, update, starts},
         true);
  return c.relabel(present, axes);
}

void lower_group_query(LowerContext& c) {
  bind_unknown(c, {total_length}, {0, longest_length});
  const std::int64_t heads = head_count(c), kv_heads = kv_head_count(c);
  const Polynomial width = *head_width(c);
  const Axis batch = c.axis(query, 0), queries = c.axis(query, 1);
  const Axis head = c.named_axis("Head", heads), kv_head = heads == kv_heads ? head : c.named_axis("KvHead", kv_heads),
             dim = c.named_axis("HeadDim", width);

  // [batch, length, heads, dim]
  TensorId q, k, v;
  if (packed(c)) {
    const TensorId all =
        c.reshape(c.in(query), {batch, queries, c.named_axis("PackedHead", heads + 2 * kv_heads), dim});
    const auto part = [&](const Axis& axis, std::int64_t start) {
      return c.slice(all, {batch, queries, axis, dim}, {0, 0, start, 0}, {1, 1, 1, 1});
    };
    q = part(head, 0);
    k = part(kv_head, heads);
    v = part(kv_head, heads + kv_heads);
  } else {
    q = c.reshape(c.in(query), {batch, queries, head, dim});
    k = c.reshape(c.in(key), {batch, queries, kv_head, dim});
    v = c.reshape(c.in(value), {batch, queries, kv_head, dim});
  }

  const TensorId last =
      c.rank(last_positions) == 1 ? c.relabel(c.in(last_positions), {batch}) : c.reshape(c.in(last_positions), {batch});
  Formula first(c);
  const Term start =
      first(last).as(DType::int64) + first.integer(1, DType::int64) - first.value(queries.extent(), DType::int64);
  const TensorId starts = first.make({batch}, max(start, first.integer(0, DType::int64)), "starts");

  if (rotates(c)) {
    TensorId positions;
    if (c.has(position_ids)) {
      positions = c.in(position_ids);
    } else {
      Formula f(c);
      const Term from = f(along(c, starts, 0, 2));
      positions = f.make({batch, queries}, from + f.coordinate(1), "positions");
    }
    const auto angles = [&](int i) {
      const TensorId rows = rotary_rows(c, c.in(i), positions);
      std::vector<Axis> axes = c.tensor(rows).axes;
      axes.insert(axes.begin() + 2, c.unit());
      return c.units(rows, {0, 1, -1, 2}, std::move(axes));
    };
    const TensorId cos = angles(cos_cache), sin = angles(sin_cache);
    const Polynomial turned = c.extent(cos_cache, 1) * 2;
    const bool interleaved = c.integer("rotary_interleaved", 0) != 0;
    q = rotate(c, q, cos, sin, turned, interleaved);
    k = rotate(c, k, cos, sin, turned, interleaved);
  }
  const auto heads_first = [&](TensorId t) { return c.transpose(t, {0, 2, 1, 3}); };
  q = heads_first(q);

  const Polynomial length = c.symbols().max(past_extent(c), *total(c));
  const Axis keys = c.wants(1)   ? c.output_type(1).axes[2]
                    : c.wants(2) ? c.output_type(2).axes[2]
                                 : c.named_axis("Keys", length);
  const std::vector<Axis> cache{batch, kv_head, keys, dim};
  k = cached(c, heads_first(k), past_key, 1, starts, cache);
  v = cached(c, heads_first(v), past_value, 2, starts, cache);

  const double scale = c.number("scale", 0);
  Attend a{.q = q,
           .k = k,
           .v = v,
           .scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(width.constant().value_or(1))),
           .softcap = c.number("softcap", 0)};
  const std::int64_t window = c.integer("local_window_size", -1);
  a.mask.causal = c.integer("causal", 1) != 0;
  a.mask.left = window > 0 ? window - 1 : -1;
  a.mask.offsets = along(c, starts, 0, 4);
  a.mask.zeroes_unseen = false;
  if (!a.mask.causal) {
    Formula f(c);
    a.mask.lengths =
        f.make(c.tensor(a.mask.offsets).axes, f(a.mask.offsets) + f.value(queries.extent(), DType::int64), "lengths");
  }
  if (c.has(scores_bias)) a.mask.biases.push_back(c.in(scores_bias));
  c.alias(0, join_heads(c, attend(c, a), c.output_type(0).axes[2]));
}

constexpr Operator rows[] = {
    {.domain = "com.microsoft", .name = "GroupQueryAttention", .infer = infer_group_query, .lower = lower_group_query,
     .min_inputs = 1, .max_inputs = 17, .max_outputs = 4},
};

}  // namespace

std::span<const Operator> group_query_attention_operators() { return rows; }

}  // namespace loam
