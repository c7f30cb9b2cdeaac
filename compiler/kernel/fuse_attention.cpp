#include "compiler/kernel/fuse_attention.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "compiler/kernel/follow.hpp"

namespace loam {

namespace {

using Position = BlockEditor::Position;

const Call* call_of(const std::optional<Position>& step) { return step ? std::get_if<Call>(&(*step)->what) : nullptr; }

const TensorId* tensor_of(const OperandRef& operand) {
  const auto* t = std::get_if<TensorId>(&operand);
  return t && *t != no_tensor ? t : nullptr;
}

bool is_softmax(const Call& call, std::size_t rank) {
  if (call.kernel != "softmax") return false;
  const auto *kind = std::get_if<Literal>(&call.arguments[0]), *axis = std::get_if<Literal>(&call.arguments[1]);
  return kind && axis && kind->text == "loam::Softmax{}" && axis->text == std::to_string(rank - 1);
}

class AttentionFinder {
 public:
  AttentionFinder(BlockEditor& edit, Position last) : edit_(edit), last_(last) {}

  std::optional<Attention> find() {
    const Call* const product = call_of(last_);
    if (!product || product->kernel != "matmul" || product->outputs.size() != 1) return std::nullopt;
    const TensorId *const weights = tensor_of(product->inputs[0]), *const v = tensor_of(product->inputs[1]);
    if (!weights || !v) return std::nullopt;

    // Back along the rows, from what is read to what makes it.
    TensorId made = edit_.trace(*weights).from;
    std::optional<Position> step = edit_.maker(made);
    std::optional<MapCall> of_weights = step ? as_map(**step) : std::nullopt;
    if (of_weights) {
      if (of_weights->inputs.size() != 1 || !tensor_of(of_weights->inputs[0])) return std::nullopt;
      add(*step, made, last_, *weights);
      step = back(of_weights->inputs[0], made);
    }
    const Call* const softmax = call_of(step);
    if (!softmax || !is_softmax(*softmax, edit_.extents(made).size())) return std::nullopt;
    const TensorId soft = made;
    add(*step, made, of_weights ? found_.taken.back().step : last_, of_weights ? *tensor_of(of_weights->inputs[0]) : *weights);
    const Position softmax_step = *step;
    const TensorId read = *tensor_of(softmax->inputs[0]);
    step = back(softmax->inputs[0], made);
    const Call* const scores = call_of(step);
    if (!scores || (scores->kernel != "matmul" && scores->kernel != "matmul_map")) return std::nullopt;
    add(*step, made, softmax_step, read);
    if (found_.declined.empty()) decline_shapes(*scores, made, *weights, *v, product->outputs[0]);
    if (found_.declined.empty()) make(*scores, made, soft, of_weights ? &of_weights->expression : nullptr, *v, product->outputs[0]);
    return std::move(found_);
  }

 private:
  std::optional<Position> back(const OperandRef& operand, TensorId& made) {
    made = edit_.trace(*tensor_of(operand)).from;
    return edit_.maker(made);
  }

  // A step whose result `reader` alone must read, as `read`: row by row.
  void add(Position step, TensorId made, Position reader, TensorId read) {
    if (!found_.declined.empty()) return;
    found_.taken.push_back({step, made});
    if (!edit_.read_only_by(made, reader)) return decline("it is read in several places");
    for (const Position view : edit_.trace(read).views)
      if (!keeps_order(move_of(edit_, std::get<ViewStep>(view->what)))) return decline("its rows are read in another order");
    if (edit_.extents(made).back() != edit_.extents(read).back()) decline("its rows are cut or joined");
  }

  void decline(std::string why) { found_.declined = std::move(why); }

  void decline_shapes(const Call& scores, TensorId product, TensorId weights, TensorId v, TensorId out) {
    const TensorId *const q = tensor_of(scores.inputs[0]), *const k = tensor_of(scores.inputs[1]);
    const DType type = compute_type(edit_.tensor(out).dtype);
    for (const auto& taken : found_.taken)
      if (compute_type(edit_.tensor(taken.made).dtype) != type) return decline("it is computed in another type than the result");
    const auto rank = [&](TensorId t) { return edit_.extents(t).size(); };
    if (!q || !k || rank(*q) < 2 || rank(*k) < 2 || rank(v) < 2) return decline("a vector is no matrix of queries, keys or values");
    const auto from_end = [&](TensorId t, std::size_t i) { return edit_.extents(t)[rank(t) - i]; };
    const std::vector<Polynomial> rows = edit_.extents(product), result = edit_.extents(out);
    if (edit_.extents(weights) != rows) return decline("the values meet its rows in other batches");
    if (result.size() != rows.size() || !std::equal(rows.begin(), rows.end() - 1, result.begin()) || from_end(*q, 2) != from_end(product, 2) ||
        from_end(*q, 1) != from_end(*k, 2) || from_end(*k, 1) != from_end(product, 1) || from_end(v, 2) != from_end(product, 1))
      decline("queries, keys or values are broadcast to it");
  }

  // A query or key that is another times one number: that other, and the number multiplied into `factor`, since a product's
  // sum is multiplied as well. Not where the multiple is rounded to a type of fewer bits.
  OperandRef unscaled(const OperandRef& operand, const Position reader, double& factor) {
    const BlockEditor::Trace trace = edit_.trace(*tensor_of(operand));
    const auto step = edit_.maker(trace.from);
    const auto map = step ? as_map(**step) : std::nullopt;
    if (!map || map->inputs.size() != 1 || !tensor_of(map->inputs[0]) || !edit_.read_only_by(trace.from, reader)) return operand;
    const DType type = edit_.tensor(trace.from).dtype;
    if (compute_type(type) != type || edit_.tensor(*tensor_of(map->inputs[0])).dtype != type || !edit_.same_extents(*tensor_of(map->inputs[0]), trace.from)) return operand;
    const auto number = times(map->expression);
    std::vector<Move> moves;
    for (auto view = trace.views.rbegin(); view != trace.views.rend(); ++view) moves.push_back(move_of(edit_, std::get<ViewStep>((*view)->what)));
    if (!number || !cannot_follow(edit_, map->inputs[0], moves).empty()) return operand;
    factor *= *number;
    found_.taken.push_back({*step, trace.from});
    const std::vector<Axis> axes = edit_.tensor(*tensor_of(operand)).axes;
    return edit_.named_like(last_, follow(edit_, last_, map->inputs[0], moves), axes);
  }

  // The number of "x * number".
  static std::optional<double> times(const Expression& expression) {
    const auto& steps = expression.steps();
    using enum Expression::Step::Kind;
    if (steps.size() != 3 || expression.result() != 2 || steps[2].kind != apply || steps[2].op != ScalarOp::mul) return std::nullopt;
    for (const std::size_t k : {0, 1})
      if (steps[k].kind == constant && steps[1 - k].kind == input)
        if (const auto* d = std::get_if<double>(&steps[k].constant)) return *d;
    return std::nullopt;
  }

  // The product's own expression, or none, rounded where a tensor was, and rounded as the scores were.
  Expression of_scores(const Call& scores, TensorId made, double factor, std::vector<OperandRef>& operands) {
    const DType type = compute_type(edit_.tensor(made).dtype);
    Expression expression;
    operands.assign(1, made);
    Expression::Id product = expression.cast(expression.input(0, type), edit_.tensor(made).dtype);
    if (factor != 1) product = expression.apply(ScalarOp::mul, product, expression.constant(factor, type));
    const auto* given = scores.arguments.empty() ? nullptr : std::get_if<Expression>(&scores.arguments.front());
    if (!given) {
      expression.result(product);
      return expression;
    }
    std::vector<OperandRef> inputs{made};
    inputs.insert(inputs.end(), scores.inputs.begin() + 2, scores.inputs.end());
    const Expression::Id score = add_to(expression, operands, *given, inputs, {product});
    expression.result(expression.cast(score, edit_.tensor(made).dtype));
    return expression;
  }

  Expression of_weights(TensorId soft, const Expression* given) {
    const DType stored = edit_.tensor(soft).dtype;
    Expression expression;
    const Expression::Id weight = expression.cast(expression.input(0, compute_type(stored)), stored);
    std::vector<OperandRef> operands{soft};
    expression.result(given ? expression.cast(add_to(expression, operands, *given, {soft}, {weight}), edit_.tensor(found_.taken.front().made).dtype) : weight);
    return expression;
  }

  void make(const Call& scores, TensorId made, TensorId soft, const Expression* weighing, TensorId v, TensorId out) {
    std::vector<Axis> axes = edit_.tensor(made).axes, value_axes = axes, out_axes = axes;
    out_axes.back() = edit_.tensor(out).axes.back();
    value_axes[axes.size() - 2] = axes.back();
    value_axes.back() = out_axes.back();
    Call call{"attend", "attend", false, {}, {}, {}};
    std::vector<OperandRef> operands;
    double factor = 1;
    const Position reader = *edit_.maker(made);
    const OperandRef q = unscaled(scores.inputs[0], reader, factor), k = unscaled(scores.inputs[1], reader, factor);
    call.arguments.emplace_back(of_scores(scores, made, factor, operands));
    call.arguments.emplace_back(of_weights(soft, weighing));
    call.outputs = {std::get<TensorId>(edit_.named_like(last_, out, out_axes))};
    call.inputs = {q, k, edit_.named_like(last_, v, value_axes)};
    call.inputs.insert(call.inputs.end(), operands.begin() + 1, operands.end());
    found_.call = std::move(call);
  }

  BlockEditor& edit_;
  Position last_;
  Attention found_;
};

}  // namespace

std::optional<Attention> find_attention(BlockEditor& edit, Position step) { return AttentionFinder(edit, step).find(); }

std::vector<Position> write_turned(BlockEditor& edit, Position attend, const MayPass& may_pass) {
  Call call = std::get<Call>(attend->what);
  // The result may have been named otherwise for the call.
  const TensorId written = call.outputs[0], made = edit.trace(written).from;
  if (edit.read_elsewhere(made)) return {};
  Step* turn = nullptr;
  for (Step* const reader : edit.readers(made)) {
    const auto* view = std::get_if<ViewStep>(&reader->what);
    if (view && view->out == written) continue;
    if (reader == &*attend) continue;
    if (!view || view->kind != ViewStep::Kind::transpose || turn) return {};
    turn = reader;
  }
  if (!turn) return {};
  const ViewStep view = std::get<ViewStep>(turn->what);
  if (edit.read_elsewhere(view.out) || edit.readers(view.out).size() != 1) return {};
  Step* const reader = *edit.readers(view.out).begin();
  const auto copy = as_map(*reader);
  if (!copy || !is_copy(*copy) || !may_pass(*copy) || edit.maker(copy->out) != edit.position(reader)) return {};
  if (!edit.tensor(copy->out).dense || edit.tensor(copy->out).dtype != edit.tensor(made).dtype || !edit.same_extents(copy->out, view.out)) return {};
  const TensorId to = copy->out;
  std::vector<int> back(view.order.size());
  std::vector<Axis> axes(view.order.size());
  for (std::size_t i = 0; i < view.order.size(); ++i) {
    back[static_cast<std::size_t>(view.order[i])] = static_cast<int>(i);
    axes[static_cast<std::size_t>(view.order[i])] = edit.tensor(to).axes[i];
  }
  const TensorId turned_back = edit.new_view(attend, {ViewStep::Kind::transpose, no_tensor, to, std::move(back), {}, {}, {}}, std::move(axes), false);
  call.outputs[0] = std::get<TensorId>(edit.named_like(attend, turned_back, edit.tensor(written).axes));
  edit.set_call(attend, std::move(call));
  return {edit.position(reader)};
}

std::vector<Position> group_heads(BlockEditor& edit, Position attend, const MayPass& may_pass) {
  Call call = std::get<Call>(attend->what);
  const std::size_t rank = edit.extents(call.outputs[0]).size();
  std::optional<Unravelled> shared[2];  // keys and values
  std::optional<std::size_t> split;     // the axis of the heads
  for (const std::size_t i : {0, 1}) {
    const TensorId t = std::get<TensorId>(call.inputs[1 + i]);
    auto found = unravel(edit, t, may_pass);
    if (!found || found->copies.empty() || edit.extents(t).size() != rank) continue;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      if (found->factors[axis].size() < 2) continue;
      if (found->factors[axis].size() > 2 || axis + 2 >= rank || (split && *split != axis)) return {};
      split = axis;
      shared[i] = std::move(found);
      break;
    }
    if (shared[i] && std::ranges::count_if(shared[i]->factors, [](const auto& axis) { return axis.size() > 1; }) != 1) return {};
  }
  if (!split) return {};
  const Unravelled& first = shared[0] ? *shared[0] : *shared[1];
  std::vector<Axis> heads;
  std::vector<Polynomial> parts;
  for (const std::size_t axis : first.factors[*split]) {
    heads.push_back(edit.tensor(first.base).axes[axis]);
    parts.push_back(edit.extents(first.base)[axis]);
  }
  for (const auto& other : shared)
    if (other)
      for (const std::size_t k : {0, 1})
        if (!(edit.extents(other->base)[other->factors[*split][k]] == parts[k])) return {};

  // Any operand with its axis of heads in two; its axes are aligned with the result's at the last one.
  const auto parted = [&](TensorId t) {
    const std::vector<Polynomial> extents = edit.extents(t);
    if (*split + extents.size() < rank) return t;
    const std::size_t at = *split + extents.size() - rank;
    std::vector<Axis> axes = edit.tensor(t).axes;
    std::vector<Polynomial> to = extents;
    const auto place = static_cast<std::ptrdiff_t>(at);
    if (extents[at].is(1)) {
      std::vector<int> source;
      for (std::size_t k = 0; k < extents.size(); ++k) source.push_back(static_cast<int>(k));
      source.insert(source.begin() + place + 1, -1);
      axes.insert(axes.begin() + place + 1, axes[at]);
      return edit.new_view(attend, {ViewStep::Kind::units, no_tensor, t, std::move(source), {}, {}, {}}, std::move(axes), edit.tensor(t).dense);
    }
    axes[at] = heads[0];
    axes.insert(axes.begin() + place + 1, heads[1]);
    to[at] = parts[0];
    to.insert(to.begin() + place + 1, parts[1]);
    return edit.new_view(attend, {ViewStep::Kind::reshape, no_tensor, t, {}, std::move(to), {}, {}}, std::move(axes), edit.tensor(t).dense);
  };
  const auto read = [&](std::size_t i) -> TensorId {
    const TensorId t = std::get<TensorId>(call.inputs[1 + i]);
    if (!shared[i]) return parted(t);
    std::vector<std::vector<std::size_t>> factors = shared[i]->factors;
    const std::vector<std::size_t> both = factors[*split];
    factors[*split] = {both[0]};
    factors.insert(factors.begin() + static_cast<std::ptrdiff_t>(*split) + 1, {both[1]});
    std::vector<Axis> axes = edit.tensor(t).axes;
    axes[*split] = heads[0];
    axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(*split) + 1, heads[1]);
    return std::get<TensorId>(edit.named_like(attend, turned(edit, attend, shared[i]->base, factors, axes), axes));
  };
  const TensorId keys = read(0), values = read(1);
  for (std::size_t k = 0; k < call.inputs.size(); ++k)
    if (const auto* t = tensor_of(call.inputs[k]); t && k != 1 && k != 2) call.inputs[k] = parted(*t);
  call.inputs[1] = keys;
  call.inputs[2] = values;
  call.outputs[0] = parted(call.outputs[0]);
  edit.set_call(attend, std::move(call));
  std::vector<Position> copies;
  for (auto& one : shared)
    if (one) std::ranges::copy(one->copies, std::back_inserter(copies));
  return copies;
}

}  // namespace loam
