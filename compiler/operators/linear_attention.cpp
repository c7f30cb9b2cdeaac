// LinearAttention (ai.onnx): attention whose past is a matrix for each head.
#include <cmath>

#include "compiler/operators/attention.hpp"
#include "compiler/operators/checks.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

enum : int { query, key, value, past_state, decay, beta };

std::int64_t head_count(const NodeContext& c, int i) {
  return c.integer(i == query ? "q_num_heads" : "kv_num_heads", 0);
}
bool decays(const NodeContext& c) { return c.text("update_rule", "gated_delta").starts_with("gated"); }
bool corrects(const NodeContext& c) { return c.text("update_rule", "gated_delta").ends_with("delta"); }

void infer_linear_attention(InferContext& c) {
  if (!expect_word(c, "update_rule", "gated_delta", {"linear", "gated", "delta", "gated_delta"})) return;
  bool fits = true;
  for (int i = 0; i < c.inputs(); ++i)
    if (c.has(i)) fits = expect_float(c, i) && expect_rank(c, i, i == past_state ? 4 : 3) && fits;
  if (!fits) return;
  if (c.has(decay) != decays(c) || c.has(beta) != corrects(c))
    return c.error(Code::operator_form, "updates by " + c.text("update_rule", "gated_delta") +
                                            ", which takes decay where it is gated and " + "beta where it is a delta");
  const auto heads = [&](int i) {
    return read_heads(c, i, head_count(c, i), i == query ? "q_num_heads" : "kv_num_heads");
  };
  const auto q = heads(query), k = heads(key), v = heads(value);
  if (!q || !k || !v) return;
  if (head_count(c, query) % head_count(c, key) != 0)
    return c.error(Code::bad_attribute, "q_num_heads is " + std::to_string(head_count(c, query)) +
                                            ", which kv_num_heads, " + std::to_string(head_count(c, key)) +
                                            ", does not divide");
  const auto meet = [&](const Axis& a, const Axis& b, int i, int j) {
    c.equate(a, b, "in " + c.input_name(i), "in " + c.input_name(j));
  };
  for (const int i : std::initializer_list<int>{key, value, decay, beta}) {
    if (!c.has(i)) continue;
    meet(q->batch, c.axis(i, 0), query, i);
    meet(q->length, c.axis(i, 1), query, i);
  }
  meet(q->dim, k->dim, query, key);
  meet(k->head, v->head, key, value);
  if (head_count(c, query) == head_count(c, key)) meet(q->head, k->head, query, key);
  if (c.has(past_state)) {
    meet(k->batch, c.axis(past_state, 0), key, past_state);
    meet(k->head, c.axis(past_state, 1), key, past_state);
    meet(k->dim, c.axis(past_state, 2), key, past_state);
    meet(v->dim, c.axis(past_state, 3), value, past_state);
  }
  const Polynomial kv_heads = head_count(c, key);
  if (c.has(decay) && !(c.extent(decay, 2) == kv_heads))
    c.equate(c.extent(decay, 2), c.extent(key, 2),
             c.input_name(decay) + " has " + c.spell(c.extent(decay, 2)) + " elements a position, and the keys " +
                 c.spell(c.extent(key, 2)) + " of " + c.spell(kv_heads) + " heads");
  if (c.has(beta) && !c.extent(beta, 2).is(1))
    c.equate(c.extent(beta, 2), kv_heads,
             c.input_name(beta) + " has " + c.spell(c.extent(beta, 2)) + " rates a position, and there are " +
                 c.spell(kv_heads) + " heads");
  if (c.number("scale", 0) == 0 && !c.symbols().simplify(q->dim.extent()).is_constant())
    return c.error(Code::value_needed,
                   "gives no scale, which is then 1 / sqrt of a head's " + c.spell(q->dim.extent()) + " elements");
  c.output(0, c.dtype(query), {q->batch, q->length, merged(c, {q->head, v->dim})});
  c.output(1, c.has(past_state) ? c.dtype(past_state) : c.dtype(query), {k->batch, k->head, k->dim, v->dim});
}

void lower_linear_attention(LowerContext& c) {
  const std::int64_t heads = head_count(c, query), kv_heads = head_count(c, key);
  const Axis batch = c.axis(query, 0), length = c.axis(query, 1);
  const Polynomial width = *c.extent(query, 2).divided_by(heads);
  const Axis head = c.named_axis("Head", heads), kv_head = heads == kv_heads ? head : c.named_axis("KvHead", kv_heads);
  const Axis dim = c.named_axis("HeadDim", width),
             v_dim = c.named_axis("ValueDim", *c.extent(value, 2).divided_by(kv_heads));
  const TensorId q = c.reshape(c.in(query), {batch, length, head, dim});
  const TensorId k = c.reshape(c.in(key), {batch, length, kv_head, dim}),
                 v = c.reshape(c.in(value), {batch, length, kv_head, v_dim});
  TensorId rates = c.optional_in(beta), gates = c.optional_in(decay);
  if (rates != no_tensor) rates = c.relabel(rates, {batch, length, c.extent(beta, 2).is(1) ? c.unit() : kv_head});
  if (gates != no_tensor) {
    const bool whole = c.extent(decay, 2) == Polynomial(kv_heads);
    gates = c.reshape(gates, {batch, length, kv_head, whole ? c.unit() : dim});
  }
  const TensorId out = c.temporary(c.dtype(query), {batch, length, head, v_dim}, "attended");
  const TensorId state = c.wants(1) ? c.out(1) : c.temporary(c.dtype(query), {batch, kv_head, dim, v_dim}, "state");
  const double given = c.number("scale", 0);
  const double scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(width.constant().value_or(1)));
  c.call("linear_attention", "linear_attention", {out, state},
         {Literal{cpp_literal(scale, DType::float64)}, flag_literal(corrects(c))},
         {q, k, v, c.optional_in(past_state), gates, rates});
  if (c.wants(0)) c.alias(0, c.reshape(out, c.output_type(0).axes));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "LinearAttention", .infer = infer_linear_attention, .lower = lower_linear_attention,
     .min_inputs = 3, .max_inputs = 6, .max_outputs = 2},
};

}  // namespace

std::span<const Operator> linear_attention_operators() { return rows; }

}  // namespace loam
