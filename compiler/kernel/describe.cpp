#include "compiler/kernel/describe.hpp"

#include <algorithm>

#include "compiler/kernel/tensor_size.hpp"
#include "compiler/kernel/visit.hpp"

namespace loam {

namespace {

class Describer {
 public:
  Describer(const TypedGraph& graph, const Program& program, const Plan& plan, Report& report)
      : graph_(graph), program_(program), plan_(plan), report_(report) {}

  void nodes(const TypedBlock& block, const std::set<std::string>& lowered, const std::vector<Fusion>& fusions,
             const std::vector<Preparation>& prepared) {
    const std::set<std::string> called = sites_of_calls(program_);
    for (const TypedNode& node : block.nodes) {
      Report::Node described{node.node->name, node.node->site(), {}, {}};
      const auto is_computed = [&](const Preparation& p) { return p.site == described.site && p.form.empty(); };
      described.fate = !node.reached                         ? "folded"
                       : called.contains(described.site)     ? "computed"
                       : std::ranges::any_of(prepared, is_computed) ? "prepared"
                       : lowered.contains(described.site)    ? "fused"
                                                             : "aliased";
      for (const Fusion& f : fusions) {
        if (f.from != described.site) continue;
        if (f.declined.empty()) described.details.push_back(f.tensor + " goes into " + f.into + " and " + text(f.bytes) + " bytes are not written");
        else described.details.push_back(f.tensor + " is made for " + f.into + ": " + f.declined);
      }
      for (const Preparation& p : prepared)
        if (p.site == described.site)
          described.details.push_back(p.tensor + (p.form.empty() ? " is computed once, of weights alone" : " is packed once, as " + p.form));
      report_.nodes.push_back(std::move(described));
      for (const TypedBlock& inner : node.blocks) nodes(inner, lowered, fusions, prepared);
    }
  }

  void calls() {
    visit_steps(program_.body, [&](const Step& step) {
      const auto* call = std::get_if<Call>(&step.what);
      if (!call) return;
      ++report_.kernels[call->kernel];
      report_.calls.push_back({call->kernel, step.site, text(bytes_moved(*call)), text(operations(*call))});
    });
  }

  void memory(const Block& block) {
    for (const Segment& segment : plan_.blocks.at(&block).segments) {
      Report::Arena arena{segment.number, {}};
      for (const Slot& slot : segment.slots) {
        std::string sizes;
        double size = 0;
        for (const Polynomial& bytes : slot.bytes) {
          sizes += (sizes.empty() ? "" : ", ") + text(bytes);
          size = std::max(size, typical(graph_.symbols, bytes));
        }
        arena.slots.push_back(slot.bytes.size() > 1 ? "max(" + sizes + ")" : sizes);
        arena.typical += size;
      }
      arena.typical_live = most_alive(segment.pieces);
      for (std::size_t k = 0; k < segment.pieces.size(); ++k) report_.buffers.push_back(buffer(segment, k, block));
      if (!segment.slots.empty()) report_.arenas.push_back(std::move(arena));
    }
    for (const Step& step : block.steps) {
      if (const auto* branch = std::get_if<BranchStep>(&step.what)) {
        memory(*branch->then);
        memory(*branch->otherwise);
      } else if (const auto* loop = std::get_if<LoopStep>(&step.what)) {
        memory(*loop->body);
      }
    }
  }

 private:
  std::string text(const Polynomial& p) const { return graph_.symbols.text(graph_.symbols.simplify(p)); }

  Polynomial extent(TensorId t, std::size_t axis) const { return graph_.symbols.simplify(program_.tensors[t].axes[axis].extent()); }
  Polynomial elements(TensorId t, std::size_t first = 0) const { return elements_of(program_.tensors[t], graph_.symbols, first); }
  static const TensorId* operand(const Call& call, std::size_t k) {
    const auto* t = k < call.inputs.size() ? std::get_if<TensorId>(&call.inputs[k]) : nullptr;
    return t && *t != no_tensor ? t : nullptr;
  }

  Polynomial bytes_moved(const Call& call) const {
    Polynomial n = 0;
    const auto add = [&](TensorId t) { n = n + bytes_of(program_.tensors[t], graph_.symbols); };
    for (const TensorId t : call.outputs)
      if (t != no_tensor) add(t);
    for (std::size_t k = 0; k < call.inputs.size(); ++k)
      if (const TensorId* t = operand(call, k)) add(*t);
    return n;
  }

  // Additions, multiplications and functions, each one operation; of kernels that have no row here, one for each element
  // of their largest operand or result.
  Polynomial operations(const Call& call) const {
    const Polynomial results = call.outputs.empty() || call.outputs[0] == no_tensor ? Polynomial(0) : elements(call.outputs[0]);
    Polynomial n = 0;
    const TensorId *a = operand(call, 0), *w = operand(call, 1);
    // Attention's expressions are of scores, as many as there are rows of results times keys.
    const bool attends = call.folder == "attend" && a && w;
    Polynomial places = results;
    if (attends) {
      places = extent(*w, program_.tensors[*w].axes.size() - 1);
      for (std::size_t k = 0; k + 1 < program_.tensors[call.outputs[0]].axes.size(); ++k) places = places * extent(call.outputs[0], k);
    }
    for (const Argument& argument : call.arguments)
      if (const auto* e = std::get_if<Expression>(&argument))
        n = n + places * Polynomial(std::ranges::count(e->steps(), Expression::Step::Kind::apply, &Expression::Step::kind));
    if (call.folder == "map") return n;
    if (attends) {
      const Polynomial depth = extent(*a, program_.tensors[*a].axes.size() - 1), width = extent(call.outputs[0], program_.tensors[call.outputs[0]].axes.size() - 1);
      return n + places * (depth + width) * Polynomial(2) + places * Polynomial(5);
    }
    if (call.folder.starts_with("matmul") && a && w && !program_.tensors[*a].axes.empty()) {
      Polynomial depth = extent(*a, program_.tensors[*a].axes.size() - 1);
      if (depth.is(1) && !program_.tensors[*w].axes.empty()) depth = extent(*w, std::max<std::size_t>(2, program_.tensors[*w].axes.size()) - 2);
      return n + results * depth * Polynomial(2);
    }
    if (call.folder.starts_with("conv") && call.folder != "conv_transpose" && w) return n + results * elements(*w, 1) * Polynomial(2);
    if (call.folder == "softmax") return results * Polynomial(5);     // greatest, difference, exponential, sum, scale
    if (call.folder == "layer_norm") return results * Polynomial(8);  // sum; difference, square, sum; difference, three
    if (call.folder == "rms_norm") return results * Polynomial(4);    // square, sum, two factors
    Polynomial most = results;
    for (std::size_t k = 0; k < call.inputs.size(); ++k)
      if (const TensorId* t = operand(call, k); t && typical(graph_.symbols, elements(*t)) > typical(graph_.symbols, most)) most = elements(*t);
    return most;
  }

  double most_alive(const std::vector<Piece>& pieces) const {
    double most = 0;
    for (const Piece& start : pieces) {
      double alive = 0;
      for (const Piece& piece : pieces)
        if (piece.begin <= start.begin && start.begin <= piece.end) alive += typical(graph_.symbols, piece.bytes);
      most = std::max(most, alive);
    }
    return most;
  }

  Report::Buffer buffer(const Segment& segment, std::size_t k, const Block& block) const {
    const Piece& piece = segment.pieces[k];
    const auto site = [&](std::size_t step) { return step < block.steps.size() ? block.steps[step].site : "the end of the block"; };
    Report::Buffer described{segment.number, std::to_string(piece.slot), text(piece.offset), text(piece.bytes), {}, site(piece.begin), site(piece.end)};
    for (TensorId t = 0; t < plan_.placements.size(); ++t) {
      const Placement& placement = plan_.placements[t];
      if (placement.kind == Placement::Kind::slot && placement.segment == segment.number && placement.piece == k)
        described.tensors.push_back(program_.tensors[t].name);
    }
    return described;
  }

  const TypedGraph& graph_;
  const Program& program_;
  const Plan& plan_;
  Report& report_;
};

}  // namespace

std::set<std::string> sites_of_calls(const Program& program) {
  std::set<std::string> sites;
  visit_steps(program.body, [&](const Step& step) {
    if (!std::holds_alternative<ViewStep>(step.what)) sites.insert(step.site);
  });
  return sites;
}

void describe(const TypedGraph& graph, const std::set<std::string>& lowered, const std::vector<Fusion>& fusions,
              const std::vector<Preparation>& prepared, const Program& program, const Plan& plan, Report& report) {
  Describer describer(graph, program, plan, report);
  describer.nodes(graph.body, lowered, fusions, prepared);
  describer.calls();
  describer.memory(program.body);
}

}  // namespace loam
