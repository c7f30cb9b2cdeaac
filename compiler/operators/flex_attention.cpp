// FlexAttention (ai.onnx.preview): attention whose scores, and the weights that their softmax gives, a node may change
// by a subgraph each.
#include <cmath>

#include "compiler/operators/attention.hpp"
#include "compiler/operators/checks.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

constexpr std::string_view subgraphs[] = {"score_mod", "prob_mod"};

// The element type of scores and weights.
DType precision(const NodeContext& c) {
  return stated_type(c, "softmax_precision", compute_type(c.dtype(0))).value_or(DType::undefined);
}

// A subgraph takes one tensor and gives one like it.
void infer_subgraph(InferContext& c, std::string_view name, const TensorType& scores) {
  const Graph* graph = c.graph(name);
  if (!graph) return;
  const std::string words(name);
  if (graph->inputs.size() != 1 || graph->outputs.size() != 1)
    return c.error(Code::operator_form, words + " takes " + std::to_string(graph->inputs.size()) +
                                            " tensors and gives " + std::to_string(graph->outputs.size()) +
                                            ", and should take and give one");
  const TypedBlock& block = c.block(*graph, {scores});
  const ValueId id = block.outputs[0];
  if (id == no_value || !c.value(id).type) return;
  const TensorType made = *c.value(id).type;
  if (made.dtype != scores.dtype)
    return c.error(Code::element_type, words + " gives " + std::string(dtype_name(made.dtype)) + ", and takes " +
                                           std::string(dtype_name(scores.dtype)));
  if (made.axes.size() != scores.axes.size())
    return c.error(Code::rank_mismatch, words + " gives " + std::to_string(made.axes.size()) + " axes, and takes " +
                                            std::to_string(scores.axes.size()));
  for (std::size_t i = 0; i < made.axes.size(); ++i)
    c.equate(scores.axes[i], made.axes[i], "in what " + words + " takes", "in what it gives");
}

void infer_flex_attention(InferContext& c) {
  if (!expect_float(c, 0) || !expect_one_dtype(c, 0, 1) || !expect_one_dtype(c, 0, 2)) return;
  for (const int i : {0, 1, 2})
    if (!expect_rank(c, i, 4)) return;
  const auto meet = [&](int i, int j, int axis) {
    return c.equate(c.axis(i, axis), c.axis(j, axis), "in " + c.input_name(i), "in " + c.input_name(j));
  };
  meet(0, 1, 0);
  meet(0, 2, 0);
  meet(0, 1, 3);
  meet(1, 2, 1);
  meet(1, 2, 2);
  if (c.extent(0, 1) == c.extent(1, 1)) meet(0, 1, 1);
  else if (!c.extent(0, 1).divided_by(c.extent(1, 1)))
    return c.error(Code::operator_form, c.input_name(0) + " has " + c.spell(c.extent(0, 1)) + " heads, which the " +
                                            c.spell(c.extent(1, 1)) + " of " + c.input_name(1) + " do not divide");
  if (!c.has_attribute("scale") && !c.extent(0, 3).is_constant())
    return c.error(Code::value_needed, "gives no scale, which is then 1 / sqrt of a head's " +
                                           c.spell(c.extent(0, 3)) + " elements, a number only the run knows");
  const DType type = precision(c);
  if (type == DType::undefined) return;
  if (!is_float(type) || compute_type(type) != compute_type(c.dtype(0)))
    return c.error(Code::operator_form, "takes a softmax of " + std::string(dtype_name(type)) + " over " +
                                            std::string(dtype_name(c.dtype(0))) +
                                            ", and the kernels compute in one type throughout");
  const TensorType scores{type, {c.axis(0, 0), c.axis(0, 1), c.axis(0, 2), c.axis(1, 2)}};
  for (const std::string_view name : subgraphs) infer_subgraph(c, name, scores);
  c.output(0, c.dtype(0), {c.axis(0, 0), c.axis(0, 1), c.axis(0, 2), c.axis(2, 3)});
}

void lower_flex_attention(LowerContext& c) {
  Attend a{.q = c.in(0), .k = c.in(1), .v = c.in(2), .scale = 1};
  a.scale = c.has_attribute("scale")
                ? c.number("scale", 1)
                : 1 / std::sqrt(static_cast<double>(c.extent(0, 3).constant().value_or(1)));
  a.precision = precision(c);
  a.output = 0;
  auto block = c.typed().blocks.begin();  // of the subgraphs that are there, in their order
  const auto changed_by = [&](std::string_view name) -> std::function<TensorId(TensorId)> {
    if (!c.has_attribute(name)) return {};
    return [&c, &typed = *block++](TensorId scores) {
      const std::vector<Axis> axes = c.tensor(scores).axes;
      return c.relabel(c.inline_block(typed, {scores})[0], axes);
    };
  };
  a.score_mod = changed_by(subgraphs[0]);
  a.weight_mod = changed_by(subgraphs[1]);
  c.alias(0, attend(c, a));
}

constexpr Operator rows[] = {
    {.domain = "ai.onnx.preview", .name = "FlexAttention", .infer = infer_flex_attention,
     .lower = lower_flex_attention, .min_inputs = 3, .max_inputs = 3},
};

}  // namespace

std::span<const Operator> flex_attention_operators() { return rows; }

}  // namespace loam
