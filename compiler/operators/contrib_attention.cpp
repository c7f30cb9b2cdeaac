// com.microsoft MultiHeadAttention and Attention: as many heads of keys as of queries, a padding mask of integers whose
// hidden keys get mask_filter_value added, and Q, K and V apart, packed, or still to be projected.
#include <cmath>

#include "compiler/operators/attention.hpp"
#include "compiler/operators/checks.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

std::int64_t head_count(const NodeContext& c) { return c.integer("num_heads", 0); }

double score_scale(const NodeContext& c, const Polynomial& dim) {
  const double given = c.number("scale", 0);
  return given != 0 ? given : 1 / std::sqrt(static_cast<double>(dim.constant().value_or(1)));
}

bool expect_scale(const NodeContext& c, const Polynomial& dim) {
  if (c.number("scale", 0) != 0 || dim.is_constant()) return true;
  c.error(Code::value_needed, "gives no scale, which is then 1 / sqrt of a head's " + c.spell(dim) +
                                  " elements, a number only the run knows");
  return false;
}

// ---- Masks ---------------------------------------------------------------------------------------------------------

// Input i, of integers: [batch, keys], [batch, queries, keys], or [batch], the keys that are no padding.
bool expect_padding(const InferContext& c, int i, const Axis& batch, const Axis& queries, const Axis& keys) {
  if (!c.has(i)) return true;
  if (!expect_dtype(c, i, {DType::int32})) return false;
  const auto meet = [&](const Axis& axis, int at) {
    if (!c.extent(i, at).is(1)) c.equate(axis, c.axis(i, at), "in the scores", "in " + c.input_name(i));
  };
  switch (c.rank(i)) {
    case 1:
      if (const auto n = c.extent(i, 0).constant(), b = c.symbols().simplify(batch.extent()).constant();
          n && b && *n != *b)
        break;
      meet(batch, 0);
      return true;
    case 2:
    case 3:
      meet(batch, 0);
      if (c.rank(i) == 3) meet(queries, 1);
      meet(keys, c.rank(i) - 1);
      return true;
    default: break;
  }
  c.error(Code::operator_form,
          c.input_name(i) + " masks by " + std::to_string(c.rank(i)) + " axes, in a form no kernel computes");
  return false;
}

// What the mask adds to the scores: [batch, 1, queries or 1, keys].
TensorId padding_bias(LowerContext& c, int i, const Axis& keys) {
  const TensorId mask = c.in(i);
  const std::vector<Axis> axes = c.tensor(mask).axes;
  const bool counts = axes.size() == 1;
  const std::vector<int> source = counts             ? std::vector{0, -1, -1, -1}
                                  : axes.size() == 2 ? std::vector{0, -1, -1, 1}
                                                     : std::vector{0, -1, 1, 2};
  std::vector<Axis> spread;
  for (const int k : source) spread.push_back(k < 0 ? c.unit() : axes[static_cast<std::size_t>(k)]);
  const TensorId view = c.units(mask, source, spread);
  if (counts) spread.back() = keys;
  Formula f(c);
  const Term value = f(view).as(DType::int64), zero = f.integer(0, DType::int64);
  const Term hidden = counts ? f.coordinate(3) >= value : equal(value, zero);
  const double filter = c.number("mask_filter_value", -10000);
  return f.make(std::move(spread), where(hidden, f.number(filter, DType::float32), f.number(0, DType::float32)),
                "padding");
}

void expect_bias(const InferContext& c, int i, const Axis& batch, const Axis& head, const Axis& queries,
                 const Axis& keys) {
  if (c.has(i) && expect_float(c, i) && expect_rank(c, i, 4)) expect_stretches(c, i, {batch, head, queries, keys});
}

// ---- MultiHeadAttention --------------------------------------------------------------------------------------------

enum : int { query, key, value, bias, padding, scores_bias, past_key, past_value, past_length, indirection };

bool packed(const NodeContext& c, int i) { return c.has(i) && c.rank(i) == 5; }

// Q, K and V where each comes from: a packed tensor is [batch, length, heads, parts, dim].
struct Trio {
  Heads q, k, v;
};

std::optional<Trio> read_trio(const InferContext& c) {
  const auto read = [&](int i) -> std::optional<Heads> {
    if (packed(c, i)) return Heads{c.axis(i, 0), c.axis(i, 2), c.axis(i, 1), c.axis(i, 4)};
    return read_heads(c, i, head_count(c), "num_heads");
  };
  const int k_from = packed(c, query) ? query : key, v_from = packed(c, k_from) ? k_from : value;
  for (const int i : std::initializer_list<int>{query, k_from, v_from})
    if (!c.has(i) || c.rank(i) < 3 || c.rank(i) > 5) {
      c.error(Code::operator_form, "takes query, key and value of three axes, keys of four, or packed ones of five");
      return std::nullopt;
    }
  for (const auto& [i, parts] : {std::pair(query, std::int64_t{3}), std::pair(key, std::int64_t{2})})
    if (packed(c, i) && !c.equate(c.extent(i, 3), parts,
                                  c.input_name(i) + " packs " + c.spell(c.extent(i, 3)) +
                                      " parts, and the operator reads " + std::to_string(parts)))
      return std::nullopt;
  const auto q = read(query), k = read(k_from), v = read(v_from);
  if (!q || !k || !v) return std::nullopt;
  return Trio{*q, *k, *v};
}

void infer_multi_head(InferContext& c) {
  bool types = expect_float(c, query);
  for (const int i : {key, value, bias}) types = (!c.has(i) || expect_one_dtype(c, query, i)) && types;
  if (!types) return;
  if (c.has(past_length) || c.has(indirection))
    return c.error(Code::operator_form, "shares its cache's buffer, which no kernel does");
  if (c.has(past_key) != c.has(past_value))
    return c.error(Code::operator_form, "takes past_key and past_value together");
  if (c.wants(3)) return c.error(Code::operator_form, "gives qk, which no kernel does");
  const auto trio = read_trio(c);
  if (!trio) return;
  const auto& [q, k, v] = *trio;
  const auto meet = [&](const Axis& a, const Axis& b, std::string_view left, std::string_view right) {
    c.equate(a, b, left, right);
  };
  meet(q.batch, k.batch, "in the queries", "in the keys");
  meet(q.head, k.head, "in the queries", "in the keys");
  meet(q.dim, k.dim, "in the queries", "in the keys");
  meet(k.head, v.head, "in the keys", "in the values");
  meet(k.length, v.length, "in the keys", "in the values");
  const Polynomial dim = c.symbols().simplify(q.dim.extent()), v_dim = c.symbols().simplify(v.dim.extent());
  if (!expect_scale(c, dim)) return;
  const Polynomial hidden = dim * head_count(c), v_hidden = v_dim * head_count(c);
  if (c.has(bias) && expect_rank(c, bias, 1))
    c.equate(c.extent(bias, 0), hidden * 2 + v_hidden,
             c.input_name(bias) + " has " + c.spell(c.extent(bias, 0)) + " elements, and Q, K and V have " +
                 c.spell(hidden * 2 + v_hidden));
  Axis keys = k.length;
  if (c.has(past_key)) {
    for (const auto& [i, of] : {std::pair(past_key, k), std::pair(past_value, v)}) {
      if (!expect_rank(c, i, 4)) return;
      meet(of.batch, c.axis(i, 0), "of what is added", "in " + c.input_name(i));
      meet(of.head, c.axis(i, 1), "of what is added", "in " + c.input_name(i));
      meet(of.dim, c.axis(i, 3), "of what is added", "in " + c.input_name(i));
    }
    meet(c.axis(past_key, 2), c.axis(past_value, 2), "in " + c.input_name(past_key), "in " + c.input_name(past_value));
    if (!c.extent(past_key, 2).is(0)) keys = c.fresh(c.extent(past_key, 2) + k.length.extent());
  }
  if (!expect_padding(c, padding, q.batch, q.length, keys)) return;
  expect_bias(c, scores_bias, q.batch, q.head, q.length, keys);
  c.output(0, c.dtype(query), {q.batch, q.length, merged(c, {q.head, v.dim})});
  c.output(1, c.dtype(query), {k.batch, k.head, keys, k.dim});
  c.output(2, c.dtype(query), {v.batch, v.head, keys, v.dim});
}

// x, and elements from `start` on of a bias for all of Q, K and V.
TensorId biased(LowerContext& c, TensorId x, int bias_input, const Polynomial& start) {
  if (!c.has(bias_input)) return x;
  const std::vector<Axis> axes = c.tensor(x).axes;
  const TensorId part = c.slice(c.in(bias_input), {axes.back()}, {start}, {1});
  Formula f(c);
  const Term sum = f(x) + f(part);
  return f.make(axes, c.tensor(x).dtype, sum, "biased");
}

// Part `at` of a packed [batch, length, heads, parts, dim], as [batch, heads, length, dim].
TensorId unpacked(LowerContext& c, TensorId t, std::int64_t at, const Axis& head, const Axis& dim) {
  std::vector<Axis> axes = c.tensor(t).axes;
  const Axis batch = axes[0], length = axes[1];
  axes[3] = c.unit();
  t = c.slice(t, std::move(axes), {0, 0, 0, at, 0}, {1, 1, 1, 1, 1});
  t = c.units(t, {0, 1, 2, 4}, {batch, length, head, dim});
  return c.transpose(c.relabel(t, {batch, length, head, dim}), {0, 2, 1, 3});
}

// Keys or values with their past before them, in output k where that is read.
TensorId with_past(LowerContext& c, TensorId now, int past, int k, const Axis& keys) {
  if (!c.has(past) || c.extent(past, 2).is(0)) {
    if (c.wants(k)) c.alias(k, now);
    return now;
  }
  std::vector<Axis> axes = c.tensor(now).axes;
  axes[2] = keys;
  const TensorId present = c.wants(k) ? c.out(k) : c.temporary(c.tensor(now).dtype, axes, "present");
  lay_in_turn(c, present, 2, c.in(past), now);
  return c.relabel(present, std::move(axes));
}

void lower_multi_head(LowerContext& c) {
  const std::int64_t heads = head_count(c);
  const auto width = [&](int i) {
    return c.rank(i) == 3 ? *c.extent(i, 2).divided_by(heads) : c.extent(i, c.rank(i) - 1);
  };
  const int k_from = packed(c, query) ? query : key, v_from = packed(c, k_from) ? k_from : value;
  const Polynomial dim_extent = width(query), v_extent = width(v_from);
  const Axis head = c.named_axis("Head", heads), dim = c.named_axis("HeadDim", dim_extent),
             v_dim = c.named_axis("ValueDim", v_extent);
  const auto four_axes = [&](int i, std::int64_t part, const Axis& last, const Polynomial& bias_start) {
    const TensorId x = c.in(i);
    if (packed(c, i)) {
      TensorId t = unpacked(c, x, part, head, last);
      if (!c.has(bias)) return t;
      return split_heads(c, biased(c, join_heads(c, t, LowerContext::merge({head, last})), bias, bias_start), head,
                         last);
    }
    if (c.rank(i) == 4) return c.relabel(x, {c.axis(i, 0), head, c.axis(i, 2), last});
    return split_heads(c, biased(c, x, bias, bias_start), head, last);
  };
  const Polynomial hidden = dim_extent * heads;
  const TensorId q = four_axes(query, 0, dim, 0);
  TensorId k = four_axes(k_from, k_from == query ? 1 : 0, dim, hidden),
           v = four_axes(v_from, v_from == query ? 2 : 1, v_dim, hidden * 2);
  Axis keys = c.tensor(k).axes[2];
  Polynomial past = 0;
  if (c.has(past_key) && !c.extent(past_key, 2).is(0)) {
    past = c.extent(past_key, 2);
    keys = c.wants(1)   ? c.output_type(1).axes[2]
           : c.wants(2) ? c.output_type(2).axes[2]
                        : c.named_axis("Keys", past + keys.extent());
  }
  k = with_past(c, k, past_key, 1, keys);
  v = with_past(c, v, past_value, 2, keys);
  Attend a{.q = q, .k = k, .v = v, .scale = score_scale(c, dim_extent)};
  a.mask.causal = c.integer("unidirectional", 0) != 0;
  a.mask.past = past;
  a.mask.zeroes_unseen = false;
  if (c.has(scores_bias)) a.mask.biases.push_back(c.in(scores_bias));
  if (c.has(padding)) a.mask.biases.push_back(padding_bias(c, padding, keys));
  c.alias(0, join_heads(c, attend(c, a), c.output_type(0).axes[2]));
}

// ---- Attention: input, weights, bias, mask_index, past, attention_bias, past_sequence_length
// -------------------------

enum : int { projected, weights, projection_bias, mask_index, past_both, attention_bias, shared_length };

// The widths of Q, K and V after the projection.
std::optional<std::array<std::int64_t, 3>> hidden_sizes(const NodeContext& c) {
  const auto total = c.extent(weights, 1).constant();
  if (!total) {
    c.error(Code::value_needed, c.input_name(weights) + " has " + c.spell(c.extent(weights, 1)) +
                                    " columns, and the build reads their number");
    return std::nullopt;
  }
  std::array<std::int64_t, 3> sizes{*total / 3, *total / 3, *total / 3};
  if (const auto given = c.integers("qkv_hidden_sizes"); given && given->size() == 3)
    sizes = {(*given)[0], (*given)[1], (*given)[2]};
  const std::int64_t heads = head_count(c);
  bool fits = heads > 0 && sizes[0] == sizes[1];
  for (const std::int64_t size : sizes) fits = fits && size >= 0 && size <= *total && size % heads == 0;
  if (fits && sizes[0] + sizes[1] + sizes[2] == *total) return sizes;
  c.error(Code::operator_form, c.input_name(weights) + " has " + std::to_string(*total) +
                                   " columns, which are not Q, K and V of " + std::to_string(heads) + " heads");
  return std::nullopt;
}

void infer_projected(InferContext& c) {
  const bool types = expect_float(c, projected) && expect_one_dtype(c, projected, weights) &&
                     (!c.has(projection_bias) || expect_one_dtype(c, projected, projection_bias));
  if (!types || !expect_rank(c, projected, 3) || !expect_rank(c, weights, 2)) return;
  for (const char* name : {"do_rotary", "past_present_share_buffer"})
    if (c.integer(name, 0) != 0)
      return c.error(Code::operator_form, std::string("asks for ") + name + ", which no kernel does");
  const auto sizes = hidden_sizes(c);
  if (!sizes) return;
  c.equate(c.axis(projected, 2), c.axis(weights, 0));
  if (c.has(projection_bias)) expect_along(c, projection_bias, c.axis(weights, 1), "the columns");
  const Axis &batch = c.axis(projected, 0), &length = c.axis(projected, 1);
  const Axis head = c.fresh(head_count(c)), dim = c.fresh((*sizes)[0] / head_count(c));
  Axis keys = length;
  if (c.has(past_both)) {
    if (!expect_rank(c, past_both, 5)) return;
    c.equate(batch, c.axis(past_both, 1), "in " + c.input_name(projected), "in " + c.input_name(past_both));
    c.equate(head, c.axis(past_both, 2), "of the heads", "in " + c.input_name(past_both));
    c.equate(dim, c.axis(past_both, 4), "of a head", "in " + c.input_name(past_both));
    keys = c.fresh(c.extent(past_both, 3) + length.extent());
  }
  if (!expect_padding(c, mask_index, batch, length, keys)) return;
  expect_bias(c, attention_bias, batch, head, length, keys);
  c.output(0, c.dtype(projected), {batch, length, c.fresh((*sizes)[2])});
  c.output(1, c.dtype(projected), {c.has(past_both) ? c.axis(past_both, 0) : c.fresh(2), batch, head, keys, dim});
}

void lower_projected(LowerContext& c) {
  const std::array<std::int64_t, 3> sizes = *hidden_sizes(c);
  const std::int64_t heads = head_count(c);
  const Axis batch = c.axis(projected, 0), length = c.axis(projected, 1), all = c.axis(weights, 1);
  const Axis head = c.named_axis("Head", heads), dim = c.named_axis("HeadDim", sizes[0] / heads),
             v_dim = c.named_axis("ValueDim", sizes[2] / heads);
  const DType type = c.dtype(projected);
  TensorId product = c.temporary(type, {batch, length, all}, "projected");
  c.call("matmul", "matmul", {product}, {}, {c.in(projected), c.in(weights)});
  if (c.has(projection_bias)) {
    Formula f(c);
    const Term sum = f(product) + f(c.in(projection_bias));
    product = f.make({batch, length, all}, type, sum, "biased");
  }
  const auto part = [&](int at, const Axis& last) {
    const Polynomial start = at * sizes[0];
    const Axis columns = LowerContext::merge({head, last});
    return split_heads(c, c.slice(product, {batch, length, columns}, {0, 0, start}, {1, 1, 1}), head, last);
  };
  const TensorId q = part(0, dim);
  TensorId k = part(1, dim), v = part(2, v_dim);
  Axis keys = length;
  if (c.has(past_both))
    keys = c.wants(1) ? c.output_type(1).axes[3] : c.named_axis("Keys", c.extent(past_both, 3) + length.extent());
  if (c.wants(1) || c.has(past_both)) {
    const Axis both = c.wants(1) ? c.output_type(1).axes[0] : c.axis(past_both, 0);
    const TensorId present = c.wants(1) ? c.out(1) : c.temporary(type, {both, batch, head, keys, dim}, "present");
    const auto half = [&](TensorId t, int at) {
      std::vector<Axis> axes = c.tensor(t).axes;
      axes[0] = c.unit();
      const TensorId one = c.slice(t, axes, {at, 0, 0, 0, 0}, {1, 1, 1, 1, 1});
      return c.units(one, {1, 2, 3, 4}, {axes.begin() + 1, axes.end()});
    };
    for (int at : {0, 1}) {
      TensorId& now = at == 0 ? k : v;
      const TensorId target = half(present, at);
      if (c.has(past_both)) lay_in_turn(c, target, 2, half(c.in(past_both), at), now);
      else c.copy(target, now);
      now = c.relabel(target, {batch, head, keys, at == 0 ? dim : v_dim});
    }
  }
  Attend a{.q = q, .k = k, .v = v, .scale = score_scale(c, sizes[0] / heads)};
  a.mask.causal = c.integer("unidirectional", 0) != 0;
  if (c.has(past_both)) a.mask.past = c.extent(past_both, 3);
  a.mask.zeroes_unseen = false;
  if (c.has(attention_bias)) a.mask.biases.push_back(c.in(attention_bias));
  if (c.has(mask_index)) a.mask.biases.push_back(padding_bias(c, mask_index, keys));
  c.alias(0, join_heads(c, attend(c, a), c.output_type(0).axes[2]));
}

constexpr Operator rows[] = {
    {.domain = "com.microsoft", .name = "MultiHeadAttention", .infer = infer_multi_head, .lower = lower_multi_head,
     .min_inputs = 1, .max_inputs = 10, .max_outputs = 4},
    {.domain = "com.microsoft", .name = "Attention", .infer = infer_projected, .lower = lower_projected,
     .min_inputs = 2, .max_inputs = 7, .max_outputs = 2},
};

}  // namespace

std::span<const Operator> contrib_attention_operators() { return rows; }

}  // namespace loam
