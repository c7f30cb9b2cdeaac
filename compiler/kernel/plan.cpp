#include "compiler/kernel/plan.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/kernel/tensor_size.hpp"
#include "compiler/kernel/visit.hpp"

namespace loam {

namespace {

class Planner {
 public:
  Planner(const Program& program, const Symbols& symbols) : program_(program), symbols_(symbols) {
    plan_.placements.resize(program.tensors.size());
    root_.resize(program.tensors.size());
    for (TensorId t = 0; t < root_.size(); ++t) root_[t] = t;
    find_roots(program.body);
  }

  Plan run() {
    // A dense activation that forward returns as it is lies where the caller takes it over.
    for (const TensorId t : program_.outputs)
      if (t != no_tensor && root_[t] == t && program_.tensors[t].kind == VirtualTensor::Kind::activation && !given_.contains(t))
        plan_.placements[t].kind = Placement::Kind::output;
    place(program_.body);
    return std::move(plan_);
  }

 private:
  void find_roots(const Block& block) {
    for (const Step& step : block.steps) {
      if (const auto* view = std::get_if<ViewStep>(&step.what)) {
        root_[view->out] = root_[view->in];
        views_[view->out] = view;
      }
      if (const auto* branch = std::get_if<BranchStep>(&step.what)) {
        find_roots(*branch->then);
        find_roots(*branch->otherwise);
        given_.insert(branch->outputs.begin(), branch->outputs.end());
      }
      if (const auto* loop = std::get_if<LoopStep>(&step.what)) {
        find_roots(*loop->body);
        for (const LoopStep::Carried& c : loop->carried) {
          given_.insert(c.in);
          if (c.final != no_tensor) given_.insert(c.final);
        }
        for (const LoopStep::Gathered& g : loop->gathered) given_.insert(g.out);
      }
    }
  }

  void place(const Block& block) {
    // The last step that reads each root. A view that a branch's output aliases keeps its root alive through it.
    std::map<TensorId, std::size_t> last;
    std::map<TensorId, std::set<TensorId>> sources;  // of a branch's output: the roots it may be
    for (std::size_t i = 0; i < block.steps.size(); ++i) {
      visit_reads(block.steps[i], [&](TensorId t) {
        last[root_[t]] = i;
        if (const auto it = sources.find(root_[t]); it != sources.end())
          for (const TensorId s : it->second) last[s] = i;
      });
      if (const auto* loop = std::get_if<LoopStep>(&block.steps[i].what))
        for (const LoopStep::Carried& c : loop->carried)
          if (c.final != no_tensor) sources[c.final].insert(root_[c.initial]);
      if (const auto* branch = std::get_if<BranchStep>(&block.steps[i].what))
        for (std::size_t k = 0; k < branch->outputs.size(); ++k)
          for (const auto& inner : {branch->then, branch->otherwise})
            sources[branch->outputs[k]].insert(root_[inner->outputs[k]]);
    }
    for (const TensorId t : block.outputs) {
      if (t == no_tensor) continue;
      last[root_[t]] = block.steps.size();
      if (const auto it = sources.find(root_[t]); it != sources.end())
        for (const TensorId s : it->second) last[s] = block.steps.size();
    }

    BlockPlan& block_plan = plan_.blocks[&block];
    block_plan.segments.push_back({next_segment_++, 0});
    for (std::size_t i = 0; i < block.steps.size(); ++i) {
      const Step& step = block.steps[i];
      // A tensor is given its place where it is first written, or first viewed to be written in parts.
      std::vector<TensorId> written;
      if (const auto* call = std::get_if<Call>(&step.what)) written = call->outputs;
      if (const auto* view = std::get_if<ViewStep>(&step.what)) written = {view->in};
      if (const auto* loop = std::get_if<LoopStep>(&step.what)) written = loop->joined;
      for (const TensorId t : written) {
        if (t == no_tensor) continue;
        const TensorId root = root_[t];
        Placement& placement = plan_.placements[root];
        if (given_.contains(root) || program_.tensors[root].kind != VirtualTensor::Kind::activation) continue;
        if (placement.kind != Placement::Kind::elsewhere) continue;
        Segment& segment = block_plan.segments.back();
        const std::size_t until = last.contains(root) ? last[root] : i;
        placement = {Placement::Kind::slot, segment.number};
        if (const auto operand = updated_in_place(step, t, segment, last, i)) {
          placement.piece = plan_.placements[*operand].piece;
          segment.pieces[placement.piece].end = until;
        } else {
          placement.piece = segment.pieces.size();
          segment.pieces.push_back({i, until, bytes(root)});
        }
        placed_[segment.number].push_back(root);
      }
      if (const auto* branch = std::get_if<BranchStep>(&step.what)) {
        place(*branch->then);
        place(*branch->otherwise);
      }
      if (const auto* loop = std::get_if<LoopStep>(&step.what)) {
        plan_.loops[loop] = next_segment_;
        next_segment_ += 2 * static_cast<int>(loop->carried.size() + loop->gathered.size());
        place(*loop->body);
      }
      if (binds(step)) block_plan.segments.push_back({next_segment_++, i + 1});
    }
    for (Segment& segment : block_plan.segments) {
      segment.slots = pack(segment.pieces, symbols_);
      for (const TensorId t : placed_[segment.number]) {
        Placement& placement = plan_.placements[t];
        placement.slot = segment.pieces[placement.piece].slot;
        placement.offset = segment.pieces[placement.piece].offset;
      }
    }
  }

  // The operand whose place a map's result takes: one that nothing reads later, element by element in the same order.
  std::optional<TensorId> updated_in_place(const Step& step, TensorId out, const Segment& segment, const std::map<TensorId, std::size_t>& last,
                                           std::size_t now) const {
    const auto* call = std::get_if<Call>(&step.what);
    if (!call || call->kernel != "map" || root_[out] != out) return std::nullopt;
    for (const OperandRef& operand : call->inputs) {
      const auto* t = std::get_if<TensorId>(&operand);
      if (!t || *t == no_tensor) continue;
      const TensorId root = root_[*t];
      const Placement& placement = plan_.placements[root];
      if (placement.kind != Placement::Kind::slot || placement.segment != segment.number || last.at(root) != now) continue;
      if (program_.tensors[root].dtype != program_.tensors[out].dtype || bytes(root) != bytes(out)) continue;
      if (segment.pieces[placement.piece].end != now) continue;  // another result has its place already
      const bool only_in_order = std::ranges::all_of(call->inputs, [&](const OperandRef& other) {
        const auto* o = std::get_if<TensorId>(&other);
        return !o || *o == no_tensor || root_[*o] != root || (in_order(*o) && extents(*o) == extents(out));
      });
      if (only_in_order) return root;
    }
    return std::nullopt;
  }

  // Whether a tensor's elements lie in its root's order.
  bool in_order(TensorId t) const {
    for (auto view = views_.find(t); view != views_.end(); view = views_.find(t)) {
      const ViewStep& step = *view->second;
      if (step.kind != ViewStep::Kind::reshape && step.kind != ViewStep::Kind::units && step.kind != ViewStep::Kind::relabel) return false;
      t = step.in;
    }
    return true;
  }

  static bool binds(const Step& step) {
    if (std::holds_alternative<BindStep>(step.what)) return true;
    const auto* branch = std::get_if<BranchStep>(&step.what);
    if (const auto* loop = std::get_if<LoopStep>(&step.what)) return !loop->final_lengths.empty() || !loop->part_lengths.empty() || loop->count.has_value();
    return branch && !branch->symbols.empty();
  }

  std::vector<Polynomial> extents(TensorId t) const { return extents_of(program_.tensors[t], symbols_); }
  Polynomial bytes(TensorId t) const { return bytes_of(program_.tensors[t], symbols_); }

  const Program& program_;
  const Symbols& symbols_;
  Plan plan_;
  std::vector<TensorId> root_;
  std::set<TensorId> given_;
  std::map<TensorId, const ViewStep*> views_;                // by what they give
  std::map<int, std::vector<TensorId>> placed_;              // by segment
  int next_segment_ = 0;
};

}  // namespace

Plan plan(const Program& program, const Symbols& symbols) { return Planner(program, symbols).run(); }

}  // namespace loam
