#include "compiler/kernel/edit.hpp"

#include <algorithm>

#include "compiler/kernel/tensor_size.hpp"
#include "compiler/kernel/lowering.hpp"
#include "compiler/kernel/visit.hpp"

namespace loam {

namespace {

// Tensors that are written more than once or in parts, by their roots: settled nevertheless where one block writes all of a
// tensor before anything reads it.
class Settling {
 public:
  explicit Settling(const Program& program) : root_(program.tensors.size()) {
    for (TensorId t = 0; t < root_.size(); ++t) root_[t] = t;
    visit_steps(program.body, [&](const Step& step) {
      if (const auto* view = std::get_if<ViewStep>(&step.what)) root_[view->out] = root_[view->in];
    });
    look(program.body);
  }

  std::set<TensorId> settled() const {
    std::set<TensorId> settled;
    for (TensorId t = 0; t < root_.size(); ++t)
      if (!unsettled_.contains(root_[t])) settled.insert(t);
    return settled;
  }

 private:
  void look(const Block& block) {
    std::set<TensorId> read;  // up to here
    for (const Step& step : block.steps) {
      const auto* call = std::get_if<Call>(&step.what);
      if (call) {
        for (const OperandRef& o : call->inputs)
          if (const auto* t = std::get_if<TensorId>(&o); t && *t != no_tensor) read.insert(root_[*t]);
        for (const TensorId t : call->outputs) {
          if (t == no_tensor) continue;
          const auto [writer, is_first] = writers_.try_emplace(root_[t], &block);
          if (read.contains(root_[t]) || writer->second != &block) unsettled_.insert(root_[t]);
        }
      } else if (!std::holds_alternative<ViewStep>(step.what)) {
        visit_reads(step, [&](TensorId t) { read.insert(root_[t]); });
      }
      if (const auto* branch = std::get_if<BranchStep>(&step.what)) {
        look(*branch->then);
        look(*branch->otherwise);
      }
      if (const auto* loop = std::get_if<LoopStep>(&step.what)) {
        for (const TensorId t : loop->joined) unsettled_.insert(root_[t]);
        look(*loop->body);
      }
    }
  }

  std::vector<TensorId> root_;
  std::map<TensorId, const Block*> writers_;
  std::set<TensorId> unsettled_;
};

}  // namespace

std::set<TensorId> whole_tensors(const Program& program) {
  std::vector<TensorId> root(program.tensors.size());
  for (TensorId t = 0; t < root.size(); ++t) root[t] = t;
  std::map<TensorId, int> writes;
  std::set<TensorId> in_parts;
  visit_steps(program.body, [&](const Step& step) {
    if (const auto* view = std::get_if<ViewStep>(&step.what)) root[view->out] = root[view->in];
    if (const auto* loop = std::get_if<LoopStep>(&step.what)) in_parts.insert(loop->joined.begin(), loop->joined.end());
    if (const auto* call = std::get_if<Call>(&step.what))
      for (const TensorId t : call->outputs) {
        if (t == no_tensor) continue;
        ++writes[root[t]];
        if (root[t] != t) in_parts.insert(root[t]);
      }
  });
  std::set<TensorId> whole;
  for (TensorId t = 0; t < root.size(); ++t)
    if (!in_parts.contains(root[t]) && writes[root[t]] <= 1) whole.insert(t);
  return whole;
}

std::set<TensorId> settled_tensors(const Program& program) { return Settling(program).settled(); }

std::optional<MapCall> as_map(const Step& step) {
  const auto* call = std::get_if<Call>(&step.what);
  if (!call || call->kernel != "map" || call->outputs.size() != 1 || call->arguments.size() != 1) return std::nullopt;
  const auto* expression = std::get_if<Expression>(&call->arguments[0]);
  if (!expression) return std::nullopt;
  return MapCall{call->outputs[0], *expression, call->inputs};
}

bool is_copy(const MapCall& map) {
  return map.inputs.size() == 1 && std::holds_alternative<TensorId>(map.inputs[0]) && map.expression.named() == "loam::fn::Identity";
}

bool same_operand(const OperandRef& a, const OperandRef& b) {
  if (a.index() != b.index()) return false;
  if (const auto* t = std::get_if<TensorId>(&a)) return *t == std::get<TensorId>(b);
  if (const auto* c = std::get_if<CoordinateOperand>(&a)) return c->axis == std::get<CoordinateOperand>(b).axis;
  const auto &x = std::get<ScalarOperand>(a), &y = std::get<ScalarOperand>(b);
  return x.type == y.type && x.value == y.value;
}

BlockEditor::BlockEditor(Program& program, const TypedGraph& graph, Block& block) : program_(program), graph_(graph), block_(block) {
  for (Step& step : block.steps) {
    steps_.push_back(std::move(step));
    enter(std::prev(steps_.end()));
  }
  for (const TensorId t : block.outputs) elsewhere_.insert(t);
}

void BlockEditor::close() {
  block_.steps.assign(std::make_move_iterator(steps_.begin()), std::make_move_iterator(steps_.end()));
}

void BlockEditor::enter(Position at) {
  Step* const step = &*at;
  places_[step] = at;
  if (const auto* view = std::get_if<ViewStep>(&step->what)) {
    makers_[view->out] = at;
    readers_[view->in].insert(step);
  } else if (const auto* call = std::get_if<Call>(&step->what)) {
    for (const TensorId t : call->outputs)
      if (t != no_tensor && !makers_.contains(t)) makers_[t] = at;
    for (const TensorId t : call->outputs)
      if (t != no_tensor && makers_[t] != at) readers_[t].insert(step);  // writes into what another made
    for (const OperandRef& o : call->inputs)
      if (const auto* t = std::get_if<TensorId>(&o); t && *t != no_tensor) readers_[*t].insert(step);
  } else {
    visit_reads(*step, [&](TensorId t) { elsewhere_.insert(t); });
  }
}

void BlockEditor::leave(Position at) {
  Step* const step = &*at;
  places_.erase(step);
  if (const auto* view = std::get_if<ViewStep>(&step->what)) makers_.erase(view->out);
  if (const auto* call = std::get_if<Call>(&step->what))
    for (const TensorId t : call->outputs)
      if (const auto it = makers_.find(t); it != makers_.end() && it->second == at) makers_.erase(it);
  visit_reads(*step, [&](TensorId t) { readers_[t].erase(step); });
}

std::vector<Polynomial> BlockEditor::extents(TensorId t) const { return extents_of(program_.tensors[t], graph_.symbols); }
Polynomial BlockEditor::elements(TensorId t) const { return elements_of(program_.tensors[t], graph_.symbols); }
Polynomial BlockEditor::bytes(TensorId t) const { return bytes_of(program_.tensors[t], graph_.symbols); }

bool BlockEditor::same_axes(TensorId a, TensorId b) const {
  if (!same_extents(a, b)) return false;
  const std::vector<Axis>&x = program_.tensors[a].axes, &y = program_.tensors[b].axes;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (axis_words(graph_, x[i]) != axis_words(graph_, y[i])) return false;
  return true;
}

std::optional<BlockEditor::Position> BlockEditor::maker(TensorId t) const {
  const auto it = makers_.find(t);
  return it == makers_.end() ? std::nullopt : std::optional(it->second);
}

BlockEditor::Trace BlockEditor::trace(TensorId t) const {
  Trace trace{t, {}};
  for (auto at = maker(t); at; at = maker(trace.from)) {
    const auto* view = std::get_if<ViewStep>(&(*at)->what);
    if (!view) break;
    trace.views.push_back(*at);
    trace.from = view->in;
  }
  return trace;
}

const std::set<Step*>& BlockEditor::readers(TensorId t) const {
  static const std::set<Step*> none;
  const auto it = readers_.find(t);
  return it == readers_.end() ? none : it->second;
}

bool BlockEditor::read_only_by(TensorId t, Position reader) const {
  if (elsewhere_.contains(t)) return false;
  return std::ranges::all_of(readers(t), [&](Step* step) {
    if (step == &*reader) return true;
    const auto* view = std::get_if<ViewStep>(&step->what);
    return view && read_only_by(view->out, reader);
  });
}

TensorId BlockEditor::new_view(Position before, ViewStep view, std::vector<Axis> axes, bool dense) {
  const VirtualTensor& from = tensor(view.in);
  VirtualTensor to{.name = from.name, .dtype = from.dtype, .axes = std::move(axes), .dense = dense};
  program_.tensors.push_back(std::move(to));
  view.out = static_cast<TensorId>(program_.tensors.size() - 1);
  const TensorId out = view.out;
  enter(steps_.insert(before, Step{std::move(view), before->site, before->label, before->node}));
  return out;
}

void BlockEditor::add_first(Step step) { enter(steps_.insert(steps_.begin(), std::move(step))); }

TensorId BlockEditor::new_copy(Position before, TensorId t) {
  VirtualTensor to{.name = tensor(t).name + "_dense", .dtype = tensor(t).dtype, .axes = tensor(t).axes};
  program_.tensors.push_back(std::move(to));
  const auto out = static_cast<TensorId>(program_.tensors.size() - 1);
  Expression copy;
  copy.result(copy.input(0, tensor(t).dtype));
  Call call{"map", "map", false, {out}, {}, {t}};
  call.arguments.emplace_back(std::move(copy));
  enter(steps_.insert(before, Step{std::move(call), before->site, before->label, before->node}));
  return out;
}

OperandRef BlockEditor::named_like(Position before, OperandRef operand, const std::vector<Axis>& wanted) {
  const auto* t = std::get_if<TensorId>(&operand);
  if (!t) return operand;
  std::vector<Axis> axes = tensor(*t).axes;
  bool renamed = false;
  for (std::size_t i = 1; i <= axes.size(); ++i) {
    Axis& axis = axes[axes.size() - i];
    if (axes_match(graph_, axis, wanted[wanted.size() - i])) continue;
    axis = wanted[wanted.size() - i];
    renamed = true;
  }
  if (!renamed) return operand;
  return new_view(before, {ViewStep::Kind::relabel, no_tensor, *t, {}, {}, {}, {}}, std::move(axes), tensor(*t).dense);
}

void BlockEditor::set_call(Position at, Call call) {
  leave(at);
  at->what = std::move(call);
  enter(at);
}

void BlockEditor::set_view_source(Position at, TensorId in) {
  leave(at);
  std::get<ViewStep>(at->what).in = in;
  enter(at);
}

void BlockEditor::read_instead(TensorId of, TensorId other) {
  for (Step* const step : std::set<Step*>(readers(of))) {
    const Position reader = position(step);
    if (std::holds_alternative<ViewStep>(step->what)) {
      set_view_source(reader, other);
      continue;
    }
    Call call = std::get<Call>(step->what);
    for (OperandRef& o : call.inputs)
      if (const auto* t = std::get_if<TensorId>(&o); t && *t == of) o = other;
    set_call(reader, std::move(call));
  }
}

void BlockEditor::set_view(Position at, ViewStep view) {
  leave(at);
  at->what = std::move(view);
  enter(at);
}

void BlockEditor::erase(Position at) {
  leave(at);
  steps_.erase(at);
}

void BlockEditor::drop_unread_views(Position before) {
  for (auto at = before; at != steps_.begin();) {
    --at;
    const auto* view = std::get_if<ViewStep>(&at->what);
    if (!view || !readers(view->out).empty() || elsewhere_.contains(view->out)) continue;
    const auto dead = at++;
    erase(dead);
  }
}

}  // namespace loam
