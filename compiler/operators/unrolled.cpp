// Loop (ai.onnx) unrolled: the turns are counted by the build, and their nodes stand one turn after another.
#include <algorithm>

#include "compiler/operators/structures.hpp"

namespace loam {

namespace {

constexpr std::int64_t most_turns = 4096;

// The outputs of a turn that are kept: what the loop joins of each, what it carries of the last. Others are read by the
// turns alone, or are elements of what it carries.
struct Turns {
  std::vector<ValueId> carried;
  std::vector<std::vector<ValueId>> joined;  // of each output, a value a turn
  bool settled = true;
};

Turns run_turns(InferContext& c, const Graph& body) {
  const std::size_t carried = static_cast<std::size_t>(c.inputs()) - 2;
  Turns turns{{c.typed().inputs.begin() + 2, c.typed().inputs.end()},
              std::vector<std::vector<ValueId>>(body.outputs.size() - 1 - carried)};
  const auto unsettled = [&] {
    turns.settled = false;
    return turns;
  };
  std::int64_t trips = most_turns + 1;
  if (c.has(0)) {
    const auto count = settled_number(c, 0, "how many turns a loop over sequences has");
    if (!count) return unsettled();
    trips = *count;
  }
  bool goes_on = true;
  if (c.has(1)) {
    const auto condition = settled_number(c, 1, "whether a loop over sequences begins");
    if (!condition) return unsettled();
    goes_on = *condition != 0;
  }
  for (std::int64_t turn = 0; goes_on && turn < trips; ++turn) {
    if (turn == most_turns) {
      c.error(Code::structure_unsettled, "a loop over sequences is unrolled, and this one has more than " + std::to_string(most_turns) + " turns");
      return unsettled();
    }
    std::vector<ValueId> inputs{c.make(body.inputs[0].name, Known{DType::int64, {}, {Polynomial(turn)}}),
                                c.make(body.inputs[1].name, Known{DType::boolean, {}, {Polynomial(1)}})};
    inputs.insert(inputs.end(), turns.carried.begin(), turns.carried.end());
    const std::size_t errors = c.errors();
    TypedBlock& block = c.inlined_block(body, inputs);
    if (c.errors() != errors) return unsettled();  // once, and not again for each turn
    const ValueId condition = block.outputs[0];
    const Known* known = condition == no_value || !c.value(condition).known ? nullptr : &*c.value(condition).known;
    const auto more = known && known->integral() && known->elements.size() == 1 ? known->integer(0).constant() : std::nullopt;
    if (!more) {
      c.error(Code::structure_unsettled, "a loop over sequences is unrolled, and whether turn " + std::to_string(turn) +
                                             " is the last is computed at run time");
      return unsettled();
    }
    goes_on = *more != 0;
    for (std::size_t k = 0; k < carried; ++k) turns.carried[k] = block.outputs[k + 1];
    for (std::size_t k = 0; k < turns.joined.size(); ++k) turns.joined[k].push_back(block.outputs[k + 1 + carried]);
    std::ranges::fill(block.outputs, no_value);
  }
  return turns;
}

// A value of each turn, joined along a new first axis.
void infer_joined(InferContext& c, int k, const std::vector<ValueId>& parts) {
  if (!c.wants(k)) return;
  if (parts.empty())
    return c.error(Code::operator_form, "has no turn, and so nothing says what its output " + c.node().outputs[static_cast<std::size_t>(k)] + " is");
  if (std::ranges::any_of(parts, [&](ValueId id) { return id == no_value || !c.value(id).type; })) return;
  const TensorType first = *c.value(parts[0]).type;
  std::vector<Axis> axes = first.axes;
  for (const ValueId id : parts) {
    const TensorType type = *c.value(id).type;
    if (type.dtype != first.dtype || type.axes.size() != axes.size())
      return c.error(Code::operator_form, c.value(id).name + " has another element type or rank in one turn than in another");
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = c.equate(axes[i], type.axes[i], "in one turn", "in another");
  }
  axes.insert(axes.begin(), c.fresh(static_cast<std::int64_t>(parts.size())));
  c.output(k, first.dtype, std::move(axes));
}

}  // namespace

bool is_unrolled(NodeContext& c) { return c.typed().blocks.empty() || c.typed().blocks[0].inlined; }

void infer_unrolled(InferContext& c, const Graph& body) {
  const Turns turns = run_turns(c, body);
  if (!turns.settled) return;
  std::vector<TypedBlock>& blocks = c.typed().blocks;
  const std::size_t carried = turns.carried.size();
  for (std::size_t k = 0; k < carried; ++k) {
    const ValueId id = turns.carried[k];
    const int output = static_cast<int>(k);
    if (!c.wants(output) || id == no_value) continue;
    if (const std::optional<Structure> structure = c.value(id).structure) {
      c.settle(output, *structure);
      c.gives({id});
      continue;
    }
    const std::optional<TensorType> type = c.value(id).type;
    if (!type) continue;
    c.output(output, type->dtype, type->axes);
    if (const auto known = c.value(id).known) c.fold(output, *known);
    if (!blocks.empty()) blocks.back().outputs[k + 1] = id;
  }
  for (std::size_t k = 0; k < turns.joined.size(); ++k) {
    const int output = static_cast<int>(carried + k);
    infer_joined(c, output, turns.joined[k]);
    if (!c.wants(output)) continue;
    for (std::size_t turn = 0; turn < blocks.size(); ++turn) blocks[turn].outputs[1 + carried + k] = turns.joined[k][turn];
  }
}

void lower_unrolled(LowerContext& c) {
  std::vector<std::vector<TensorId>> made;
  for (TypedBlock& turn : c.typed().blocks) made.push_back(c.inline_block(turn));
  const int carried = c.inputs() - 2;
  for (int k = 0; k < static_cast<int>(c.node().outputs.size()); ++k) {
    if (!c.wants(k)) continue;
    const auto place = static_cast<std::size_t>(k) + 1;
    if (k < carried) {
      c.alias(k, made.empty() ? c.in(k + 2) : made.back()[place]);
      continue;
    }
    const TensorId out = c.out(k);
    for (std::size_t turn = 0; turn < made.size(); ++turn) c.write_turn(out, made[turn][place], 0, static_cast<std::int64_t>(turn));
  }
}

}  // namespace loam
