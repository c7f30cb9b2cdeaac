// Scan (ai.onnx, 9 and later; 8 with its batch axis): a subgraph run over the places of an axis, states carried along.
//
// A loop whose count is an axis's length, so its joined outputs are ordinary tensors and each turn writes into its place.
#include <utility>

#include "compiler/operators/lower.hpp"
#include "compiler/operators/operator.hpp"

namespace loam {

namespace {

// The lists of a Scan, by position: a direction and an axis for each scanned input and output.
struct Plan {
  int states = 0, scanned = 0, joined = 0;
  std::vector<int> in_axes, out_axes;
  std::vector<bool> in_reversed, out_reversed;
};

std::optional<Plan> read(const NodeContext& c, const Graph& body) {
  Plan p;
  const int first = c.opset() < 9 ? 1 : 0;  // opset 8's optional sequence_lens
  p.scanned = static_cast<int>(c.integer("num_scan_inputs", 0));
  p.states = c.inputs() - first - p.scanned;
  p.joined = static_cast<int>(body.outputs.size()) - p.states;
  if (p.scanned < 1 || p.states < 0 || p.joined < 0 || static_cast<int>(body.inputs.size()) != p.states + p.scanned) {
    c.error(Code::operator_form, "scans " + std::to_string(p.scanned) + " of " + std::to_string(c.inputs() - first) + " inputs, and the body takes " +
                                     std::to_string(body.inputs.size()) + " and gives " + std::to_string(body.outputs.size()));
    return std::nullopt;
  }
  const auto axes = c.integers("scan_input_axes"), out_axes = c.integers("scan_output_axes");
  const auto directions = c.integers(c.opset() < 9 ? "directions" : "scan_input_directions"), out_directions = c.integers("scan_output_directions");
  const auto at = [](const std::optional<std::vector<std::int64_t>>& list, int i) { return list && i < static_cast<int>(list->size()) ? (*list)[static_cast<std::size_t>(i)] : 0; };
  for (int i = 0; i < p.scanned; ++i) {
    const auto axis = c.axis_index(at(axes, i), c.rank(first + p.states + i));
    if (!axis) return std::nullopt;
    p.in_axes.push_back(*axis);
    p.in_reversed.push_back(at(directions, i) != 0);
  }
  for (int i = 0; i < p.joined; ++i) {
    p.out_axes.push_back(static_cast<int>(at(out_axes, i)));
    p.out_reversed.push_back(at(out_directions, i) != 0);
  }
  return p;
}

std::vector<Axis> without(std::vector<Axis> axes, int axis) {
  axes.erase(axes.begin() + axis);
  return axes;
}

void infer_scan(InferContext& c) {
  const Graph* body = c.graph("body");
  if (!body) return c.error(Code::bad_attribute, "the body is absent");
  if (c.opset() < 9) return c.error(Code::operator_form, "is Scan of opset 8, whose batch axis no lowering has yet");
  const auto p = read(c, *body);
  if (!p) return;
  c.bind("turn");
  Axis along = c.axis(p->states, p->in_axes[0]);
  for (int i = 1; i < p->scanned; ++i) along = c.equate(along, c.axis(p->states + i, p->in_axes[static_cast<std::size_t>(i)]), "in one scanned input", "in another");
  std::vector<TensorType> types;
  for (int i = 0; i < p->states; ++i) types.push_back(c.type(i));
  for (int i = 0; i < p->scanned; ++i) types.push_back({c.dtype(p->states + i), without(c.axes(p->states + i), p->in_axes[static_cast<std::size_t>(i)])});
  const TypedBlock& block = c.block(*body, types);
  for (int k = 0; k < static_cast<int>(block.outputs.size()); ++k) {
    const ValueId id = block.outputs[static_cast<std::size_t>(k)];
    if (id == no_value || !c.value(id).type) continue;
    const TensorType out = *c.value(id).type;
    if (k < p->states) {
      if (out.dtype != c.dtype(k) || out.axes.size() != c.axes(k).size()) {
        c.error(Code::operator_form, c.value(id).name + " has another element type or rank after a turn than before it");
        continue;
      }
      std::vector<Axis> axes;
      for (std::size_t a = 0; a < out.axes.size(); ++a) axes.push_back(c.equate(c.axis(k, static_cast<int>(a)), out.axes[a], "before a turn", "after it"));
      c.output(k, out.dtype, std::move(axes));
      continue;
    }
    const auto j = static_cast<std::size_t>(k - p->states);
    std::vector<Axis> axes = out.axes;
    const int rank = static_cast<int>(axes.size()) + 1;
    const int axis = p->out_axes[j] < 0 ? p->out_axes[j] + rank : p->out_axes[j];
    if (axis < 0 || axis >= rank) {
      c.axis_index(p->out_axes[j], rank);
      continue;
    }
    axes.insert(axes.begin() + axis, along);
    c.output(k, out.dtype, std::move(axes));
  }
}

void lower_scan(LowerContext& c) {
  const Graph& body = *c.graph("body");
  const Plan p = *read(c, body);
  TypedBlock& typed = c.typed().blocks[0];
  LoopStep loop;
  loop.turn = c.typed().bound.front();
  const Polynomial length = c.extent(p.states, p.in_axes[0]);
  loop.trips = length;
  c.bound_here({loop.turn});
  std::vector<TensorId> initial, scanned, ins, joined, made;
  for (int i = 0; i < p.states; ++i) initial.push_back(c.in(i));
  for (int i = 0; i < p.scanned; ++i) scanned.push_back(c.in(p.states + i));
  for (int k = 0; k < p.joined; ++k) joined.push_back(c.wants(p.states + k) ? c.out(p.states + k) : no_tensor);
  const auto place = [&](bool reversed) { return reversed ? length - 1 - loop.turn : loop.turn; };
  loop.body = c.block(
      typed,
      [&] {
        for (int i = 0; i < p.states; ++i) ins.push_back(c.given(c.value_of(typed.inputs[static_cast<std::size_t>(i)])));
        std::vector<TensorId> inputs = ins;
        for (std::size_t i = 0; i < scanned.size(); ++i) inputs.push_back(c.read_turn(scanned[i], p.in_axes[i], place(p.in_reversed[i])));
        return inputs;
      },
      [&](std::vector<TensorId>& outputs) {
        made = outputs;
        for (std::size_t k = 0; k < joined.size(); ++k) {
          if (joined[k] == no_tensor) continue;
          const int rank = static_cast<int>(c.tensor(joined[k]).axes.size());
          c.write_turn(joined[k], made[static_cast<std::size_t>(p.states) + k], p.out_axes[k] < 0 ? p.out_axes[k] + rank : p.out_axes[k], place(p.out_reversed[k]));
        }
      });
  for (int i = 0; i < p.states; ++i) {
    const auto k = static_cast<std::size_t>(i);
    loop.carried.push_back({initial[k], ins[k], made[k], c.wants(i) ? c.out(i) : no_tensor});
  }
  for (const TensorId t : joined)
    if (t != no_tensor) loop.joined.push_back(t);
  c.step({std::move(loop), {}, {}});
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Scan", .infer = infer_scan, .lower = lower_scan, .min_inputs = 1, .max_inputs = -1, .max_outputs = -1},
};

}  // namespace

std::span<const Operator> scan_operators() { return rows; }

}  // namespace loam
