#include "compiler/operators/attention.hpp"

#include <limits>

namespace loam {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// Whether the query sees the key at a place of [batch, heads, queries, keys]; nullopt: always.
std::optional<Term> seen(Formula& f, const Masking& m) {
  std::optional<Term> all;
  const auto require = [&](Term t) { all = all ? *all & t : t; };
  if (m.allowed != no_tensor) require(f(m.allowed));
  const auto key = [&] { return f.coordinate(3); };
  if (m.lengths != no_tensor) require(key() < f(m.lengths).as(DType::int64));
  if (m.causal || m.left >= 0 || m.right >= 0) {
    const Term first = m.offsets != no_tensor ? f(m.offsets).as(DType::int64) : f.value(m.past, DType::int64);
    const Term behind = f.coordinate(2) + first - key();  // how far the key lies before the query
    if (m.causal) require(behind >= f.integer(0, DType::int64));
    if (m.left >= 0) require(behind <= f.integer(m.left, DType::int64));
    if (m.right >= 0) require(behind >= f.integer(-m.right, DType::int64));
  }
  return all;
}

Term capped(Term score, double scale, double softcap) {
  const Term scaled = score * scale;
  return softcap > 0 ? tanh(scaled / softcap) * softcap : scaled;
}

Term masked(Formula& f, Term score, const Masking& m) {
  for (const TensorId tensor : m.biases) {
    const Term bias = f(tensor).as(score.type());
    // Hidden whatever the score: infinity less infinity is no score.
    score = where(equal(bias, bias.constant(minus_infinity)), bias, score + bias);
  }
  const auto visible = seen(f, m);
  return visible ? where(*visible, score, score.constant(minus_infinity)) : score;
}

}  // namespace

TensorId attend(LowerContext& c, const Attend& a) {
  const std::vector<Axis> q = c.tensor(a.q).axes, k = c.tensor(a.k).axes, v = c.tensor(a.v).axes;
  const DType stored = c.tensor(a.q).dtype, type = a.precision.value_or(compute_type(stored));
  const Polynomial heads = c.extent(a.q, 1), kv_heads = c.extent(a.k, 1);
  const bool grouped = !(heads == kv_heads);
  // A group's queries are rows of one product: its keys are read once.
  Axis rows = q[2];
  if (grouped) rows = LowerContext::merge({c.named_axis("HeadGroup", heads.divided_by(kv_heads).value_or(1)), q[2]});
  const bool plain = !a.mask.any() && a.softcap == 0 && a.scores == no_tensor && !a.score_mod && !a.weight_mod;
  TensorId queries = a.q;
  if (plain && a.scale != 1) {
    Formula f(c);
    queries = f.make(q, f(a.q) * a.scale, "queries");
  }
  if (grouped) queries = c.reshape(queries, {q[0], k[1], rows, q[3]});
  const std::vector<Axis> group_axes{q[0], grouped ? k[1] : q[1], rows, k[2]}, score_axes{q[0], q[1], q[2], k[2]};
  const auto apart = [&](TensorId t) { return grouped ? c.reshape(t, score_axes) : t; };

  TensorId scores = c.temporary(type, group_axes, "scores");
  c.call("matmul", "matmul", {scores}, {}, {queries, c.transpose(a.k, {0, 1, 3, 2})});
  if (!plain) {
    const TensorId product = apart(scores);
    if (a.scores != no_tensor && a.scores_stage < 2) {
      Formula f(c);
      f.into(a.scores, capped(f(product), a.scale, a.scores_stage == 1 ? a.softcap : 0));
    }
    Formula f(c);
    const Term score = masked(f, capped(f(product), a.scale, a.softcap), a.mask);
    scores = f.make(score_axes, type, score, "masked");
    if (a.score_mod) scores = a.score_mod(scores);
    if (a.scores != no_tensor && a.scores_stage == 2) c.copy(a.scores, scores);
  }
  TensorId weights = c.temporary(type, c.tensor(scores).axes, "weights");
  c.call("softmax", "softmax", {weights}, {Literal{"loam::Softmax{}"}, integer_literal(3)}, {scores});
  if (a.mask.zeroes_unseen && a.mask.may_hide_all()) {
    Formula f(c);
    const Term weight = f(weights), nothing = weight.constant(0);
    auto visible = seen(f, a.mask);
    for (const TensorId tensor : a.mask.biases) {
      const Term bias = f(tensor).as(type), unhidden = bias > bias.constant(minus_infinity);
      visible = visible ? *visible & unhidden : unhidden;
    }
    weights = f.make(score_axes, where(*visible, weight, nothing), "seen");
  }
  if (a.weight_mod) weights = a.weight_mod(weights);
  if (a.scores != no_tensor && a.scores_stage == 3) c.copy(a.scores, apart(weights));
  if (grouped && !plain) weights = c.reshape(weights, group_axes);
  const std::vector<Axis> y_axes{q[0], group_axes[1], rows, v[3]};
  const TensorId y = a.output && !grouped ? c.out(*a.output) : c.temporary(stored, y_axes, "attended");
  c.call("matmul", "matmul", {y}, {}, {weights, a.v});
  return grouped ? c.reshape(y, {q[0], q[1], q[2], v[3]}) : y;
}

std::optional<Heads> read_heads(const InferContext& c, int i, std::int64_t heads, std::string_view name) {
  if (c.rank(i) == 4) return Heads{c.axis(i, 0), c.axis(i, 1), c.axis(i, 2), c.axis(i, 3)};
  const auto dim = heads > 0 ? c.extent(i, 2).divided_by(heads) : std::nullopt;
  if (!dim) {
    c.error(Code::bad_attribute, c.input_name(i) + " has " + c.spell(c.extent(i, 2)) + " elements a position, which " +
                                     std::to_string(heads) + " " + std::string(name) + " do not divide");
    return std::nullopt;
  }
  const std::vector<Axis> apart = c.regroup(c.axes(i), {c.extent(i, 0), c.extent(i, 1), heads, *dim});
  return Heads{c.axis(i, 0), apart[2], c.axis(i, 1), apart[3]};
}

TensorId split_heads(LowerContext& c, TensorId x, const Axis& head, const Axis& dim) {
  const std::vector<Axis> axes = c.tensor(x).axes;
  return c.transpose(c.reshape(x, {axes[0], axes[1], head, dim}), {0, 2, 1, 3});
}

TensorId join_heads(LowerContext& c, TensorId y, const Axis& joined) {
  const std::vector<Axis> axes = c.tensor(y).axes;
  return c.reshape(c.transpose(y, {0, 2, 1, 3}), {axes[0], axes[2], joined});
}

void lay_in_turn(LowerContext& c, TensorId out, int axis, TensorId first, TensorId second) {
  Polynomial start = 0;
  for (const TensorId part : {first, second}) {
    std::vector<Axis> axes = c.tensor(out).axes;
    const auto at = static_cast<std::size_t>(axis);
    axes[at] = c.tensor(part).axes[at];
    std::vector<Polynomial> starts(axes.size(), 0);
    const std::vector<Polynomial> steps(axes.size(), 1);
    starts[at] = start;
    c.copy(c.slice(out, std::move(axes), std::move(starts), steps), part);
    start = start + c.extent(part, axis);
  }
}

}  // namespace loam
