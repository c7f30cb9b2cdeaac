#include "compiler/kernel/plan.hpp"

#include <algorithm>
#include <set>

#include "compiler/graph/dtype.hpp"
#include "compiler/kernel/visit.hpp"
#include "compiler/shape/prover.hpp"

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
      if (const auto* view = std::get_if<ViewStep>(&step.what)) root_[view->out] = root_[view->in];
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
    const auto open_segment = [&](std::size_t step) {
      block_plan.segments.push_back({next_segment_++, step, {}});
      free_.clear();
    };
    struct Live {
      TensorId tensor;
      std::size_t until;
      int slot;
    };
    std::vector<Live> live;
    const auto outer_free = std::move(free_);
    open_segment(0);
    for (std::size_t i = 0; i < block.steps.size(); ++i) {
      std::erase_if(live, [&](const Live& l) {
        if (l.until >= i) return false;
        free_.push_back(l.slot);
        return true;
      });
      // A tensor is given its place where it is first written, or first viewed to be written in parts.
      std::vector<TensorId> written;
      if (const auto* call = std::get_if<Call>(&block.steps[i].what)) written = call->outputs;
      if (const auto* view = std::get_if<ViewStep>(&block.steps[i].what)) written = {view->in};
      if (const auto* loop = std::get_if<LoopStep>(&block.steps[i].what)) written = loop->joined;
      for (const TensorId t : written) {
        if (t == no_tensor) continue;
        const TensorId root = root_[t];
        if (given_.contains(root)) continue;
        if (program_.tensors[root].kind != VirtualTensor::Kind::activation) continue;
        if (plan_.placements[root].kind != Placement::Kind::elsewhere) continue;
        Segment& segment = block_plan.segments.back();
        const int slot = take(segment, bytes(root));
        plan_.placements[root] = {Placement::Kind::slot, segment.number, slot};
        ++plan_.activations;
        live.push_back({root, last.contains(root) ? last[root] : i, slot});
      }
      if (const auto* branch = std::get_if<BranchStep>(&block.steps[i].what)) {
        auto kept = std::move(free_);
        place(*branch->then);
        place(*branch->otherwise);
        free_ = std::move(kept);
      }
      if (const auto* loop = std::get_if<LoopStep>(&block.steps[i].what)) {
        auto kept = std::move(free_);
        plan_.loops[loop] = next_segment_;
        next_segment_ += 2 * static_cast<int>(loop->carried.size() + loop->gathered.size());
        place(*loop->body);
        free_ = std::move(kept);
      }
      if (binds(block.steps[i])) {
        live.clear();
        open_segment(i + 1);
      }
    }
    for (const Segment& segment : block_plan.segments) plan_.slots += segment.slots.size();
    free_ = outer_free;
  }

  static bool binds(const Step& step) {
    if (std::holds_alternative<BindStep>(step.what)) return true;
    const auto* branch = std::get_if<BranchStep>(&step.what);
    if (const auto* loop = std::get_if<LoopStep>(&step.what)) return !loop->final_lengths.empty() || !loop->part_lengths.empty() || loop->count.has_value();
    return branch && !branch->symbols.empty();
  }

  Polynomial bytes(TensorId t) const {
    Polynomial n = std::max(1, dtype_bits(program_.tensors[t].dtype) / 8);
    for (const Axis& axis : program_.tensors[t].axes) n = n * symbols_.simplify(axis.extent());
    return n;
  }

  // A free slot of this size, else the first that holds it, else one that it surely outgrows, else a new one.
  int take(Segment& segment, const Polynomial& size) {
    const auto use = [&](std::size_t k) {
      const int slot = free_[k];
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(k));
      return slot;
    };
    const auto slot_bytes = [&](std::size_t k) -> Polynomial& { return segment.slots[static_cast<std::size_t>(free_[k])].bytes; };
    for (std::size_t k = 0; k < free_.size(); ++k)
      if (slot_bytes(k) == size) return use(k);
    constexpr int budget = 8;  // a near miss costs memory, not correctness
    for (std::size_t k = 0; k < free_.size(); ++k)
      if (prove_nonnegative(symbols_, slot_bytes(k) - size, {}, budget) == Proof::always) return use(k);
    for (std::size_t k = 0; k < free_.size(); ++k)
      if (prove_nonnegative(symbols_, size - slot_bytes(k), {}, budget) == Proof::always) {
        slot_bytes(k) = size;
        return use(k);
      }
    segment.slots.push_back({size});
    return static_cast<int>(segment.slots.size() - 1);
  }

  const Program& program_;
  const Symbols& symbols_;
  Plan plan_;
  std::vector<TensorId> root_;
  std::set<TensorId> given_;
  std::vector<int> free_;
  int next_segment_ = 0;
};

}  // namespace

Plan plan(const Program& program, const Symbols& symbols) { return Planner(program, symbols).run(); }

}  // namespace loam
