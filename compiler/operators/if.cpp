// If (ai.onnx): one of two subgraphs, which read the tensors around them.
//
// Both blocks are read, each owing what its own nodes rely on; the run takes one. Where the build knows the condition
// there is one block, and its nodes stand where the If stood. One element under more axes in one branch than in the other
// has the more of them, and a rank that varies: what reads it must not mind. A sequence or an optional is given as the
// tensors it holds, of which each branch gives as many.
#include <algorithm>
#include <utility>

#include "compiler/operators/lower.hpp"
#include "compiler/operators/operator.hpp"

namespace loam {

namespace {

const TypedValue* output_value(InferContext& c, const TypedBlock& block, int k) {
  if (k >= static_cast<int>(block.outputs.size())) return nullptr;
  const ValueId id = block.outputs[static_cast<std::size_t>(k)];
  return id == no_value ? nullptr : &c.value(id);
}

// Sequences and optionals that the branches give, as outputs for the tensors they hold.
bool spread_structures(InferContext& c) {
  std::vector<TypedBlock>& blocks = c.typed().blocks;
  const std::vector<ValueId> outputs = c.typed().outputs;
  std::vector<ValueId> spread;
  std::vector<std::vector<ValueId>> given(blocks.size());
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    std::vector<ValueId> branches;
    for (const TypedBlock& block : blocks) branches.push_back(k < block.outputs.size() ? block.outputs[k] : no_value);
    const auto structured = [&](ValueId id) { return id != no_value && c.value(id).structure.has_value(); };
    if (outputs[k] == no_value || !std::ranges::any_of(branches, structured)) {
      spread.push_back(outputs[k]);
      for (std::size_t b = 0; b < blocks.size(); ++b) given[b].push_back(branches[b]);
      continue;
    }
    for (const ValueId id : branches) {
      if (id == no_value || (!c.value(id).type && !structured(id))) return false;  // reported where it should have come from
      if (c.alike(id, branches[0])) continue;
      c.error(Code::structure_unsettled,
              c.value(outputs[k]).name + " is " + c.describe(branches[0]) + " in one branch and " + c.describe(id) +
                  " in the other, and " + c.input_name(0) + ", which is computed at run time, chooses",
              "--value settles the condition where it is an input or follows from inputs");
      return false;
    }
    const ValueId whole = c.make_like(branches[0], c.value(outputs[k]).name, spread);
    c.value(outputs[k]).structure = c.value(whole).structure;
    for (std::size_t b = 0; b < blocks.size(); ++b) std::ranges::copy(c.tensors(branches[b]), std::back_inserter(given[b]));
  }
  c.typed().outputs = std::move(spread);
  for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b].outputs = std::move(given[b]);
  return true;
}

void infer_known_if(InferContext& c, bool taken) {
  const Graph* graph = c.graph(taken ? "then_branch" : "else_branch");
  if (!graph) return;
  c.inlined_block(*graph, {});
  if (!spread_structures(c)) return;
  for (int k = 0; k < c.outputs(); ++k) {
    const TypedValue* value = output_value(c, c.typed().blocks[0], k);
    if (!value || !value->type) continue;
    c.output(k, value->type->dtype, value->type->axes);
    if (value->rank_varies) c.vary_rank(k);
    if (const auto known = value->known) c.fold(k, *known);
  }
}

bool one_element(const InferContext& c, const TensorType& type) {
  return std::ranges::all_of(type.axes, [&](const Axis& axis) { return c.symbols().simplify(axis.extent()).is(1); });
}

bool ranks_differ(InferContext& c) {
  for (int k = 0; k < c.outputs(); ++k) {
    const TypedValue* a = output_value(c, c.typed().blocks[0], k);
    const TypedValue* b = output_value(c, c.typed().blocks[1], k);
    if (a && b && a->type && b->type && a->type->axes.size() != b->type->axes.size()) return true;
  }
  return false;
}

void infer_if(InferContext& c) {
  if (!expect_dtype(c, 0, {DType::boolean})) return;
  if (!c.elements(0).is(1)) {
    c.error(Code::operator_form, "the condition " + c.input_name(0) + " holds " + c.spell(c.elements(0)) + " elements, and If reads one");
    return;
  }
  if (const Known* condition = c.known(0))
    if (const auto taken = condition->integer(0).constant()) return infer_known_if(c, *taken != 0);

  const Graph* then = c.graph("then_branch");
  const Graph* otherwise = c.graph("else_branch");
  if (!then || !otherwise) {
    c.error(Code::bad_attribute, "a branch is absent");
    return;
  }
  if (!then->inputs.empty() || !otherwise->inputs.empty()) {
    c.error(Code::operator_form, "a branch declares inputs, and If gives none");
    return;
  }
  const std::size_t mark = c.mark();
  c.block(*then, {});
  c.block(*otherwise, {});
  if (const Known* condition = c.known(0); condition && ranks_differ(c)) {
    // "Squeeze where the length is 1, else leave it", as exporters write it: what follows takes one of the two ranks
    // alone, so the condition over lengths is one that the inputs owe.
    const Polynomial holds = condition->integer(0);
    c.rewind(mark);
    c.typed().blocks.clear();
    if (c.owe(holds - 1, "its branches give tensors of different ranks, and what follows takes the first branch's")) infer_known_if(c, true);
    return;
  }
  if (!spread_structures(c)) return;
  for (int k = 0; k < c.outputs(); ++k) {
    if (!c.wants(k)) continue;
    const TypedValue* a = output_value(c, c.typed().blocks[0], k);
    const TypedValue* b = output_value(c, c.typed().blocks[1], k);
    if (!a || !b) {
      c.error(Code::operator_form, "output " + std::to_string(k) + " is given by one branch alone");
      continue;
    }
    if (!a->type || !b->type) continue;
    if (a->type->dtype != b->type->dtype) {
      c.error(Code::element_type, a->name + " is " + std::string(dtype_name(a->type->dtype)) + " in one branch and " +
                                      std::string(dtype_name(b->type->dtype)) + " in the other");
      continue;
    }
    const bool varies = a->type->axes.size() != b->type->axes.size();
    if (varies && one_element(c, *a->type) && one_element(c, *b->type)) {
      c.output(k, a->type->dtype, a->type->axes.size() > b->type->axes.size() ? a->type->axes : b->type->axes);
      c.vary_rank(k);
      continue;
    }
    if (varies) {
      c.error(Code::rank_mismatch, a->name + " has " + std::to_string(a->type->axes.size()) + " axes in one branch and " +
                                       std::to_string(b->type->axes.size()) + " in the other");
      continue;
    }
    const TensorType left = *a->type, right = *b->type;
    const bool either_varies = a->rank_varies || b->rank_varies;
    std::vector<Axis> axes;
    for (std::size_t i = 0; i < left.axes.size(); ++i) {
      const Polynomial ea = c.symbols().simplify(left.axes[i].extent()), eb = c.symbols().simplify(right.axes[i].extent());
      const Range range = hull(c.symbols().range(ea), c.symbols().range(eb));
      const std::string name = c.value(c.typed().outputs[static_cast<std::size_t>(k)]).name + "_dim" + std::to_string(i);
      axes.push_back(c.either(left.axes[i], right.axes[i], ea == eb ? ea : c.bind(name, {std::max<std::int64_t>(range.low, 0), range.high})));
    }
    c.output(k, left.dtype, std::move(axes));
    if (either_varies) c.vary_rank(k);
  }
}

// A branch as a block. A shape it gives is written there as a list of what the symbols make it; a copy outlives the list.
// What has fewer axes than the output gets the others.
std::shared_ptr<Block> lower_branch(LowerContext& c, TypedBlock& typed, std::vector<TensorId>& outputs) {
  return c.block(typed, [] { return std::vector<TensorId>(); }, [&](std::vector<TensorId>& given) {
    for (std::size_t k = 0; k < given.size(); ++k) {
      TensorId& t = given[k];
      if (t == no_tensor) continue;
      const std::vector<Axis>& axes = c.output_type(static_cast<int>(k)).axes;
      if (const std::size_t rank = c.tensor(t).axes.size(); rank < axes.size()) {
        std::vector<int> source(axes.size(), -1);
        for (std::size_t i = 0; i < rank; ++i) source[axes.size() - rank + i] = static_cast<int>(i);
        t = c.units(t, source, axes);
      }
      const VirtualTensor& made = c.tensor(t);
      if (made.kind != VirtualTensor::Kind::constant || !made.known || made.known->constant()) continue;
      const TensorId kept = c.temporary(c.tensor(t).dtype, c.tensor(t).axes, "kept");
      c.copy(kept, t);
      t = kept;
    }
    outputs = given;
  });
}

void lower_if(LowerContext& c) {
  std::vector<TypedBlock>& blocks = c.typed().blocks;
  if (blocks.size() == 1) {
    const std::vector<TensorId> given = c.inline_block(blocks[0]);
    for (int k = 0; k < c.outputs(); ++k)
      if (c.wants(k)) c.alias(k, given[static_cast<std::size_t>(k)]);
    return;
  }
  BranchStep branch;
  branch.condition = c.in(0);
  std::vector<TensorId> then, otherwise;
  branch.then = lower_branch(c, blocks[0], then);
  branch.otherwise = lower_branch(c, blocks[1], otherwise);
  std::vector<TensorId> then_kept, otherwise_kept;
  for (int k = 0; k < c.outputs(); ++k) {
    if (!c.wants(k)) continue;
    const TensorId out = c.out(k);
    branch.outputs.push_back(out);
    then_kept.push_back(then[static_cast<std::size_t>(k)]);
    otherwise_kept.push_back(otherwise[static_cast<std::size_t>(k)]);
    const VirtualTensor& t = c.tensor(out);
    for (std::size_t i = 0; i < t.axes.size(); ++i) {
      // A length that only the run knows: each branch says what it is there.
      const Polynomial extent = c.extent(out, static_cast<int>(i));
      bool binds = false;
      for (const Polynomial& p : c.typed().bound) binds = binds || p == extent;
      if (!binds) continue;
      branch.symbols.push_back(extent);
      branch.then->symbol_values.push_back(c.extent(then_kept.back(), static_cast<int>(i)));
      branch.otherwise->symbol_values.push_back(c.extent(otherwise_kept.back(), static_cast<int>(i)));
    }
  }
  branch.then->outputs = std::move(then_kept);
  branch.otherwise->outputs = std::move(otherwise_kept);
  c.step({std::move(branch), {}, {}});
}

constexpr Operator rows[] = {
    {.domain = "", .name = "If", .infer = infer_if, .lower = lower_if, .min_inputs = 1, .max_inputs = 1,
     .max_outputs = -1, .any_rank = true},
};

}  // namespace

std::span<const Operator> if_operators() { return rows; }

}  // namespace loam
