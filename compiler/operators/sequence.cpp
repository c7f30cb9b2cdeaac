// SequenceConstruct, SequenceEmpty, SequenceInsert, SequenceErase, SequenceAt, SequenceLength, SequenceMap (ai.onnx):
// lists of tensors that the build settles. No node of them is left when the module is written but SequenceMap's bodies.
#include <algorithm>

#include "compiler/operators/movement.hpp"
#include "compiler/operators/structures.hpp"

namespace loam {

namespace {

std::optional<Structure> sequence_at(const NodeContext& c, int i) {
  const Structure* structure = c.structure(i);
  if (structure && structure->kind == Structure::Kind::sequence) return *structure;
  c.error(Code::operator_form, c.input_name(i) + " is " + (structure ? "an optional" : "a tensor") + ", and the operator takes a sequence");
  return std::nullopt;
}

// Whether the tensor of input i is of the sequence's element type.
bool fits(const NodeContext& c, const Structure& sequence, int i) {
  if (c.structure(i)) {
    c.error(Code::operator_form, c.input_name(i) + " is no tensor, and a sequence is of tensors");
    return false;
  }
  if (sequence.dtype == DType::undefined || sequence.dtype == c.dtype(i)) return true;
  c.error(Code::element_type, c.input_name(i) + " is " + std::string(dtype_name(c.dtype(i))) + ", and the sequence is of " +
                                  std::string(dtype_name(sequence.dtype)));
  return false;
}

// The place that input 1 or 2 gives among `places`, counted from the end of the sequence's values where it is negative.
std::optional<std::ptrdiff_t> position(const NodeContext& c, int i, std::size_t values, std::size_t places) {
  const auto given = settled_number(c, i, "which position of a sequence is meant");
  if (!given) return std::nullopt;
  const auto n = static_cast<std::int64_t>(values);
  const std::int64_t place = *given < 0 ? *given + n : *given;
  if (place >= 0 && place < static_cast<std::int64_t>(places)) return static_cast<std::ptrdiff_t>(place);
  c.error(Code::index_out_of_range, "position " + std::to_string(*given) + " of a sequence of " + std::to_string(values) +
                                        (values == 1 ? " value" : " values"));
  return std::nullopt;
}

void infer_construct(InferContext& c) {
  Structure sequence{Structure::Kind::sequence, c.typed().inputs, c.dtype(0)};
  for (int i = 1; i < c.inputs(); ++i)
    if (!fits(c, sequence, i)) return;
  c.settle(0, std::move(sequence));
}

void infer_empty(InferContext& c) {
  if (const auto type = stated_type(c, "dtype", DType::float32)) c.settle(0, {Structure::Kind::sequence, {}, *type});
}

void infer_insert(InferContext& c) {
  auto sequence = sequence_at(c, 0);
  if (!sequence || !fits(c, *sequence, 1)) return;
  const std::size_t n = sequence->items.size();
  const auto at = c.has(2) ? position(c, 2, n, n + 1) : static_cast<std::ptrdiff_t>(n);
  if (!at) return;
  sequence->items.insert(sequence->items.begin() + *at, c.typed().inputs[1]);
  sequence->dtype = c.dtype(1);
  c.settle(0, std::move(*sequence));
}

void infer_erase(InferContext& c) {
  auto sequence = sequence_at(c, 0);
  if (!sequence) return;
  const std::size_t n = sequence->items.size();
  if (n == 0) return c.error(Code::index_out_of_range, c.input_name(0) + " holds no value to erase");
  const auto at = c.has(1) ? position(c, 1, n, n) : static_cast<std::ptrdiff_t>(n - 1);
  if (!at) return;
  sequence->items.erase(sequence->items.begin() + *at);
  c.settle(0, std::move(*sequence));
}

void infer_at(InferContext& c) {
  const auto sequence = sequence_at(c, 0);
  if (!sequence) return;
  const std::size_t n = sequence->items.size();
  if (const auto at = position(c, 1, n, n)) pass_on(c, sequence->items[static_cast<std::size_t>(*at)]);
}

void infer_length(InferContext& c) {
  if (sequence_at(c, 0)) c.output(0, DType::int64, {});
}

void fold_length(InferContext& c) {
  c.fold(0, {DType::int64, {}, {Polynomial(static_cast<std::int64_t>(c.structure(0)->items.size()))}});
}

// The body once for each value of the sequences, all as long as the first; a tensor is the same to each.
void infer_map(InferContext& c) {
  const Graph* body = c.graph("body");
  if (!body) return c.error(Code::bad_attribute, "the body is absent");
  if (static_cast<int>(body->inputs.size()) != c.inputs() || static_cast<int>(body->outputs.size()) < c.outputs())
    return c.error(Code::operator_form, "the body takes " + std::to_string(body->inputs.size()) + " inputs and gives " +
                                            std::to_string(body->outputs.size()) + ", and the node has " +
                                            std::to_string(c.inputs()) + " and " + std::to_string(c.outputs()));
  const auto first = sequence_at(c, 0);
  if (!first) return;
  const std::size_t turns = first->items.size();
  for (int i = 1; i < c.inputs(); ++i)
    if (const Structure* other = c.structure(i); other && other->items.size() != turns)
      return c.error(Code::operator_form, c.input_name(0) + " holds " + std::to_string(turns) + " values and " + c.input_name(i) +
                                              " holds " + std::to_string(other->items.size()));
  std::vector<Structure> results(static_cast<std::size_t>(c.outputs()));
  for (std::size_t turn = 0; turn < turns; ++turn) {
    std::vector<ValueId> inputs;
    for (int i = 0; i < c.inputs(); ++i) {
      const Structure* sequence = c.structure(i);
      inputs.push_back(sequence ? sequence->items[turn] : c.typed().inputs[static_cast<std::size_t>(i)]);
    }
    const std::size_t errors = c.errors();
    TypedBlock& block = c.inlined_block(*body, inputs);
    if (c.errors() != errors) return;  // once, and not again for each value
    for (std::size_t k = 0; k < results.size(); ++k) {
      results[k].items.push_back(block.outputs[k]);
      if (const auto& type = c.value(block.outputs[k]).type) results[k].dtype = type->dtype;
    }
    block.outputs.clear();
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!c.wants(static_cast<int>(k))) continue;
    c.gives(results[k].items);
    c.settle(static_cast<int>(k), std::move(results[k]));
  }
}

void lower_map(LowerContext& c) {
  for (TypedBlock& turn : c.typed().blocks) c.inline_block(turn);
}

constexpr Operator rows[] = {
    {.domain = "", .name = "SequenceConstruct", .infer = infer_construct, .max_inputs = -1},
    {.domain = "", .name = "SequenceEmpty", .infer = infer_empty, .min_inputs = 0, .max_inputs = 0},
    {.domain = "", .name = "SequenceInsert", .infer = infer_insert, .min_inputs = 2, .max_inputs = 3, .structures = true},
    {.domain = "", .name = "SequenceErase", .infer = infer_erase, .max_inputs = 2, .structures = true},
    {.domain = "", .name = "SequenceAt", .infer = infer_at, .lower = lower_passed_on, .min_inputs = 2, .max_inputs = 2,
     .structures = true},
    {.domain = "", .name = "SequenceLength", .infer = infer_length, .fold = fold_length,
     .folds = Operator::Folds::always, .structures = true},
    {.domain = "", .name = "SequenceMap", .infer = infer_map, .lower = lower_map, .max_inputs = -1, .max_outputs = -1,
     .structures = true},
};

}  // namespace

std::span<const Operator> sequence_operators() { return rows; }

}  // namespace loam
