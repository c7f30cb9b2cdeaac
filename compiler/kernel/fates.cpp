#include "compiler/kernel/fates.hpp"

#include <algorithm>

#include "compiler/kernel/visit.hpp"

namespace loam {

namespace {

constexpr std::size_t most_readers = 4;   // that a tensor's reasons name
constexpr std::size_t most_elements = 8;  // that a known value is spelled with

bool computes(const Step& step) {
  return std::holds_alternative<Call>(step.what) || std::holds_alternative<BranchStep>(step.what) ||
         std::holds_alternative<LoopStep>(step.what);
}

}  // namespace

Lowered::Lowered(const Program& program) {
  visit_steps(program.body, [&](const Step& step) {
    if (computes(step)) computed.insert(step.node);
    if (const auto* view = std::get_if<ViewStep>(&step.what)) views[step.node].insert(view->kind);
  });
}

Fates::Fates(const TypedGraph& graph, const Lowered& lowered, const Program& program, const Measure& measure)
    : graph_(graph), lowered_(lowered), program_(program), measure_(measure) {
  find_reached(graph.body);
  visit_steps(program.body, [&](const Step& step) {
    if (computes(step)) steps_[step.node].push_back(&step);
  });
  for (const Fusion& f : lowered.fusions) fusions_[f.from].push_back(&f);
  find_readers();
}

void Fates::find_reached(const TypedBlock& block) {
  for (const TypedNode& node : block.nodes) {
    if (!node.reached) continue;  // nor is anything within it
    reached_.insert(node.node);
    for (const TypedBlock& inner : node.blocks) find_reached(inner);
  }
}

void Fates::find_readers() {
  const auto read = [&](TensorId t, const Step& step) {
    if (t == no_tensor) return;
    std::vector<const Step*>& list = readers_[measure_.root(t)];
    if (std::ranges::find(list, &step) == list.end()) list.push_back(&step);
  };
  visit_steps(program_.body, [&](const Step& step) {
    if (const auto* call = std::get_if<Call>(&step.what)) {
      for (const OperandRef& o : call->inputs)
        if (const auto* t = std::get_if<TensorId>(&o)) read(*t, step);
    } else if (const auto* bind = std::get_if<BindStep>(&step.what)) {
      read(bind->from, step);
    } else if (const auto* branch = std::get_if<BranchStep>(&step.what)) {
      read(branch->condition, step);
      for (const auto& block : {branch->then, branch->otherwise})
        for (const TensorId t : block->outputs) read(t, step);
    } else if (const auto* loop = std::get_if<LoopStep>(&step.what)) {
      for (const TensorId t : {loop->trip_tensor, loop->condition, loop->go_on}) read(t, step);
      for (const LoopStep::Carried& c : loop->carried) {
        read(c.initial, step);
        read(c.out, step);
      }
      for (const LoopStep::Gathered& g : loop->gathered) read(g.part, step);
    }
  });
  for (const TensorId t : program_.outputs)
    if (t != no_tensor) returned_.insert(measure_.root(t));
}

// The node whose kernels compute what the node did.
const Node* Fates::host(const Node* node, std::set<const Node*>& seen) const {
  const auto found = fusions_.find(node);
  if (found == fusions_.end() || !seen.insert(node).second) return nullptr;
  for (const Fusion* f : found->second) {
    const bool joined = f->kind == Fusion::Kind::joined || f->kind == Fusion::Kind::twin;
    if (!joined || !f->declined.empty() || f->into == node) continue;
    if (steps_.contains(f->into)) return f->into;
    if (const Node* at = host(f->into, seen)) return at;
    if (std::ranges::any_of(lowered_.prepared,
                            [&](const Preparation& p) { return p.node == f->into && p.form.empty(); }))
      return f->into;
  }
  return nullptr;
}

Fate Fates::not_run(const TypedNode& node) const {
  Fate fate{.name = "unread", .details = {}};
  for (const ValueId id : node.outputs) {
    if (id == no_value || !graph_.values[id].known) continue;
    const Known& known = *graph_.values[id].known;
    fate.name = "folded";
    std::string elements;
    if (known.elements.size() <= most_elements)
      for (const Scalar& s : known.elements) {
        const auto* p = std::get_if<Polynomial>(&s);
        elements += (elements.empty() ? "" : ", ") + (p ? text(*p) : cpp_literal(std::get<double>(s), DType::float64));
      }
    else
      elements = std::to_string(known.elements.size()) + " elements";
    fate.details.push_back("the build knows " + graph_.values[id].name + ": [" + elements + "]");
  }
  if (fate.details.empty()) fate.details.push_back("nothing that runs reads it");
  return fate;
}

// Why what the node's kernels write is written, and not handed on within one kernel.
void Fates::say_why_apart(const Node* node, Fate& fate) const {
  const auto say = [&](std::string reason) {
    if (std::ranges::find(fate.details, reason) == fate.details.end()) fate.details.push_back(std::move(reason));
  };
  for (const Step* step : steps_.at(node)) {
    const auto* call = std::get_if<Call>(&step->what);
    if (!call) {
      say(std::holds_alternative<BranchStep>(step->what) ? "one of its blocks runs" : "its block runs each turn");
      continue;
    }
    for (const TensorId t : call->outputs) {
      if (t == no_tensor) continue;
      const TensorId root = measure_.root(t);
      const std::string& name = program_.tensors[root].name;
      if (returned_.contains(root)) say(name + " is returned");
      if (program_.tensors[root].kind == VirtualTensor::Kind::cached)
        say(name + " is written into the cache, after what lies there");
      const auto fusions = fusions_.find(node);
      bool said = false;
      if (fusions != fusions_.end())
        for (const Fusion* f : fusions->second) {
          if (f->declined.empty() || f->tensor != name) continue;
          say(name + " is made for " + f->into->site() + ": " + f->declined);
          said = true;
        }
      const auto found = readers_.find(root);
      if (said || found == readers_.end()) continue;
      const std::vector<const Step*>& readers = found->second;
      for (std::size_t i = 0; i < std::min(readers.size(), most_readers); ++i) {
        const auto* reader = std::get_if<Call>(&readers[i]->what);
        const std::string made = name + " is made for " + readers[i]->site + ": ";
        if (!lowered_.fuse)
          say(made + "--no-fuse");
        else if (!reader)
          say(made + "what decides the run's course reads it");
        else
          say(made + "no kernel is " + call->kernel + " and " + reader->kernel + " at once");
      }
      if (readers.size() > most_readers)
        say(name + " has " + std::to_string(readers.size() - most_readers) + " more readers");
    }
  }
}

Fate Fates::of(const TypedNode& typed) const {
  const Node* const node = typed.node;
  if (!reached(node)) return not_run(typed);
  Fate fate;
  if (const auto found = fusions_.find(node); found != fusions_.end())
    for (const Fusion* f : found->second) {
      if (!f->declined.empty()) continue;
      if (f->kind != Fusion::Kind::slice) fate.saved = fate.saved + f->bytes;
      const std::string bytes = text(f->bytes) + " bytes are not written";
      if (f->kind == Fusion::Kind::copy)
        fate.details.push_back(f->tensor + " is read where it lies, not copied: " + bytes);
      else if (f->kind == Fusion::Kind::twin)
        fate.details.push_back(f->tensor + " is what " + f->into->site() + " computes, and " + bytes + " again");
      else if (f->kind == Fusion::Kind::slice)
        fate.details.push_back("of " + f->tensor + " only what " + f->into->site() + " keeps is computed: " + bytes);
      else
        fate.details.push_back(f->tensor + " goes into " + f->into->site() + " and " + bytes);
    }
  for (const Fusion& f : lowered_.fusions)
    if (f.into == node && f.kind == Fusion::Kind::slice) fate.saved = fate.saved + f.bytes;  // the slice's merit
  const auto is_computed = [&](const Preparation& p) { return p.node == node && p.form.empty(); };
  const bool copies = std::ranges::any_of(
      lowered_.fusions, [&](const Fusion& f) { return f.from == node && f.kind == Fusion::Kind::copy; });
  const auto sliced = [&]() -> const Fusion* {
    for (const Fusion& f : lowered_.fusions)
      if (f.into == node && f.kind == Fusion::Kind::slice && steps_.contains(f.from)) return &f;
    return nullptr;
  };
  std::set<const Node*> seen;
  if (steps_.contains(node)) {
    fate.name = "computed";
    say_why_apart(node, fate);
  } else if (std::ranges::any_of(lowered_.prepared, is_computed)) {
    fate.name = "prepared";
  } else if ((fate.into = host(node, seen))) {
    fate.name = "fused";
  } else if (const Fusion* pushed = sliced()) {
    fate.name = "fused";
    fate.into = pushed->from;
    fate.details.push_back("is taken before " + pushed->from->site() + ", which computes no more than it keeps");
  } else if (lowered_.computed.contains(node) && !copies) {
    fate.name = "fused";  // into what no Fusion says
  } else if (const auto views = lowered_.views.find(node); views != lowered_.views.end()) {
    static constexpr std::string_view words[] = {"reshaped", "transposed", "with axes of one element",
                                                 "sliced",   "expanded",   "under other axes' names"};
    fate.name = "aliased";
    std::string how;
    for (const ViewStep::Kind kind : views->second)
      how += (how.empty() ? "" : ", ") + std::string(words[static_cast<std::size_t>(kind)]);
    fate.details.push_back(
        "is " +
        (typed.inputs.empty() || typed.inputs[0] == no_value ? "what is there" : graph_.values[typed.inputs[0]].name) +
        " where it lies: " + how);
  } else if (typed.inputs.empty()) {
    fate.name = "folded";
    fate.details.push_back("a constant of the module");
  } else {
    fate.name = "aliased";
    fate.details.push_back("is what it is given, as it is");
  }
  for (const Preparation& p : lowered_.prepared)
    if (p.node == node)
      fate.details.push_back(
          p.tensor + (p.form.empty() ? " is computed once, of weights alone" : " is packed once, as " + p.form));
  return fate;
}

}  // namespace loam
