// Scan (ai.onnx, 9 and later; 8 with its batch axis): a subgraph run over the places of an axis, states carried along.
//
// A loop whose count is an axis's length, so its joined outputs are ordinary tensors and each turn writes its place.
#include <algorithm>
#include <utility>

#include "compiler/operators/formula.hpp"

namespace loam {

namespace {

// The lists of a Scan, by position: a direction and an axis for each scanned input and output. Opset 8's first input is
// the sequences' lengths, and its tensors have a batch axis before those the scan knows of.
struct Plan {
  int batch = 0;  // 1 where there is a batch axis; it is also the first state's position
  int states = 0, scanned = 0, joined = 0;
  std::vector<int> in_axes;
  std::vector<std::int64_t> out_axes;
  std::vector<bool> in_reversed, out_reversed;

  int scan_input(int i) const { return batch + states + i; }
};

std::vector<Axis> without(std::vector<Axis> axes, int axis) {
  axes.erase(axes.begin() + axis);
  return axes;
}

// Input i's axes in one batch.
std::vector<Axis> in_one_batch(const NodeContext& c, const Plan& p, int i) {
  return p.batch > 0 ? without(c.axes(i), 0) : c.axes(i);
}

std::optional<Plan> read(const NodeContext& c, const Graph& body) {
  Plan p;
  p.batch = c.opset() < 9 ? 1 : 0;
  const std::int64_t scanned = c.integer("num_scan_inputs", 0);
  const int inputs = c.inputs() - p.batch;
  p.scanned = static_cast<int>(std::clamp<std::int64_t>(scanned, 0, std::max(0, inputs)));
  p.states = inputs - p.scanned;
  p.joined = static_cast<int>(body.outputs.size()) - p.states;
  if (p.scanned < 1 || p.scanned != scanned || p.joined < 0 || static_cast<int>(body.inputs.size()) != inputs) {
    c.error(Code::operator_form, "scans " + std::to_string(scanned) + " of " + std::to_string(inputs) +
                                     " inputs, and the body takes " + std::to_string(body.inputs.size()) +
                                     " and gives " + std::to_string(body.outputs.size()));
    return std::nullopt;
  }
  if (p.batch > 0 && c.has(0) && (!expect_dtype(c, 0, {DType::int64}) || !expect_rank(c, 0, 1))) return std::nullopt;
  for (int i = p.batch; i < c.inputs(); ++i) {
    const int least = i < p.scan_input(0) ? p.batch : p.batch + 1;
    if (c.has(i) && c.rank(i) >= least) continue;
    c.error(c.has(i) ? Code::rank_mismatch : Code::operator_form,
            c.has(i) ? c.input_name(i) + " has " + std::to_string(c.rank(i)) + " axes, and needs " +
                           std::to_string(least) + " at least"
                     : "input " + std::to_string(i) + " is absent, and the operator needs it");
    return std::nullopt;
  }
  const auto at = [&](std::string_view name, int i) {
    const auto list = c.integers(name);
    return list && i < static_cast<int>(list->size()) ? (*list)[static_cast<std::size_t>(i)] : 0;
  };
  for (const auto& [name, count] : {std::pair(p.batch > 0 ? "directions" : "scan_input_directions", p.scanned),
                                    std::pair("scan_input_axes", p.scanned), std::pair("scan_output_axes", p.joined),
                                    std::pair("scan_output_directions", p.joined)}) {
    const auto list = c.integers(name);
    if (!list || list->size() == static_cast<std::size_t>(count)) continue;
    c.error(Code::bad_attribute, std::string(name) + " holds " + std::to_string(list->size()) +
                                     " numbers, and the operator reads " + std::to_string(count));
    return std::nullopt;
  }
  for (int i = 0; i < p.scanned; ++i) {
    const auto axis = c.axis_index(at("scan_input_axes", i), c.rank(p.scan_input(i)) - p.batch);
    if (!axis) return std::nullopt;
    p.in_axes.push_back(*axis);
    p.in_reversed.push_back(at(p.batch > 0 ? "directions" : "scan_input_directions", i) != 0);
  }
  for (int i = 0; i < p.joined; ++i) {
    p.out_axes.push_back(at("scan_output_axes", i));
    p.out_reversed.push_back(at("scan_output_directions", i) != 0);
  }
  return p;
}

// What is scanned, and along which axis: one for all scanned inputs.
Axis scanned_axis(const InferContext& c, const Plan& p) {
  const auto of = [&](int i) {
    return in_one_batch(c, p, p.scan_input(i))[static_cast<std::size_t>(p.in_axes[static_cast<std::size_t>(i)])];
  };
  Axis along = of(0);
  for (int i = 1; i < p.scanned; ++i) along = c.equate(along, of(i), "in one scanned input", "in another");
  return along;
}

void infer_scan(InferContext& c) {
  const Graph* body = c.graph("body");
  if (!body) return c.error(Code::bad_attribute, "the body is absent");
  const auto p = read(c, *body);
  if (!p) return;
  c.bind("turn");
  std::vector<Axis> batch;
  if (p->batch > 0) {
    c.bind("batch");
    batch = {c.axis(p->batch, 0)};
    for (int i = p->batch + 1; i < c.inputs(); ++i)
      batch[0] = c.equate(batch[0], c.axis(i, 0), "in " + c.input_name(p->batch), "in " + c.input_name(i));
    if (c.has(0)) {
      c.bind("length");
      batch[0] = c.equate(batch[0], c.axis(0, 0), "in " + c.input_name(p->batch), "in " + c.input_name(0));
    }
  }
  const auto output = [&](int k, DType type, std::vector<Axis> axes) {
    axes.insert(axes.begin(), batch.begin(), batch.end());
    c.output(k, type, std::move(axes));
  };
  const Axis along = scanned_axis(c, *p);
  std::vector<TensorType> types;
  for (int i = p->batch; i < c.inputs(); ++i) {
    std::vector<Axis> axes = in_one_batch(c, *p, i);
    if (i >= p->scan_input(0))
      axes = without(std::move(axes), p->in_axes[static_cast<std::size_t>(i - p->scan_input(0))]);
    types.push_back({c.dtype(i), std::move(axes)});
  }
  const TypedBlock& block = c.block(*body, types);
  for (int k = 0; k < static_cast<int>(block.outputs.size()); ++k) {
    const ValueId id = block.outputs[static_cast<std::size_t>(k)];
    if (id == no_value || !c.value(id).type) continue;
    const TensorType out = *c.value(id).type;
    if (k < p->states) {
      const TensorType& before = types[static_cast<std::size_t>(k)];
      if (out.dtype != before.dtype || out.axes.size() != before.axes.size()) {
        c.error(Code::operator_form,
                c.value(id).name + " has another element type or rank after a turn than before it");
        continue;
      }
      std::vector<Axis> axes;
      for (std::size_t a = 0; a < out.axes.size(); ++a)
        axes.push_back(c.equate(before.axes[a], out.axes[a], "before a turn", "after it"));
      output(k, out.dtype, std::move(axes));
      continue;
    }
    std::vector<Axis> axes = out.axes;
    const auto axis =
        c.axis_index(p->out_axes[static_cast<std::size_t>(k - p->states)], static_cast<int>(axes.size()) + 1);
    if (!axis) continue;
    axes.insert(axes.begin() + *axis, along);
    output(k, out.dtype, std::move(axes));
  }
}

// The tensors of one scan, by position; no_tensor for an output that nobody reads.
struct Tensors {
  std::vector<TensorId> initial, scanned, final, joined;
};

// Of the first `length` places, or of the last of them first.
LoopStep scan(LowerContext& c, const Plan& p, const Tensors& tensors, const Polynomial& length) {
  TypedBlock& typed = c.typed().blocks[0];
  LoopStep loop;
  loop.turn = c.typed().bound[0];
  loop.trips = length;
  c.bound_here({loop.turn});
  std::vector<TensorId> ins, made;
  const auto place = [&](bool reversed) { return reversed ? length - 1 - loop.turn : loop.turn; };
  loop.body = c.block(
      typed,
      [&] {
        for (int i = 0; i < p.states; ++i)
          ins.push_back(c.given(c.value_of(typed.inputs[static_cast<std::size_t>(i)])));
        std::vector<TensorId> inputs = ins;
        for (std::size_t i = 0; i < tensors.scanned.size(); ++i)
          inputs.push_back(c.read_turn(tensors.scanned[i], p.in_axes[i], place(p.in_reversed[i])));
        return inputs;
      },
      [&](std::vector<TensorId>& outputs) {
        made = outputs;
        for (std::size_t k = 0; k < tensors.joined.size(); ++k) {
          const TensorId joined = tensors.joined[k];
          if (joined == no_tensor) continue;
          const int rank = static_cast<int>(c.tensor(joined).axes.size());
          const auto axis = static_cast<int>(p.out_axes[k]);
          c.write_turn(joined, made[static_cast<std::size_t>(p.states) + k], axis < 0 ? axis + rank : axis,
                       place(p.out_reversed[k]));
        }
      });
  for (std::size_t k = 0; k < tensors.initial.size(); ++k)
    loop.carried.push_back({tensors.initial[k], ins[k], made[k], tensors.final[k]});
  return loop;
}

void lower_scan(LowerContext& c) {
  const Plan p = *read(c, *c.graph("body"));
  Tensors whole;
  for (int i = 0; i < p.states; ++i) {
    whole.initial.push_back(c.in(p.batch + i));
    whole.final.push_back(c.wants(i) ? c.out(i) : no_tensor);
  }
  for (int i = 0; i < p.scanned; ++i) whole.scanned.push_back(c.in(p.scan_input(i)));
  for (int k = p.states; k < p.states + p.joined; ++k) whole.joined.push_back(c.wants(k) ? c.out(k) : no_tensor);
  std::vector<TensorId> written = whole.joined;
  const Polynomial longest = c.extent(whole.scanned[0], p.in_axes[0] + p.batch);
  LoopStep loop;
  if (p.batch == 0) {
    loop = scan(c, p, whole, longest);
  } else {
    // A scan for each batch, between views of that batch; what a shorter sequence leaves of an output is zeros, as in
    // onnxruntime: ONNX leaves it undefined.
    written.insert(written.end(), whole.final.begin(), whole.final.end());
    loop.turn = c.typed().bound[1];
    loop.trips = c.extent(p.batch, 0);
    c.bound_here({loop.turn});
    loop.body = c.block([&] {
      const auto views = [&](std::vector<TensorId> tensors) {
        for (TensorId& t : tensors)
          if (t != no_tensor) t = c.read_turn(t, 0, loop.turn);
        return tensors;
      };
      Tensors one{views(whole.initial), views(whole.scanned), {}, views(whole.joined)};
      for (const TensorId t : whole.final)
        one.final.push_back(
            t == no_tensor ? t : c.temporary(c.tensor(t).dtype, without(c.tensor(t).axes, 0), "final"));
      Polynomial length = longest;
      if (c.has(0)) {
        length = c.typed().bound[2];
        c.bind({length}, c.read_turn(c.in(0), 0, loop.turn));
        c.step({CheckStep{{{longest - length, c.site(), "a sequence in " + c.input_name(0) + " is longer than the " +
                                                            c.spell(longest) + " places scanned"}}},
                {}, {}});
        for (const TensorId t : one.joined) {
          if (t == no_tensor) continue;
          Formula f(c);
          f.into(t, f.integer(0, DType::int64));
        }
      }
      c.step({scan(c, p, one, length), {}, {}});
      for (std::size_t i = 0; i < one.final.size(); ++i)
        if (whole.final[i] != no_tensor) c.write_turn(whole.final[i], one.final[i], 0, loop.turn);
    });
  }
  for (const TensorId t : written)
    if (t != no_tensor) loop.joined.push_back(t);
  c.step({std::move(loop), {}, {}});
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Scan", .infer = infer_scan, .lower = lower_scan, .min_inputs = 0, .max_inputs = -1,
     .max_outputs = -1},
};

}  // namespace

std::span<const Operator> scan_operators() { return rows; }

}  // namespace loam
