// Which tensors a step reads and writes, those of the blocks within it included.
#pragma once

#include "compiler/kernel/program.hpp"

namespace loam {

// Calls visit(tensor) for every tensor that the step needs to be there: what it reads, and what it writes a part of.
template <class Visit>
void visit_reads(const Step& step, const Visit& visit) {
  const auto each = [&](const std::vector<TensorId>& tensors) {
    for (const TensorId t : tensors)
      if (t != no_tensor) visit(t);
  };
  if (const auto* call = std::get_if<Call>(&step.what)) {
    for (const OperandRef& o : call->inputs)
      if (const auto* t = std::get_if<TensorId>(&o); t && *t != no_tensor) visit(*t);
    each(call->outputs);  // a copy into a slice of an output keeps the output alive
  } else if (const auto* view = std::get_if<ViewStep>(&step.what)) {
    visit(view->in);
  } else if (const auto* bind = std::get_if<BindStep>(&step.what)) {
    visit(bind->from);
  } else if (const auto* branch = std::get_if<BranchStep>(&step.what)) {
    visit(branch->condition);
    for (const auto& block : {branch->then, branch->otherwise}) {
      for (const Step& inner : block->steps) visit_reads(inner, visit);
      each(block->outputs);
    }
  } else if (const auto* loop = std::get_if<LoopStep>(&step.what)) {
    each({loop->trip_tensor, loop->condition, loop->go_on});
    for (const Step& inner : loop->body->steps) visit_reads(inner, visit);
    for (const LoopStep::Carried& c : loop->carried) {
      visit(c.initial);
      visit(c.out);
    }
    for (const LoopStep::Gathered& g : loop->gathered) visit(g.part);
    each(loop->joined);
  }
}

// The blocks within a step, outermost.
inline std::vector<Block*> inner_blocks(Step& step) {
  if (auto* branch = std::get_if<BranchStep>(&step.what)) return {branch->then.get(), branch->otherwise.get()};
  if (auto* loop = std::get_if<LoopStep>(&step.what)) return {loop->body.get()};
  return {};
}

// Calls visit(step) for every step of the block and of the blocks within it.
template <class Visit>
void visit_steps(const Block& block, const Visit& visit) {
  for (const Step& step : block.steps) {
    visit(step);
    if (const auto* branch = std::get_if<BranchStep>(&step.what)) {
      visit_steps(*branch->then, visit);
      visit_steps(*branch->otherwise, visit);
    } else if (const auto* loop = std::get_if<LoopStep>(&step.what)) {
      visit_steps(*loop->body, visit);
    }
  }
}

}  // namespace loam
