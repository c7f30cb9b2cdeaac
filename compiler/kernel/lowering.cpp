#include "compiler/kernel/lowering.hpp"

#include <algorithm>
#include <utility>

namespace loam {

std::vector<std::string> axis_words(const TypedGraph& graph, const Axis& axis) {
  if (graph.symbols.simplify(axis.extent()).is(1)) {
    // One element: the name that a layout rule gave it, if any.
    if (axis.parts.size() == 1)
      for (std::string& word : graph.axes.spelled(axis))
        if (!word.empty()) return {std::move(word)};
    return {};
  }
  std::vector<std::string> words;
  for (const Part& part : axis.parts)
    if (!graph.symbols.simplify(part.extent).is(1) || axis.parts.size() == 1)
      for (std::string& word : graph.axes.spelled({{part}})) words.push_back(std::move(word));
  return words;
}

bool axes_match(const TypedGraph& graph, const Axis& a, const Axis& b) {
  return graph.symbols.simplify(a.extent()).is(1) || graph.symbols.simplify(b.extent()).is(1) || axis_words(graph, a) == axis_words(graph, b);
}

TensorId Lowering::add(VirtualTensor tensor) {
  program_.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(program_.tensors.size() - 1);
}

void Lowering::set(ValueId id, TensorId t) { tensors_[id] = t; }

TensorId Lowering::value(ValueId id) {
  if (const auto it = tensors_.find(id); it != tensors_.end()) return it->second;
  const TypedValue& value = stage_.graph().values[id];
  VirtualTensor tensor{.name = value.name, .dtype = value.type ? value.type->dtype : DType::undefined,
                       .axes = value.type ? value.type->axes : std::vector<Axis>{}};
  if (value.known) {
    tensor.kind = VirtualTensor::Kind::constant;
    tensor.known = value.known;
  } else if (value.data) {
    // Strings stand in the module's source whoever stated them: no checkpoint holds them.
    const bool weight = value.origin == TypedValue::Origin::initializer && tensor.dtype != DType::string;
    tensor.kind = weight ? VirtualTensor::Kind::weight : VirtualTensor::Kind::constant;
    tensor.data = value.data;
    if (weight)
      if (const auto it = stored_.find(value.name); it != stored_.end()) tensor.dtype = it->second;
  } else {
    stage_.diagnostics().error(Code::internal, site_, value.name + " is read and nothing computed it");
  }
  const bool weight = tensor.kind == VirtualTensor::Kind::weight;
  const TensorId t = add(std::move(tensor));
  if (weight) program_.weights.push_back(t);
  set(id, t);
  return t;
}

bool Lowering::bound(const Polynomial& p) const {
  return std::ranges::all_of(stage_.graph().symbols.leaves(p), [&](SymbolId id) {
    return stage_.graph().symbols[id].origin == Symbol::Origin::input || bound_.contains(id);
  });
}

// The conditions whose symbols are all bound by now, as one step; the rest wait. It comes as soon as a symbol is bound:
// the kernels that follow, of the same node too, rely on them.
void Lowering::check_owed() {
  CheckStep check;
  std::erase_if(owed_, [&](Condition& c) {
    if (!bound(c.slack)) return false;
    check.conditions.push_back(std::move(c));
    return true;
  });
  if (!check.conditions.empty()) block_->steps.push_back({std::move(check), site_, label_});
}

void Lowering::lower_node(TypedNode& node) {
  node_ = node.node;
  site_ = node.node->site();
  label_ = node.node->name;
  LowerContext context(*this, stage_, node);
  if (!node.op->lower) {
    stage_.diagnostics().error(Code::value_needed, site_,
                               "has no kernel: the build evaluates it, and an input it reads is computed at run time");
    return;
  }
  node.op->lower(context);
  if (node.bound.empty()) return;
  for (const Polynomial& p : node.bound)
    if (const auto id = p.as_symbol()) bound_.insert(*id);
  check_owed();
}

void Lowering::lower_block(TypedBlock& block, Block& into, const Hook& begin, const Hook& end) {
  Block* const outer = block_;
  block_ = &into;
  if (begin) {
    std::vector<TensorId> inputs;
    begin(inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] != no_tensor) set(block.inputs[i], inputs[i]);
  }
  std::vector<Condition> outer_owed = std::exchange(owed_, block.owed);
  check_owed();
  for (TypedNode& node : block.nodes)
    if (node.reached) lower_node(node);
  for (const ValueId id : block.outputs) into.outputs.push_back(id == no_value ? no_tensor : value(id));
  if (end) end(into.outputs);
  block_ = outer;
  owed_ = std::move(outer_owed);
}

Program Lowering::run() {
  TypedGraph& graph = stage_.graph();
  for (const DeclaredInput& input : stage_.inputs()) {
    const TypedValue& value = graph.values[input.value];
    const TensorId t = add({.name = value.name, .kind = VirtualTensor::Kind::input, .dtype = value.type->dtype, .axes = value.type->axes});
    set(input.value, t);
    program_.inputs.push_back({t, input.declared});
  }
  lower_block(graph.body, program_.body);
  program_.outputs = program_.body.outputs;
  program_.output_names = graph.output_names;
  return std::move(program_);
}

// ---- LowerContext ---------------------------------------------------------------------------------------------------

LowerContext::LowerContext(Lowering& lowering, StageZero& stage, TypedNode& node) : NodeContext(stage, node), lowering_(lowering) {}

TensorId LowerContext::value(ValueId id) { return lowering_.value(id); }
TensorId LowerContext::in(int i) { return lowering_.value(typed().inputs[static_cast<std::size_t>(i)]); }

TensorId LowerContext::out(int k) {
  const ValueId id = typed().outputs[static_cast<std::size_t>(k)];
  const TypedValue& value = stage_.graph().values[id];
  const TensorId t = lowering_.add({.name = value.name, .dtype = value.type->dtype, .axes = value.type->axes});
  lowering_.set(id, t);
  return t;
}

void LowerContext::alias(int k, TensorId t) {
  const ValueId id = typed().outputs[static_cast<std::size_t>(k)];
  const std::vector<Axis>& wanted = stage_.graph().values[id].type->axes;
  bool same = wanted.size() == tensor(t).axes.size();
  for (std::size_t i = 0; same && i < wanted.size(); ++i)
    same = axis_words(stage_.graph(), wanted[i]) == axis_words(stage_.graph(), tensor(t).axes[i]);
  lowering_.set(id, same ? t : relabel(t, wanted));
}

TensorId LowerContext::temporary(DType dtype, std::vector<Axis> axes, std::string_view suffix) {
  std::string name = typed().outputs.empty() || typed().outputs[0] == no_value ? site() : stage_.graph().values[typed().outputs[0]].name;
  return lowering_.add({.name = name + "_" + std::string(suffix), .dtype = dtype, .axes = std::move(axes)});
}

TensorId LowerContext::constant(Known known, std::vector<Axis> axes) {
  const DType dtype = known.dtype;
  const TensorId t = temporary(dtype, std::move(axes), "constant");
  VirtualTensor& tensor = lowering_.program_.tensors[t];
  tensor.kind = VirtualTensor::Kind::constant;
  if (static_cast<std::int64_t>(known.elements.size()) > most_known && known.constant())  // data, as a graph's would be
    tensor.data = &stage_.graph().kept.emplace_back(
        TensorData{{}, dtype, known.dims, Bytes::own(known_bytes(known)), {}});
  else
    tensor.known = std::move(known);
  return t;
}

const VirtualTensor& LowerContext::tensor(TensorId t) const { return lowering_.program_.tensors[t]; }

Polynomial LowerContext::extent(TensorId t, int axis) const {
  return symbols().simplify(tensor(t).axes[static_cast<std::size_t>(axis)].extent());
}

Axis LowerContext::named_axis(std::string_view word, const Polynomial& extent) {
  Axis axis = stage_.graph().axes.fresh_axis(extent, "an axis of " + site());
  std::string name(word);
  for (int n = 2; !lowering_.axis_names_.insert(name).second; ++n) name = std::string(word) + std::to_string(n);
  stage_.graph().axes.give_name(axis.parts[0].atom, std::move(name));
  return axis;
}

Axis LowerContext::merge(const std::vector<Axis>& axes) {
  Axis merged;
  for (const Axis& axis : axes)
    for (const Part& part : axis.parts)
      if (!part.extent.is(1)) merged.parts.push_back(part);
  if (merged.parts.empty()) merged = axes.empty() ? Axis{} : axes.front();
  return merged;
}

Axis LowerContext::unit() { return stage_.graph().axes.fresh_axis(1, "an axis of " + site()); }

void LowerContext::step(Step step) {
  if (step.site.empty()) step.site = lowering_.site_;
  if (step.label.empty()) step.label = lowering_.label_;
  step.node = lowering_.node_;
  lowering_.block_->steps.push_back(std::move(step));
}

void LowerContext::call(std::string kernel, std::string folder, std::vector<TensorId> outputs, std::vector<Argument> arguments,
                        std::vector<OperandRef> inputs, bool sited) {
  step({Call{std::move(kernel), std::move(folder), sited, std::move(outputs), std::move(arguments), std::move(inputs)}, {}, {}});
}

void LowerContext::map(TensorId out, Expression expression, std::vector<OperandRef> inputs) {
  const std::vector<Axis> out_axes = tensor(out).axes;
  for (OperandRef& operand : inputs) {
    const auto* t = std::get_if<TensorId>(&operand);
    if (!t) continue;
    std::vector<Axis> axes = tensor(*t).axes;
    if (axes.size() > out_axes.size()) continue;  // a bug upstream; the wrapper's constraint says so
    bool renamed = false;
    for (std::size_t i = 1; i <= axes.size(); ++i) {
      const Axis& wanted = out_axes[out_axes.size() - i];
      Axis& axis = axes[axes.size() - i];
      if (axes_match(stage_.graph(), axis, wanted)) continue;
      axis = wanted;
      renamed = true;
    }
    if (renamed) operand = relabel(*t, std::move(axes));
  }
  std::vector<Argument> arguments;
  arguments.emplace_back(std::move(expression));
  call("map", "map", {out}, std::move(arguments), std::move(inputs));
}

void LowerContext::copy(TensorId out, TensorId in) {
  Expression e;
  e.result(e.input(0, tensor(in).dtype));
  map(out, std::move(e), {in});
}

TensorId LowerContext::view(ViewStep view_step, std::vector<Axis> axes, bool dense) {
  const VirtualTensor& from = tensor(view_step.in);
  const TensorId out = lowering_.add({.name = from.name, .kind = VirtualTensor::Kind::activation, .dtype = from.dtype, .axes = std::move(axes), .dense = dense});
  if (!typed().outputs.empty() && typed().outputs[0] != no_value)
    lowering_.program_.tensors[out].name = stage_.graph().values[typed().outputs[0]].name;
  view_step.out = out;
  step({std::move(view_step), {}, {}});
  return out;
}

namespace {
std::vector<Polynomial> extents_of(const Symbols& symbols, const std::vector<Axis>& axes) {
  std::vector<Polynomial> extents;
  for (const Axis& axis : axes) extents.push_back(symbols.simplify(axis.extent()));
  return extents;
}
}  // namespace

TensorId LowerContext::reshape(TensorId t, std::vector<Axis> axes) {
  t = dense(t);
  auto extents = extents_of(symbols(), axes);
  return view({ViewStep::Kind::reshape, no_tensor, t, {}, std::move(extents), {}, {}}, std::move(axes), true);
}

TensorId LowerContext::transpose(TensorId t, const std::vector<int>& order) {
  std::vector<Axis> axes;
  bool in_place = true;  // only axes of one element move
  int last = -1;
  for (const int source : order) {
    axes.push_back(tensor(t).axes[static_cast<std::size_t>(source)]);
    if (extent(t, source).is(1)) continue;
    in_place = in_place && source > last;
    last = source;
  }
  return view({ViewStep::Kind::transpose, no_tensor, t, order, {}, {}, {}}, std::move(axes), tensor(t).dense && in_place);
}

TensorId LowerContext::units(TensorId t, const std::vector<int>& source, std::vector<Axis> axes) {
  for (std::size_t i = 0; i < source.size(); ++i)
    if (source[i] >= 0) axes[i] = tensor(t).axes[static_cast<std::size_t>(source[i])];
  return view({ViewStep::Kind::units, no_tensor, t, source, {}, {}, {}}, std::move(axes), tensor(t).dense);
}

TensorId LowerContext::slice(TensorId t, std::vector<Axis> axes, std::vector<Polynomial> starts, std::vector<Polynomial> steps) {
  auto extents = extents_of(symbols(), axes);
  return view({ViewStep::Kind::slice, no_tensor, t, {}, std::move(extents), std::move(starts), std::move(steps)}, std::move(axes), false);
}

TensorId LowerContext::expand(TensorId t, std::vector<Axis> axes) {
  const std::size_t lead = axes.size() - tensor(t).axes.size();
  std::vector<Axis> renamed = tensor(t).axes;
  bool differs = false;
  for (std::size_t i = 0; i < renamed.size(); ++i)
    if (!axes_match(stage_.graph(), renamed[i], axes[lead + i])) {
      renamed[i] = axes[lead + i];
      differs = true;
    }
  if (differs) t = relabel(t, std::move(renamed));
  auto extents = extents_of(symbols(), axes);
  return view({ViewStep::Kind::expand, no_tensor, t, {}, std::move(extents), {}, {}}, std::move(axes), false);
}

TensorId LowerContext::relabel(TensorId t, std::vector<Axis> axes) {
  return view({ViewStep::Kind::relabel, no_tensor, t, {}, {}, {}, {}}, std::move(axes), tensor(t).dense);
}

TensorId LowerContext::dense(TensorId t) {
  if (tensor(t).dense) return t;
  const TensorId copied = lowering_.add({.name = tensor(t).name + "_dense", .dtype = tensor(t).dtype, .axes = tensor(t).axes});
  copy(copied, t);
  return copied;
}

void LowerContext::bind(std::vector<Polynomial> symbols, TensorId from) {
  for (const Polynomial& p : symbols)
    if (const auto id = p.as_symbol()) lowering_.bound_.insert(*id);
  step({BindStep{std::move(symbols), from}, {}, {}});
  lowering_.check_owed();
}

void LowerContext::bound_here(const std::vector<Polynomial>& symbols) {
  for (const Polynomial& p : symbols)
    if (const auto id = p.as_symbol()) lowering_.bound_.insert(*id);
}

TensorId LowerContext::given(const TypedValue& value) {
  return lowering_.add({.name = value.name, .dtype = value.type->dtype, .axes = value.type->axes, .dense = false});
}

const TypedValue& LowerContext::value_of(ValueId id) const { return stage_.graph().values[id]; }

TensorId LowerContext::read_turn(TensorId t, int axis, const Polynomial& turn) {
  std::vector<Axis> axes = tensor(t).axes, kept;
  std::vector<Polynomial> starts(axes.size(), 0), steps(axes.size(), 1);
  std::vector<int> source;
  starts[static_cast<std::size_t>(axis)] = turn;
  axes[static_cast<std::size_t>(axis)] = unit();
  for (int k = 0; k < static_cast<int>(axes.size()); ++k) {
    if (k == axis) continue;
    source.push_back(k);
    kept.push_back(axes[static_cast<std::size_t>(k)]);
  }
  const TensorId one = slice(t, std::move(axes), std::move(starts), std::move(steps));
  return units(one, source, std::move(kept));
}

void LowerContext::write_turn(TensorId out, TensorId part, int axis, const Polynomial& turn) {
  copy(read_turn(out, axis, turn), part);
}

std::shared_ptr<Block> LowerContext::block(TypedBlock& block, const std::function<std::vector<TensorId>()>& begin,
                                           const std::function<void(std::vector<TensorId>&)>& end) {
  const std::string site = lowering_.site_, label = lowering_.label_;
  const Node* const node = lowering_.node_;
  auto lowered = std::make_shared<Block>();
  const auto restore = [&] {
    lowering_.site_ = site;
    lowering_.label_ = label;
    lowering_.node_ = node;
  };
  lowering_.lower_block(
      block, *lowered, [&](std::vector<TensorId>& inputs) { inputs = begin(); },
      [&](std::vector<TensorId>& outputs) {
        restore();
        end(outputs);
      });
  restore();
  return lowered;
}

std::shared_ptr<Block> LowerContext::block(TypedBlock& typed_block, std::vector<TensorId>& outputs) {
  return block(typed_block, [] { return std::vector<TensorId>(); }, [&](std::vector<TensorId>& given) { outputs = given; });
}

std::shared_ptr<Block> LowerContext::block(const std::function<void()>& steps) {
  auto made = std::make_shared<Block>();
  Block* const outer = std::exchange(lowering_.block_, made.get());
  steps();
  lowering_.block_ = outer;
  return made;
}

std::vector<TensorId> LowerContext::inline_block(TypedBlock& block, const std::vector<TensorId>& inputs) {
  const std::string site = lowering_.site_, label = lowering_.label_;
  const Node* const node = lowering_.node_;
  Block inner;
  lowering_.lower_block(block, inner, [&](std::vector<TensorId>& given) { given = inputs; });
  lowering_.site_ = site;
  lowering_.label_ = label;
  lowering_.node_ = node;
  for (Step& s : inner.steps) lowering_.block_->steps.push_back(std::move(s));
  return inner.outputs;
}

}  // namespace loam
