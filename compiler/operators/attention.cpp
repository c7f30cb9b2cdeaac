// Attention (ai.onnx 23 to 25): over Q, K and V of four axes, or of three whose last is heads and a head's elements.
#include "compiler/operators/attention.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

enum : int { Q, K, V, mask_input, past_key, past_value, lengths_input };

std::int64_t head_count(const NodeContext& c, int i) { return c.integer(i == Q ? "q_num_heads" : "kv_num_heads", 0); }

std::optional<Heads> heads_of(const InferContext& c, int i) {
  return read_heads(c, i, head_count(c, i), i == Q ? "q_num_heads" : "kv_num_heads");
}

void infer_attention(InferContext& c) {
  bool fits = expect_float(c, Q) && expect_one_dtype(c, Q, K) && expect_float(c, V);
  for (const int i : {K, V}) fits = expect_rank(c, i, c.rank(Q)) && fits;
  if (c.rank(Q) != 3 && c.rank(Q) != 4) {
    c.error(Code::rank_mismatch,
            c.input_name(Q) + " has " + std::to_string(c.rank(Q)) + " axes, and the operator takes 3 or 4");
    return;
  }
  if (c.has(past_key) != c.has(past_value) || (c.has(past_key) && c.has(lengths_input)))
    return c.error(Code::operator_form, "takes past_key and past_value together, or nonpad_kv_seqlen without them");
  for (const int i : {past_key, past_value})
    fits = (!c.has(i) || (expect_rank(c, i, 4) && expect_one_dtype(c, i == past_key ? K : V, i))) && fits;
  if (!fits) return;
  const auto q = heads_of(c, Q), k = heads_of(c, K), v = heads_of(c, V);
  if (!q || !k || !v) return;
  const auto meet = [&](const Axis& a, const Axis& b, int i, int j) {
    c.equate(a, b, "in " + c.input_name(i), "in " + c.input_name(j));
  };
  meet(q->batch, k->batch, Q, K);
  meet(q->batch, v->batch, Q, V);
  meet(q->dim, k->dim, Q, K);
  meet(k->length, v->length, K, V);
  meet(k->head, v->head, K, V);
  const Polynomial heads = c.symbols().simplify(q->head.extent()), kv_heads = c.symbols().simplify(k->head.extent());
  if (heads == kv_heads) meet(q->head, k->head, Q, K);
  else if (!heads.divided_by(kv_heads))
    return c.error(Code::operator_form, c.input_name(Q) + " has " + c.spell(heads) + " heads, which the " +
                                            c.spell(kv_heads) + " of " + c.input_name(K) + " do not divide");
  if (!c.has_attribute("scale") && !c.symbols().simplify(q->dim.extent()).is_constant())
    return c.error(Code::value_needed, "gives no scale, which is then 1 / sqrt of a head's " +
                                           c.spell(q->dim.extent()) + " elements, a number only the run knows");
  Axis keys = k->length;
  if (c.has(past_key)) {
    for (const auto& [i, of] : {std::pair(past_key, *k), std::pair(past_value, *v)}) {
      const int now = i == past_key ? K : V;
      meet(of.batch, c.axis(i, 0), now, i);
      meet(of.head, c.axis(i, 1), now, i);
      meet(of.dim, c.axis(i, 3), now, i);
    }
    meet(c.axis(past_key, 2), c.axis(past_value, 2), past_key, past_value);
    if (!c.extent(past_key, 2).is(0)) keys = c.fresh(c.extent(past_key, 2) + k->length.extent());
  }
  const Polynomial total = c.symbols().simplify(keys.extent());
  if (c.has(mask_input)) {
    if (c.dtype(mask_input) != DType::boolean && !expect_number(c, mask_input)) return;
    const std::array<Axis, 4> to{q->batch, q->head, q->length, keys};
    const int rank = c.rank(mask_input);
    if (rank < 1 || rank > 4)
      return c.error(Code::rank_mismatch,
                     c.input_name(mask_input) + " has " + std::to_string(rank) + " axes, and a mask has 1 to 4");
    for (int at = 0; at < rank; ++at) {
      const Axis& axis = c.axis(mask_input, at);
      const Axis& target = to[static_cast<std::size_t>(4 - rank + at)];
      // A mask may be shorter than the keys: those past it are hidden.
      if (at == rank - 1 && !(c.extent(mask_input, at) == total))
        c.owe(total - c.extent(mask_input, at), c.input_name(mask_input) + " masks " +
                                                    c.spell(c.extent(mask_input, at)) + " keys and there are " +
                                                    c.spell(total));
      else if (!c.extent(mask_input, at).is(1))
        c.equate(target, axis, "in the scores", "in " + c.input_name(mask_input));
    }
  }
  if (c.has(lengths_input)) expect_along(c, lengths_input, q->batch, "the batch");
  c.output(0, c.dtype(Q), c.rank(Q) == 4 ? std::vector{q->batch, q->head, q->length, v->dim}
                                         : std::vector{q->batch, q->length, merged(c, {q->head, v->dim})});
  c.output(1, c.dtype(K), {k->batch, k->head, keys, k->dim});
  c.output(2, c.dtype(V), {v->batch, v->head, keys, v->dim});
  c.output(3, c.dtype(Q), {q->batch, q->head, q->length, keys});
}

// ---- Lowering ------------------------------------------------------------------------------------------------------

// A mask as long as the keys: what it lacks hides.
TensorId whole_mask(LowerContext& c, const Axis& keys) {
  TensorId given = c.in(mask_input);
  std::vector<Axis> axes = c.tensor(given).axes;
  if (is_integer(c.dtype(mask_input))) {  // an integer holds no infinity to hide by
    Formula f(c);
    given = f.make(axes, f(given).as(DType::float32), "bias");
  }
  const Polynomial total = c.symbols().simplify(keys.extent());
  if (c.symbols().simplify(axes.back().extent()) == total) return given;
  axes.back() = keys;
  const DType type = c.tensor(given).dtype;
  const TensorId padded = c.temporary(type, axes, "mask");
  Formula f(c);
  f.into(padded, type == DType::boolean ? f.integer(0, type)
                                        : f.number(-std::numeric_limits<double>::infinity(), compute_type(type)));
  axes.back() = c.axis(mask_input, c.rank(mask_input) - 1);
  const std::vector<Polynomial> starts(axes.size(), 0), steps(axes.size(), 1);
  c.copy(c.slice(padded, std::move(axes), starts, steps), given);
  return padded;
}

// K or V with its past before it, written to output k where that is read.
TensorId with_past(LowerContext& c, TensorId now, int past, int k, const std::vector<Axis>& axes) {
  if (!c.has(past) || c.extent(past, 2).is(0)) {
    if (c.wants(k)) c.alias(k, now);
    return now;
  }
  const TensorId present =
      c.wants(k) ? c.out(k) : c.temporary(c.tensor(now).dtype, axes, past == past_key ? "keys" : "values");
  lay_in_turn(c, present, 2, c.in(past), now);
  return c.rank(Q) == 3 && c.wants(k) ? c.relabel(present, axes) : present;
}

void lower_attention(LowerContext& c) {
  TensorId q = c.in(Q), k = c.in(K), v = c.in(V);
  if (c.rank(Q) == 3) {
    const std::int64_t heads = head_count(c, Q), kv_heads = head_count(c, K);
    const Axis head = c.named_axis("Head", heads),
               kv_head = heads == kv_heads ? head : c.named_axis("KvHead", kv_heads);
    const Axis dim = c.named_axis("HeadDim", *c.extent(Q, 2).divided_by(heads)),
               v_dim = c.named_axis("ValueDim", *c.extent(V, 2).divided_by(kv_heads));
    q = split_heads(c, q, head, dim);
    k = split_heads(c, k, kv_head, dim);
    v = split_heads(c, v, kv_head, v_dim);
  }
  std::vector<Axis> k_axes = c.tensor(k).axes, v_axes = c.tensor(v).axes;
  if (c.has(past_key) && !c.extent(past_key, 2).is(0)) {
    const Polynomial total = c.extent(past_key, 2) + k_axes[2].extent();
    const Axis keys = c.wants(1)   ? c.output_type(1).axes[2]
                      : c.wants(2) ? c.output_type(2).axes[2]
                      : c.wants(3) ? c.output_type(3).axes[3]
                                   : c.named_axis("Keys", total);
    k_axes[2] = v_axes[2] = keys;
  }
  k = with_past(c, k, past_key, 1, k_axes);
  v = with_past(c, v, past_value, 2, v_axes);
  const Polynomial width = c.symbols().simplify(c.tensor(q).axes[3].extent());
  Attend a{.q = q, .k = k, .v = v, .scale = 1, .softcap = c.number("softcap", 0)};
  a.scale = c.has_attribute("scale") ? c.number("scale", 1)
                                     : 1 / std::sqrt(static_cast<double>(width.constant().value_or(1)));
  a.mask.causal = c.integer("is_causal", 0) != 0;
  a.mask.left = c.integer("left_window_size", -1);
  a.mask.right = c.integer("right_window_size", -1);
  if (c.has(past_key)) a.mask.past = c.extent(past_key, 2);
  if (c.has(mask_input)) {
    const TensorId mask = whole_mask(c, k_axes[2]);
    if (c.dtype(mask_input) == DType::boolean) a.mask.allowed = mask;
    else a.mask.biases = {mask};
  }
  if (c.has(lengths_input)) {
    a.mask.lengths = along(c, c.in(lengths_input), 0, 4);
    // The cache ends with the queries.
    Formula f(c);
    a.mask.offsets = f.make(c.tensor(a.mask.lengths).axes,
                            f(a.mask.lengths).as(DType::int64) - f.value(c.extent(q, 2), DType::int64), "offsets");
  }
  if (c.wants(3)) a.scores = c.out(3);
  a.scores_stage = static_cast<int>(c.integer("qk_matmul_output_mode", 0));
  if (c.rank(Q) == 4) a.output = 0;
  const TensorId y = attend(c, a);
  c.alias(0, c.rank(Q) == 4 ? y : join_heads(c, y, c.output_type(0).axes[2]));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Attention", .infer = infer_attention, .lower = lower_attention, .min_inputs = 3,
     .max_inputs = 7, .max_outputs = 4},
};

}  // namespace

std::span<const Operator> attention_operators() { return rows; }

}  // namespace loam
