#include "compiler/kernel/describe.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/kernel/measure.hpp"

namespace loam {

namespace {

class Describer {
 public:
  Describer(const TypedGraph& graph, const Lowered& lowered, const Program& program, const Plan& plan, Report& report)
      : graph_(graph),
        program_(program),
        plan_(plan),
        report_(report),
        measure_(program, graph.symbols),
        fates_(graph, lowered, program, measure_) {
    for (TensorId t = 0; t < program.tensors.size(); ++t)
      if (const Placement& p = plan.placements[t]; p.kind == Placement::Kind::slot)
        placed_[{p.segment, p.piece}].push_back(t);
  }

  // ---- Nodes and tensors ----

  void nodes(const std::vector<Node>& cut) {
    report_.blocks.push_back({graph_.body.graph->name, std::nullopt});
    block(graph_.body, 0);
    for (const Node& node : cut) missing(node, 0, "unread", "no output that is asked for reads it");
    for (std::size_t k = 0; k < graph_.body.outputs.size(); ++k)
      report_.tensors[tensor(graph_.body.outputs[k])].returned = true;
    for (const auto& [node, into] : into_) report_.nodes[node].into = number(into);
    for (const ValueId id : graph_.body.inputs) tensor(id);
  }

  void calls(const Block& block, std::string where) {
    const std::size_t place = report_.totals.size();
    report_.totals.push_back({std::move(where), 0, {}, {}, {}});
    Polynomial read = 0, written = 0, operations = 0;
    for (const Step& step : block.steps) {
      first_call_[&step] = report_.calls.size();
      if (const auto* call = std::get_if<Call>(&step.what)) {
        const Polynomial r = measure_.read(*call), w = measure_.written(*call), n = measure_.operations(*call);
        const auto node = number(step.node);
        if (node) report_.nodes[*node].calls.push_back(report_.calls.size());
        report_.calls.push_back({call->kernel, step.site, node, text(r + w), text(n), text(r), text(w)});
        ++report_.kernels[call->kernel];
        ++report_.totals[place].calls;
        read = read + r;
        written = written + w;
        operations = operations + n;
      } else if (const auto* branch = std::get_if<BranchStep>(&step.what)) {
        calls(*branch->then, step.site + ", then");
        calls(*branch->otherwise, step.site + ", else");
      } else if (const auto* loop = std::get_if<LoopStep>(&step.what)) {
        calls(*loop->body, step.site + ", each turn");
      }
    }
    Report::Total& total = report_.totals[place];
    total.bytes = text(read + written);
    total.written = text(written);
    total.operations = text(operations);
    first_call_[&block] = report_.calls.size();
  }

  void saved(const std::vector<Fusion>& fusions) {
    Polynomial bytes = 0;
    for (const Fusion& f : fusions)
      if (f.declined.empty()) bytes = bytes + f.bytes;
    report_.saved = text(bytes);
  }

  void weights() {
    Polynomial loaded = 0, prepared = 0;
    for (const TensorId t : program_.weights) loaded = loaded + measure_.bytes(t);
    for (TensorId t = 0; t < program_.tensors.size(); ++t) {
      if (program_.tensors[t].kind != VirtualTensor::Kind::prepared || measure_.root(t) != t) continue;
      ++report_.prepared.count;
      prepared = prepared + measure_.bytes(t);
    }
    report_.weights = {program_.weights.size(), text(loaded)};
    report_.prepared.bytes = text(prepared);
  }

  void owed(const TypedBlock& block) {
    for (const Condition& c : block.owed) {
      const auto node = std::ranges::find(report_.nodes, c.site, &Report::Node::site);
      report_.owed.push_back({graph_.symbols.text(c.slack) + " >= 0", c.site, c.reason, std::nullopt});
      if (node != report_.nodes.end())
        report_.owed.back().node = static_cast<std::size_t>(node - report_.nodes.begin());
    }
    for (const TypedNode& node : block.nodes)
      for (const TypedBlock& inner : node.blocks) owed(inner);
  }

  // ---- Memory ----

  void memory(const Block& block) {
    for (const Segment& segment : plan_.blocks.at(&block).segments) {
      Report::Arena arena{segment.number, {}};
      for (const Slot& slot : segment.slots) {
        double size = 0;
        arena.slots.emplace_back();
        for (const Polynomial& bytes : slot.bytes) {
          arena.slots.back().push_back(text(bytes));
          size = std::max(size, size_at_100(graph_.symbols, bytes));
        }
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
        handed_on(*loop, step);
        memory(*loop->body);
      }
    }
  }

 private:
  std::string text(const Polynomial& p) {
    const Polynomial size = graph_.symbols.simplify(p);
    std::string spelled = graph_.symbols.text(size);
    // Nested beyond what is spelled, two sizes may read alike: then neither is remembered.
    if (!size.overflowed() && spelled.find("derived_") == std::string::npos) report_.sizes.emplace(spelled, size);
    return spelled;
  }

  std::optional<std::size_t> number(const Node* node) const {
    const auto found = numbers_.find(node);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

  std::string type(const TypedValue& value) const {
    if (value.structure) return value.structure->kind == Structure::Kind::sequence ? "sequence" : "optional";
    if (!value.type) return {};
    std::string axes;
    for (const Axis& axis : value.type->axes) {
      const std::string extent = graph_.symbols.text(graph_.symbols.simplify(axis.extent()));
      std::string name;
      for (const std::string& word : graph_.axes.spelled(axis))
        name += (name.empty() || word.empty() ? "" : " ") + word;
      if (name.find(' ') != std::string::npos) name = "(" + name + ")";
      axes += (axes.empty() ? "" : ", ") + (name.empty() ? extent : name == extent ? name : name + " = " + extent);
    }
    return std::string(dtype_name(value.type->dtype)) + "[" + axes + "]";
  }

  std::size_t tensor(ValueId id) {
    const auto [it, is_new] = tensors_.try_emplace(id, report_.tensors.size());
    if (!is_new) return it->second;
    const TypedValue& value = graph_.values[id];
    using Origin = TypedValue::Origin;
    const char* origin = value.origin == Origin::input         ? "input"
                         : value.origin == Origin::initializer ? (value.known ? "constant" : "weight")
                                                               : "turn";
    report_.tensors.push_back({value.name, type(value), origin, std::nullopt, false});
    return it->second;
  }

  void block(const TypedBlock& block, std::size_t place) {
    for (const TypedNode& typed : block.nodes) {
      const auto [it, is_new] = numbers_.try_emplace(typed.node, report_.nodes.size());
      if (is_new) add(typed, place);
      for (const ValueId id : typed.outputs) {
        if (id == no_value) continue;
        const std::size_t t = tensor(id);
        report_.tensors[t].origin = "node";
        report_.tensors[t].node = it->second;
        if (is_new) report_.nodes[it->second].outputs.push_back(t);
      }
      inner_blocks(typed, it->second, is_new);
    }
  }

  void add(const TypedNode& typed, std::size_t place) {
    Fate fate = fates_.of(typed);
    if (fate.into) into_.emplace_back(report_.nodes.size(), fate.into);
    const Node& node = *typed.node;
    report_.nodes.push_back({node.name,
                             node.site(),
                             operator_name(node),
                             std::move(fate.name),
                             std::move(fate.details),
                             std::nullopt,
                             fate.saved.is(0) ? "" : text(fate.saved),
                             place,
                             {},
                             {},
                             {}});
    for (const ValueId id : typed.inputs)
      if (id != no_value) report_.nodes.back().inputs.push_back(tensor(id));
  }

  static std::string operator_name(const Node& node) {
    return node.domain.empty() ? node.op_type : node.domain + "." + node.op_type;
  }

  // The blocks of a node, and of its subgraphs those that the build left out.
  void inner_blocks(const TypedNode& typed, std::size_t number, bool is_new) {
    std::size_t place = report_.blocks.size();
    for (const Attribute& a : typed.node->attributes) {
      const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&a.value);
      if (!graph) continue;
      if (is_new) report_.blocks.push_back({a.name, number});
      bool there = false;
      for (const TypedBlock& inner : typed.blocks) {
        if (inner.graph != graph->get()) continue;
        there = true;
        block(inner, is_new ? place : 0);
      }
      if (!there && is_new)
        for (const Node& node : (*graph)->nodes)
          missing(node, place, report_.nodes[number].fate == "folded" ? "folded" : "unread",
                  report_.nodes[number].fate == "folded" ? "the build knows what it is part of" : "no run comes here");
      place = report_.blocks.size();
    }
  }

  // A node that stage 0 did not read, and those within it.
  void missing(const Node& node, std::size_t place, const std::string& fate, const std::string& why) {
    if (!numbers_.try_emplace(&node, report_.nodes.size()).second) return;
    report_.nodes.push_back(
        {node.name, node.site(), operator_name(node), fate, {why}, std::nullopt, {}, place, {}, {}, {}});
    const std::size_t number = report_.nodes.size() - 1;
    for (const Attribute& a : node.attributes)
      if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&a.value)) {
        const std::size_t inside = report_.blocks.size();
        report_.blocks.push_back({a.name, number});
        for (const Node& inner : (*graph)->nodes) missing(inner, inside, fate, why);
      }
  }

  double most_alive(const std::vector<Piece>& pieces) const {
    double most = 0;
    for (const Piece& start : pieces) {
      double alive = 0;
      for (const Piece& piece : pieces)
        if (piece.begin <= start.begin && start.begin <= piece.end) alive += size_at_100(graph_.symbols, piece.bytes);
      most = std::max(most, alive);
    }
    return most;
  }

  // The calls before a step of the block; past its end those of the whole block.
  std::size_t calls_before(const Block& block, std::size_t step) const {
    return first_call_.at(step < block.steps.size() ? static_cast<const void*>(&block.steps[step]) : &block);
  }

  Report::Buffer buffer(const Segment& segment, std::size_t k, const Block& block) {
    const Piece& piece = segment.pieces[k];
    const auto site = [&](std::size_t step) {
      return step < block.steps.size() ? block.steps[step].site : "the end of the block";
    };
    const std::size_t first = calls_before(block, piece.begin);
    Report::Buffer described{segment.number,
                             piece.slot,
                             text(piece.offset),
                             text(piece.bytes),
                             {},
                             site(piece.begin),
                             site(piece.end),
                             first,
                             std::max(first + 1, calls_before(block, std::min(piece.end + 1, block.steps.size()))) - 1};
    for (const TensorId t : placed_[{segment.number, k}]) described.tensors.push_back(program_.tensors[t].name);
    return described;
  }

  // What a loop hands from one turn to the next lies in two buffers in turn; what it gathers grows from one into
  // another.
  void handed_on(const LoopStep& loop, const Step& step) {
    int arena = plan_.loops.at(&loop);
    const std::size_t first = first_call_.at(&step), last = std::max(first + 1, first_call_.at(loop.body.get())) - 1;
    const auto two = [&](TensorId t) {
      const std::string bytes = text(measure_.bytes(t));
      for (int k = 0; k < 2; ++k, ++arena) {
        const double size = size_at_100(graph_.symbols, measure_.bytes(t));
        report_.arenas.push_back({arena, {{bytes}}, size, size});
        report_.buffers.push_back(
            {arena, 0, "0", bytes, {program_.tensors[t].name}, step.site, step.site, first, last});
      }
    };
    for (const LoopStep::Carried& c : loop.carried) two(c.in);
    for (const LoopStep::Gathered& g : loop.gathered) two(g.out);
  }

  const TypedGraph& graph_;
  const Program& program_;
  const Plan& plan_;
  Report& report_;
  Measure measure_;
  Fates fates_;
  std::map<const Node*, std::size_t> numbers_;
  std::map<ValueId, std::size_t> tensors_;
  std::vector<std::pair<std::size_t, const Node*>> into_;                // until all are numbered
  std::map<const void*, std::size_t> first_call_;                        // of a step; of a block the call after it
  std::map<std::pair<int, std::size_t>, std::vector<TensorId>> placed_;  // by segment and piece
};

}  // namespace

void describe(const TypedGraph& graph, const std::vector<Node>& cut, const Lowered& lowered, const Program& program,
              const Plan& plan, Report& report) {
  Describer describer(graph, lowered, program, plan, report);
  describer.nodes(cut);
  describer.calls(program.body, "");
  describer.saved(lowered.fusions);
  describer.weights();
  describer.owed(graph.body);
  describer.memory(program.body);
  report.symbols = graph.symbols;
}

}  // namespace loam
