// com.microsoft's activations with a bias, and the layers onnxruntime fuses around an embedding: BiasGelu, FastGelu,
// QuickGelu, Gelu, BiasSplitGelu, GemmFastGelu, EmbedLayerNormalization.
#include <cmath>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"

namespace loam {

namespace {

// ---- Activations ---------------------------------------------------------------------------------------------------

Term gelu(Term x) { return x * 0.5 * (erf(x * std::sqrt(0.5)) + 1); }
// 0.5 x (1 + tanh(0.797885 x + 0.035677 x^3)), by onnxruntime's constants.
Term fast_gelu(Term x) { return x * 0.5 * (tanh(x * (x * x * 0.035677408136300125 + 0.7978845608028654)) + 1); }

// X, and in some a bias along its last axis.
void infer_activation(InferContext& c) {
  if (!expect_float(c, 0)) return;
  if (c.has(1) && (!expect_one_dtype(c, 0, 1) || !expect_stretches(c, 1, c.axes(0)))) return;
  c.output(0, c.dtype(0), c.axes(0));
}

Term with_bias(LowerContext& c, Formula& f) {
  const Term x = f(c.in(0));
  return c.has(1) ? x + f(c.in(1)) : x;
}

template <Term (*Function)(Term)>
void lower_activation(LowerContext& c) {
  Formula f(c);
  f.into(c.out(0), Function(with_bias(c, f)));
}

void lower_quick_gelu(LowerContext& c) {
  Formula f(c);
  const Term x = f(c.in(0));
  f.into(c.out(0), x * sigmoid(x * c.number("alpha", 1.702f)));
}

// X + bias split in two along the last axis: left * gelu(right).
void infer_split_gelu(InferContext& c) {
  if (!expect_float(c, 0) || !expect_one_dtype(c, 0, 1) || !expect_least_rank(c, 0, 1)) return;
  const int last = c.rank(0) - 1;
  const auto half = c.extent(0, last).divided_by(2);
  if (!half)
    return c.error(Code::operator_form,
                   c.spell(c.axis(0, last)) + " is " + c.spell(c.extent(0, last)) + ", which does not split in two");
  if (!expect_along(c, 1, c.axis(0, last), "the last axis")) return;
  std::vector<Axis> axes = c.axes(0);
  axes.back() = c.fresh(*half);
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_split_gelu(LowerContext& c) {
  const std::vector<Axis> axes = c.output_type(0).axes;
  const Polynomial half = c.symbols().simplify(axes.back().extent());
  const auto part = [&](TensorId t, const std::vector<Axis>& to, const Polynomial& start) {
    std::vector<Polynomial> starts(to.size(), 0);
    const std::vector<Polynomial> steps(to.size(), 1);
    starts.back() = start;
    return c.slice(t, to, std::move(starts), steps);
  };
  const TensorId left = part(c.in(0), axes, 0), right = part(c.in(0), axes, half);
  const TensorId left_bias = part(c.in(1), {axes.back()}, 0), right_bias = part(c.in(1), {axes.back()}, half);
  Formula f(c);
  const Term a = f(left) + f(left_bias);
  f.into(c.out(0), a * gelu(f(right) + f(right_bias)));
}

// X [.., K] W [K, N] + bias
void infer_gemm_gelu(InferContext& c) {
  const bool types = expect_float(c, 0) && expect_one_dtype(c, 0, 1) && (!c.has(2) || expect_one_dtype(c, 0, 2));
  if (!types || !expect_least_rank(c, 0, 1) || !expect_rank(c, 1, 2)) return;
  c.equate(c.axis(0, c.rank(0) - 1), c.axis(1, 0));
  std::vector<Axis> axes = c.axes(0);
  axes.back() = c.axis(1, 1);
  if (c.has(2)) expect_along(c, 2, axes.back(), "the columns");
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_gemm_gelu(LowerContext& c) {
  const TensorId product = c.temporary(compute_type(c.dtype(0)), c.output_type(0).axes, "product");
  c.call("matmul", "matmul", {product}, {}, {c.in(0), c.in(1)});
  Formula f(c);
  Term x = f(product);
  if (c.has(2)) x = x + f(c.in(2));
  f.into(c.out(0), fast_gelu(x));
}

// ---- EmbedLayerNormalization ---------------------------------------------------------------------------------------

enum : int { input_ids, segment_ids, word_table, position_table, segment_table, gamma, beta, mask, position_ids };

void infer_embed(InferContext& c) {
  if (!expect_present(c, {input_ids, word_table, position_table, gamma, beta})) return;
  bool fits = expect_dtype(c, input_ids, {DType::int32}) && expect_rank(c, input_ids, 2);
  for (const int i : {word_table, position_table, segment_table})
    fits = (!c.has(i) || (expect_float(c, i) && expect_rank(c, i, 2))) && fits;
  for (const int i : {gamma, beta}) fits = expect_float(c, i) && fits;
  if (!fits) return;
  const Axis &batch = c.axis(input_ids, 0), &length = c.axis(input_ids, 1), &hidden = c.axis(word_table, 1);
  for (const int i : {position_table, segment_table})
    if (c.has(i)) c.equate(hidden, c.axis(i, 1), "in " + c.input_name(word_table), "in " + c.input_name(i));
  for (const int i : {gamma, beta}) expect_along(c, i, hidden, "the elements of a word");
  for (const int i : {segment_ids, mask, position_ids})
    if (c.has(i) && expect_dtype(c, i, {DType::int32}) && expect_rank(c, i, 2)) expect_stretches(c, i, {batch, length});
  if (!c.has(position_ids))
    c.owe(c.extent(position_table, 0) - c.symbols().simplify(length.extent()),
          c.input_name(position_table) + " has " + c.spell(c.extent(position_table, 0)) +
              " positions and must hold the " + c.spell(length.extent()) + " of a sentence");
  c.output(0, c.dtype(word_table), {batch, length, hidden});
  c.output(1, DType::int32, {batch});
  c.output(2, c.dtype(word_table), {batch, length, hidden});
}

void lower_embed(LowerContext& c) {
  const Axis batch = c.axis(input_ids, 0), length = c.axis(input_ids, 1), hidden = c.axis(word_table, 1);
  const auto looked_up = [&](int table, int ids) {
    std::vector<Axis> axes = c.tensor(c.in(ids)).axes;
    axes.push_back(hidden);
    const TensorId rows = c.temporary(c.tensor(c.in(table)).dtype, std::move(axes), "embedding");
    Formula f(c);
    const Term id = f(c.in(ids)).as(DType::int64);  // and unsigned, since none counts from the end
    const TensorId places = f.make(c.tensor(c.in(ids)).axes, id.as(DType::uint64), "ids");
    c.call("gather", "gather", {rows}, {integer_literal(0)},
           {c.relabel(c.in(table), {c.axis(table, 0), hidden}), places}, true);
    return rows;
  };
  const TensorId words = looked_up(word_table, input_ids);
  const TensorId positions = c.has(position_ids) ? looked_up(position_table, position_ids)
                                                 : c.slice(c.in(position_table), {length, hidden}, {0, 0}, {1, 1});
  const TensorId segments =
      c.has(segment_ids) && c.has(segment_table) ? looked_up(segment_table, segment_ids) : no_tensor;
  const std::vector<Axis> axes{batch, length, hidden};
  Formula f(c);
  Term sum = f(words) + f(positions);
  if (segments != no_tensor) sum = sum + f(segments);
  TensorId embedded;
  if (c.wants(2)) f.into(embedded = c.out(2), sum);
  else embedded = f.make(axes, sum, "embedded");
  c.call("layer_norm", "layer_norm", {c.out(0)}, {integer_literal(2), number_literal(c.number("epsilon", 1e-12f))},
         {embedded, c.in(gamma), c.in(beta)});
  if (!c.wants(1)) return;
  Formula g(c);
  if (!c.has(mask)) {
    g.into(c.out(1), g.integer(0, DType::int32));
    return;
  }
  call_reduce(c, c.out(1), "Sum", {1}, c.in(mask));
}

constexpr Operator row(std::string_view name, void (*infer)(InferContext&), void (*lower)(LowerContext&), int least,
                       int most, int outputs = 1) {
  return {.domain = "com.microsoft",
          .name = name,
          .infer = infer,
          .lower = lower,
          .min_inputs = least,
          .max_inputs = most,
          .max_outputs = outputs};
}

constexpr Operator rows[] = {
    row("Gelu", infer_activation, lower_activation<gelu>, 1, 1),
    row("BiasGelu", infer_activation, lower_activation<gelu>, 2, 2),
    row("FastGelu", infer_activation, lower_activation<fast_gelu>, 1, 2),
    row("QuickGelu", infer_activation, lower_quick_gelu, 1, 1),
    row("BiasSplitGelu", infer_split_gelu, lower_split_gelu, 2, 2),
    row("GemmFastGelu", infer_gemm_gelu, lower_gemm_gelu, 2, 3),
    row("EmbedLayerNormalization", infer_embed, lower_embed, 1, 9, 3),
};

}  // namespace

std::span<const Operator> fused_operators() { return rows; }

}  // namespace loam
