#include "compiler/kernel/fuse_attention.hpp"

#include <algorithm>
#include <cstdint>

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

  // The product's own expression, or none, rounded where a tensor was, and rounded as the scores were.
  Expression of_scores(const Call& scores, TensorId made, std::vector<OperandRef>& operands) {
    const DType type = compute_type(edit_.tensor(made).dtype);
    Expression expression;
    operands.assign(1, made);
    const Expression::Id product = expression.cast(expression.input(0, type), edit_.tensor(made).dtype);
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
    call.arguments.emplace_back(of_scores(scores, made, operands));
    call.arguments.emplace_back(of_weights(soft, weighing));
    call.outputs = {std::get<TensorId>(edit_.named_like(last_, out, out_axes))};
    call.inputs = {scores.inputs[0], scores.inputs[1], edit_.named_like(last_, v, value_axes)};
    call.inputs.insert(call.inputs.end(), operands.begin() + 1, operands.end());
    found_.call = std::move(call);
  }

  BlockEditor& edit_;
  Position last_;
  Attention found_;
};

}  // namespace

std::optional<Attention> find_attention(BlockEditor& edit, Position step) { return AttentionFinder(edit, step).find(); }

}  // namespace loam
