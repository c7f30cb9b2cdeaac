// Loop (ai.onnx): a subgraph repeated, values carried from turn to turn.
//
// A carried value keeps its element type and rank. Where a turn leaves a length as it found it, the length is what it
// was before the loop; any other is a symbol bound anew in each turn, and once more when the loop has ended. The body is
// read until that holds of every length, at most once an axis. A loop over sequences is unrolled.
#include <utility>

#include "compiler/operators/structures.hpp"

namespace loam {

namespace {

const Polynomial* known_scalar(const NodeContext& c, int i) {
  const Known* known = c.known(i);
  return known && known->integral() && known->elements.size() == 1 ? &known->integer(0) : nullptr;
}

// Whether the body always asks for another turn.
bool goes_on(const TypedValue& condition) {
  return condition.known && condition.known->integral() && condition.known->elements.size() == 1 && condition.known->integer(0).is(1);
}

// Whether a length depends on what is bound inside the loop, whose turn's symbol is the first of those.
bool varies(const Symbols& symbols, const Polynomial& extent, const Polynomial& turn) {
  for (const SymbolId id : symbols.leaves(extent))
    if (symbols[id].origin == Symbol::Origin::bound && id >= *turn.as_symbol()) return true;
  return false;
}

bool check_body(const InferContext& c, const Graph& body, int carried) {
  if (static_cast<int>(body.inputs.size()) != carried + 2) {
    c.error(Code::operator_form, "the body takes " + std::to_string(body.inputs.size()) + " inputs, and the loop gives a count, a condition and " +
                                     std::to_string(carried) + " values");
    return false;
  }
  if (static_cast<int>(body.outputs.size()) < carried + 1 || c.outputs() > static_cast<int>(body.outputs.size()) - 1) {
    c.error(Code::operator_form, "the body gives " + std::to_string(body.outputs.size()) + " values, and the loop carries " + std::to_string(carried) +
                                     " and returns " + std::to_string(c.outputs()));
    return false;
  }
  return true;
}

bool carries_structure(const NodeContext& c) {
  for (int i = 2; i < c.inputs(); ++i)
    if (c.structure(i)) return true;
  return false;
}

// Whether the build knows the number of turns.
bool counted(const NodeContext& c) {
  const Polynomial* trips = known_scalar(c, 0);
  return trips && trips->constant();
}

void infer_loop(InferContext& c) {
  const Graph* body = c.graph("body");
  if (!body) return c.error(Code::bad_attribute, "the body is absent");
  if (c.has(0) && !expect_dtype(c, 0, {DType::int64})) return;
  if (c.has(1) && !expect_dtype(c, 1, {DType::boolean})) return;
  const int carried = c.inputs() - 2;
  if (!check_body(c, *body, carried)) return;
  if (carries_structure(c) || (counted(c) && c.reads_structure(*body))) return infer_unrolled(c, *body);

  const Polynomial turn = c.bind("turn");
  const Known number{DType::int64, {}, {turn}}, always{DType::boolean, {}, {Polynomial(1)}};
  std::vector<TensorType> types{{DType::int64, {}}, {DType::boolean, {}}};
  std::vector<const Known*> known{&number, &always};
  int axes = 0;
  for (int i = 0; i < carried; ++i) {
    types.push_back(c.type(i + 2));
    known.push_back(nullptr);
    axes += c.rank(i + 2);
  }
  const std::size_t mark = c.mark();
  for (int attempt = 0; attempt <= axes; ++attempt) {
    c.rewind(mark);
    c.typed().blocks.clear();
    c.block(*body, types, known);
    bool settled = true;
    for (int i = 0; i < carried; ++i) {
      const ValueId id = c.typed().blocks[0].outputs[static_cast<std::size_t>(i + 1)];
      TensorType& in = types[static_cast<std::size_t>(i + 2)];
      if (id == no_value || !c.value(id).type) continue;
      const TensorType out = *c.value(id).type;
      if (out.dtype != in.dtype || out.axes.size() != in.axes.size()) continue;
      for (std::size_t k = 0; k < in.axes.size(); ++k) {
        if (c.symbols().simplify(in.axes[k].extent()) == c.symbols().simplify(out.axes[k].extent())) continue;
        const auto id_of = in.axes[k].extent().as_symbol();
        if (id_of && c.symbols()[*id_of].origin == Symbol::Origin::bound && attempt > 0) continue;  // already the turn's own
        in.axes[k] = c.fresh(c.bind(body->inputs[static_cast<std::size_t>(i + 2)].name + "_dim" + std::to_string(k)));
        settled = false;
      }
    }
    if (settled) break;
  }

  const TypedBlock& block = c.typed().blocks[0];
  if (block.outputs[0] == no_value || !c.value(block.outputs[0]).type) return;
  if (c.value(block.outputs[0]).type->dtype != DType::boolean) return c.error(Code::element_type, "the body's condition is no bool");
  for (int k = 0; k < static_cast<int>(block.outputs.size()) - 1; ++k) {
    const ValueId id = block.outputs[static_cast<std::size_t>(k + 1)];
    if (id == no_value || !c.value(id).type) continue;
    const TensorType out = *c.value(id).type;
    if (k < carried) {
      const TensorType& in = types[static_cast<std::size_t>(k + 2)];
      if (out.dtype != in.dtype) {
        c.error(Code::element_type, c.value(id).name + " is " + std::string(dtype_name(out.dtype)) + " after a turn and " +
                                        std::string(dtype_name(in.dtype)) + " before it");
        continue;
      }
      if (out.axes.size() != in.axes.size()) {
        c.error(Code::rank_mismatch, c.value(id).name + " has " + std::to_string(out.axes.size()) + " axes after a turn and " +
                                         std::to_string(in.axes.size()) + " before it");
        continue;
      }
      std::vector<Axis> final;
      for (std::size_t a = 0; a < in.axes.size(); ++a) {
        const Polynomial before = c.extent(k + 2, static_cast<int>(a));
        const bool steady = c.symbols().simplify(in.axes[a].extent()) == before;
        const Axis axis = c.either(in.axes[a], out.axes[a], in.axes[a].extent());
        final.push_back(steady ? in.axes[a] : c.either(c.axis(k + 2, static_cast<int>(a)), axis, c.bind("final_" + c.value(id).name + "_dim" + std::to_string(a))));
      }
      c.output(k, in.dtype, std::move(final));
      continue;
    }
    if (!c.wants(k)) continue;
    // A value of each turn, joined along a new first axis.
    std::vector<Axis> axes_out;
    const Polynomial* trips = known_scalar(c, 0);
    const bool counted = trips && goes_on(c.value(block.outputs[0])) && (!c.has(1) || (known_scalar(c, 1) && known_scalar(c, 1)->is(1)));
    axes_out.push_back(c.fresh(counted ? c.symbols().max(*trips, 0) : c.bind("turns")));
    for (std::size_t a = 0; a < out.axes.size(); ++a) {
      const Axis& axis = out.axes[a];
      if (varies(c.symbols(), axis.extent(), turn)) axes_out.push_back(c.either(axis, axis, c.bind(c.value(id).name + "_dim" + std::to_string(a))));
      else axes_out.push_back(axis);
    }
    c.output(k, out.dtype, std::move(axes_out));
  }
}

void lower_loop(LowerContext& c) {
  if (is_unrolled(c)) return lower_unrolled(c);
  LoopStep loop;
  const int carried = c.inputs() - 2;
  TypedBlock& typed = c.typed().blocks[0];
  loop.turn = c.typed().bound.front();
  if (const Polynomial* trips = known_scalar(c, 0)) loop.trips = *trips;
  else if (c.has(0)) loop.trip_tensor = c.in(0);
  const Polynomial* first = c.has(1) ? known_scalar(c, 1) : nullptr;
  if (c.has(1) && !(first && first->is(1))) loop.condition = c.in(1);
  const bool always = goes_on(c.value_of(typed.outputs[0]));
  const bool turns_known = loop.trips && always && loop.condition == no_tensor;
  bool counted = turns_known;
  for (std::size_t k = static_cast<std::size_t>(carried) + 1; k < typed.outputs.size(); ++k)
    for (const Axis& axis : c.value_of(typed.outputs[k]).type->axes) counted = counted && !varies(c.symbols(), axis.extent(), loop.turn);
  c.bound_here({loop.turn});

  std::vector<TensorId> initial, ins;
  for (int i = 0; i < carried; ++i) initial.push_back(c.in(i + 2));
  for (int i = 0; i < carried; ++i) {
    const TypedValue& value = c.value_of(typed.inputs[static_cast<std::size_t>(i + 2)]);
    ins.push_back(c.given(value));
    for (std::size_t a = 0; a < value.type->axes.size(); ++a) {
      const Polynomial extent = c.symbols().simplify(value.type->axes[a].extent());
      if (!(extent == c.extent(initial[static_cast<std::size_t>(i)], static_cast<int>(a)))) {
        loop.turn_lengths.push_back({extent, static_cast<std::size_t>(i), static_cast<int>(a)});
        c.bound_here({extent});
      }
    }
  }
  // Where the count is known the joined outputs are ordinary tensors, and each turn writes into its place.
  std::vector<TensorId> joined;
  for (int k = carried; k < c.outputs(); ++k) joined.push_back(c.wants(k) ? c.out(k) : no_tensor);
  std::vector<TensorId> made;
  loop.body = c.block(
      typed, [&] {
        std::vector<TensorId> inputs{no_tensor, no_tensor};
        inputs.insert(inputs.end(), ins.begin(), ins.end());
        return inputs;
      },
      [&](std::vector<TensorId>& outputs) {
        made = outputs;
        if (!counted) return;
        for (std::size_t k = 0; k < joined.size(); ++k)
          if (joined[k] != no_tensor) c.write_turn(joined[k], made[static_cast<std::size_t>(carried) + 1 + k], 0, loop.turn);
      });
  if (!always) loop.go_on = made[0];
  for (int i = 0; i < carried; ++i) {
    const auto k = static_cast<std::size_t>(i);
    TensorId final = no_tensor;
    if (c.wants(i)) {
      final = c.out(i);
      for (std::size_t a = 0; a < c.tensor(final).axes.size(); ++a)
        if (!(c.extent(final, static_cast<int>(a)) == c.extent(initial[k], static_cast<int>(a))))
          loop.final_lengths.push_back({c.extent(final, static_cast<int>(a)), k, static_cast<int>(a)});
    }
    loop.carried.push_back({initial[k], ins[k], made[k + 1], final});
  }
  if (!counted)
    for (std::size_t k = 0; k < joined.size(); ++k) {
      if (joined[k] == no_tensor) continue;
      if (!turns_known) loop.count = c.extent(joined[k], 0);
      loop.gathered.push_back({made[static_cast<std::size_t>(carried) + 1 + k], joined[k]});
      for (int a = 1; a < static_cast<int>(c.tensor(joined[k]).axes.size()); ++a)
        if (varies(c.symbols(), c.extent(loop.gathered.back().part, a - 1), loop.turn))
          loop.part_lengths.push_back({c.extent(joined[k], a), loop.gathered.size() - 1, a - 1});
    }
  if (counted)
    for (const TensorId t : joined)
      if (t != no_tensor) loop.joined.push_back(t);
  c.step({std::move(loop), {}, {}});
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Loop", .infer = infer_loop, .lower = lower_loop, .min_inputs = 0, .max_inputs = -1, .min_outputs = 0,
     .max_outputs = -1, .structures = true},
};

}  // namespace

std::span<const Operator> loop_operators() { return rows; }

}  // namespace loam
