#include "compiler/kernel/fuse.hpp"

#include <algorithm>
#include <ranges>

#include "compiler/kernel/edit.hpp"
#include "compiler/kernel/follow.hpp"
#include "compiler/kernel/fuse_attention.hpp"
#include "compiler/kernel/fuse_norms.hpp"
#include "compiler/kernel/fuse_slices.hpp"
#include "compiler/kernel/fuse_turns.hpp"
#include "compiler/kernel/fuse_twins.hpp"
#include "compiler/kernel/visit.hpp"

namespace loam {

namespace {

using Position = BlockEditor::Position;

// More operands are more pointers than a loop keeps in registers, and a longer formula is one nobody reads.
constexpr std::size_t most_operands = 8, most_steps = 64;

struct Written {
  std::set<TensorId> settled, whole;
};

class BlockFuser {
 public:
  BlockFuser(Program& program, const TypedGraph& graph, Block& block, const Written& written, std::vector<Fusion>& fusions)
      : edit_(program, graph, block), written_(written), fusions_(fusions) {}

  void run() {
    auto& steps = edit_.steps();
    for (auto at = steps.begin(); at != steps.end(); ++at) spell_numbers(at);
    for (auto at = steps.begin(); at != steps.end();) read_through_copy(at++);
    for (auto at = steps.begin(); at != steps.end(); ++at) turn_at_once(at);
    for (auto at = steps.begin(); at != steps.end();) make_norm(at++);
    // From the last map to the first: what several maps read ends up read by the one that took them all.
    for (auto at = steps.end(); at != steps.begin();) {
      --at;
      if (as_map(*at))
        while (take_a_map(at)) {}
    }
    for (auto at = steps.begin(); at != steps.end(); ++at)
      if (as_map(*at)) put_behind_product(at);
    compute_once();
    for (auto at = steps.begin(); at != steps.end(); ++at) make_attention(at);
    for (auto at = steps.begin(); at != steps.end();) push_up(at++);
    edit_.drop_unread_views();
    edit_.close();
    std::ranges::move(declined_ | std::views::values, std::back_inserter(fusions_));
  }

 private:
  bool settled(TensorId t) const { return written_.settled.contains(edit_.trace(t).from); }
  bool whole(TensorId t) const { return written_.whole.contains(edit_.trace(t).from); }
  bool settled(const OperandRef& o) const {
    const auto* t = std::get_if<TensorId>(&o);
    return !t || *t == no_tensor || settled(*t);
  }
  void note(TensorId t, Position from, Position into, std::string declined = {}, Fusion::Kind kind = Fusion::Kind::joined) {
    Fusion fusion{edit_.tensor(t).name, from->node, into->node, edit_.bytes(t), std::move(declined), kind};
    if (!fusion.declined.empty()) {
      declined_.insert_or_assign(t, std::move(fusion));
      return;
    }
    declined_.erase(t);
    fusions_.push_back(std::move(fusion));
  }

  // A map's numbers become part of its formula, where other operands are left.
  void spell_numbers(Position at) {
    const auto map = as_map(*at);
    if (!map || std::ranges::none_of(map->inputs, is_number) || std::ranges::all_of(map->inputs, is_number)) return;
    Expression expression;
    std::vector<OperandRef> operands;
    expression.result(add_to(expression, operands, map->expression, map->inputs, {}));
    Call call = std::get<Call>(at->what);
    call.arguments.front() = std::move(expression);
    call.inputs = std::move(operands);
    edit_.set_call(at, std::move(call));
  }

  // ---- A slice before what computes rows apart ----

  void push_up(Position slice) {
    for (std::optional<Position> at = slice; at;) {
      const auto* view = std::get_if<ViewStep>(&(*at)->what);
      if (!view || !whole(view->in) || !whole(view->out)) return;
      const Node* const node = (*at)->node;
      const Polynomial kept = edit_.bytes(view->out);
      const auto pushed = push_up_slice(edit_, *at);
      if (!pushed) return;
      fusions_.push_back({edit_.tensor(pushed->made).name, pushed->call->node, node, edit_.bytes(pushed->made) - kept, {}, Fusion::Kind::slice});
      at = pushed->left;
    }
  }

  // ---- A normalization spelled out ----

  void make_norm(Position at) {
    auto norm = find_norm(edit_, at);
    if (!norm || !std::ranges::all_of(norm->call.inputs, [&](const OperandRef& o) { return settled(o); })) return;
    edit_.set_call(norm->last, std::move(norm->call));
    for (const Position step : norm->steps) {
      const TensorId made = std::get<Call>(step->what).outputs[0];
      if (!edit_.readers(made).empty() || edit_.read_elsewhere(made)) continue;
      note(made, step, norm->last);
      edit_.erase(step);
    }
  }

  // ---- A copy that need not be made ----

  void read_through_copy(Position at) {
    const auto copy = as_map(*at);
    if (!copy || !is_copy(*copy)) return;
    const TensorId from = std::get<TensorId>(copy->inputs[0]), to = copy->out;
    if (edit_.tensor(from).dtype != edit_.tensor(to).dtype || !edit_.same_extents(from, to)) return;
    if (edit_.maker(to) != at || edit_.read_elsewhere(to) || !settled(from) || !whole(to)) return;
    const std::set<Step*> readers = edit_.readers(to);
    if (readers.empty()) return;
    for (const Step* step : readers) {
      const auto* view = std::get_if<ViewStep>(&step->what);
      if (!view || view->kind != ViewStep::Kind::reshape || edit_.tensor(from).dense) continue;
      if (!splits_only(edit_.extents(to), view->extents))
        return note(to, at, edit_.position(step), "axes that do not lie as one are joined, which needs them copied");
      if (!dense_where_needed(view->out)) return note(to, at, edit_.position(step), "what is viewed further must be dense");
    }
    note(to, at, edit_.position(*readers.begin()), {}, Fusion::Kind::copy);
    const TensorId named = std::get<TensorId>(edit_.named_like(at, from, edit_.tensor(to).axes));
    edit_.read_instead(to, named);
    edit_.erase(at);
    if (!edit_.tensor(named).dense) spread_strides(edit_, named);
  }

  // ---- Copies between views that are one turn of the axes ----

  void turn_at_once(Position at) {
    const auto* view = std::get_if<ViewStep>(&at->what);
    if (!view || view->kind != ViewStep::Kind::reshape) return;
    leave_out(straighten(edit_, at, passing(at)), at);
  }

  // Whether a copy that only the reader reads may be left out: what it reads is then read later.
  MayPass passing(Position reader) {
    return [this, reader](const MapCall& copy) {
      return whole(copy.out) && edit_.read_only_by(copy.out, reader) && settled(std::get<TensorId>(copy.inputs[0]));
    };
  }
  void leave_out(const std::vector<Position>& copies, Position reader) {
    for (const Position copy : copies) {
      edit_.drop_unread_views(reader);
      note(std::get<Call>(copy->what).outputs[0], copy, reader);
      edit_.erase(copy);
    }
    edit_.drop_unread_views(reader);
  }

  // Whether no reshape of a view of the tensor joins axes.
  bool dense_where_needed(TensorId t) const {
    return std::ranges::all_of(edit_.readers(t), [&](const Step* step) {
      const auto* view = std::get_if<ViewStep>(&step->what);
      if (!view) return true;
      if (view->kind == ViewStep::Kind::reshape && !splits_only(edit_.extents(t), view->extents)) return false;
      return dense_where_needed(view->out);
    });
  }

  // ---- A map into the map that reads it ----

  // Where operands of the map are made by another map that nothing else reads: one map of both. Returns whether one was.
  bool take_a_map(Position into) {
    const MapCall outer = *as_map(*into);
    for (const OperandRef& o : outer.inputs) {
      const auto* t = std::get_if<TensorId>(&o);
      if (!t || *t == no_tensor) continue;
      const BlockEditor::Trace trace = edit_.trace(*t);
      const auto from = edit_.maker(trace.from);
      if (!from || !as_map(**from)) continue;
      if (std::string why = join(*from, trace.from, into); !why.empty()) note(trace.from, *from, into, std::move(why));
      else return true;
    }
    return false;
  }

  // Why not, or empty where it is done.
  std::string join(Position from, TensorId made, Position into) {
    const MapCall inner = *as_map(*from), outer = *as_map(*into);
    if (!edit_.read_only_by(made, into)) return "it is read in several places";
    if (!whole(made) || !std::ranges::all_of(inner.inputs, [&](const OperandRef& o) { return settled(o); })) return "it is written in parts";
    std::vector<std::pair<std::size_t, std::vector<Move>>> places;  // operands of outer that are `made`, and how
    for (const auto& [k, moves] : places_of(made, outer)) {
      // Fewer places than the output has: each would be computed again and again.
      if (edit_.elements(std::get<TensorId>(outer.inputs[k])) != edit_.elements(outer.out)) return "it is computed once and read at many places";
      for (const OperandRef& o : inner.inputs)
        if (std::string why = cannot_follow(edit_, o, moves); !why.empty()) return why;
      places.emplace_back(k, moves);
    }
    const auto is_left = [&](const OperandRef& o) { return !is_number(o) && !(std::holds_alternative<TensorId>(o) && edit_.trace(std::get<TensorId>(o)).from == made); };
    if (std::ranges::all_of(inner.inputs, is_number) && std::ranges::none_of(outer.inputs, is_left)) return "nothing but numbers would be left";
    if (inner.inputs.size() + outer.inputs.size() > most_operands + 1) return "too many operands would meet";
    if (inner.expression.steps().size() + outer.expression.steps().size() > most_steps) return "the formula would be too long";

    note(made, from, into);
    Call call = std::get<Call>(into->what);
    const std::vector<Axis> axes = edit_.tensor(outer.out).axes;
    Expression joined;
    std::vector<OperandRef> operands;
    std::vector<std::optional<Expression::Id>> replaced(outer.inputs.size());
    for (const auto& [k, moves] : places) {
      std::vector<OperandRef> moved;
      for (const OperandRef& o : inner.inputs) moved.push_back(edit_.named_like(into, follow(edit_, into, o, moves), axes));
      const Expression::Id value = add_to(joined, operands, inner.expression, moved, {});
      replaced[k] = joined.cast(value, edit_.tensor(made).dtype);  // rounded as it was where it is stored
    }
    joined.result(add_to(joined, operands, outer.expression, outer.inputs, replaced));
    call.arguments.front() = std::move(joined);
    call.inputs = std::move(operands);
    edit_.set_call(into, std::move(call));
    edit_.erase(from);
    return {};
  }

  // The operands of a map that are the tensor, by number, and the views they are it through.
  std::vector<std::pair<std::size_t, std::vector<Move>>> places_of(TensorId made, const MapCall& map) {
    std::vector<std::pair<std::size_t, std::vector<Move>>> places;
    for (std::size_t k = 0; k < map.inputs.size(); ++k) {
      const auto* t = std::get_if<TensorId>(&map.inputs[k]);
      if (!t || *t == no_tensor) continue;
      const BlockEditor::Trace trace = edit_.trace(*t);
      if (trace.from != made) continue;
      std::vector<Move> moves;
      for (const Position view : trace.views | std::views::reverse) moves.push_back(move_of(edit_, std::get<ViewStep>(view->what)));
      places.emplace_back(k, std::move(moves));
    }
    return places;
  }

  // ---- A map behind the product it reads ----

  static std::string_view behind(const Call& call) {
    if (call.kernel == "matmul") return "matmul_map";
    if (call.kernel == "conv") return "conv_map";
    return {};
  }

  void put_behind_product(Position into) {
    const MapCall map = *as_map(*into);
    std::optional<std::pair<Position, TensorId>> product;
    for (const OperandRef& o : map.inputs) {
      const auto* t = std::get_if<TensorId>(&o);
      if (!t || *t == no_tensor) continue;
      const BlockEditor::Trace trace = edit_.trace(*t);
      const auto from = edit_.maker(trace.from);
      const Call* call = from ? std::get_if<Call>(&(*from)->what) : nullptr;
      if (!call || behind(*call).empty()) continue;
      if (const std::string why = cannot_stand_behind(*call, trace.from, into); !why.empty()) note(trace.from, *from, into, why);
      else product.emplace(*from, trace.from);
    }
    if (product) join_behind(product->first, product->second, into);
  }

  // From the map's output back to the product's.
  Move back_to(TensorId made, TensorId out) {
    return {edit_.same_extents(made, out) ? ViewStep::Kind::relabel : ViewStep::Kind::reshape, edit_.extents(out), edit_.extents(made), edit_.tensor(made).axes};
  }

  std::string cannot_stand_behind(const Call& product, TensorId made, Position into) {
    const MapCall map = *as_map(*into);
    if (!edit_.read_only_by(made, into)) return "it is read in several places";
    if (!whole(made) || !std::ranges::all_of(product.inputs, [&](const OperandRef& o) { return settled(o); })) return "it is written in parts";
    if (edit_.maker(map.out) != into || !edit_.tensor(map.out).dense || edit_.tensor(map.out).dtype != edit_.tensor(made).dtype)
      return "the result lies otherwise, or is of another type";
    const auto places = places_of(made, map);
    for (const auto& [k, moves] : places)
      if (edit_.elements(made) != edit_.elements(map.out) || !std::ranges::all_of(moves, keeps_order)) return "the result's places are not the product's";
    for (std::size_t k = 0; k < map.inputs.size(); ++k)
      if (std::ranges::find(places, k, [](const auto& place) { return place.first; }) == places.end())
        if (std::string why = cannot_follow(edit_, map.inputs[k], {back_to(made, map.out)}); !why.empty()) return why;
    if (map.inputs.size() > most_operands) return "too many operands would meet";
    return {};
  }

  void join_behind(Position from, TensorId made, Position into) {
    const MapCall map = *as_map(*into);
    note(made, from, into);
    const Move back = back_to(made, map.out);
    const std::vector<Axis> axes = edit_.tensor(made).axes;
    Call call = std::get<Call>(from->what);
    call.kernel = behind(call);
    call.folder = call.kernel;
    std::vector<std::optional<Expression::Id>> replaced(map.inputs.size());
    Expression expression;
    std::vector<OperandRef> operands{made}, others;
    const Expression::Id product = expression.input(0, edit_.tensor(made).dtype);
    for (const auto& place : places_of(made, map)) replaced[place.first] = product;
    for (std::size_t k = 0; k < map.inputs.size(); ++k)
      others.push_back(replaced[k] ? map.inputs[k] : edit_.named_like(into, follow(edit_, into, map.inputs[k], {back}), axes));
    expression.result(add_to(expression, operands, map.expression, others, replaced));
    call.arguments.emplace_back(std::move(expression));
    call.inputs.insert(call.inputs.end(), operands.begin() + 1, operands.end());
    TensorId out = map.out;
    if (back.kind == ViewStep::Kind::reshape) out = edit_.new_view(into, {back.kind, no_tensor, out, {}, back.to, {}, {}}, axes, true);
    else out = std::get<TensorId>(edit_.named_like(into, out, axes));
    call.outputs = {out};
    edit_.set_call(into, std::move(call));
    edit_.erase(from);
  }

  // ---- What is computed twice ----

  void compute_once() {
    const Stays stays = [this](const Call& call) {
      return whole(call.outputs[0]) && std::ranges::all_of(call.inputs, [&](const OperandRef& o) { return settled(o); });
    };
    for (const Twin& twin : find_twins(edit_, stays)) {
      note(twin.made, twin.twin, twin.first, {}, Fusion::Kind::twin);
      edit_.erase(twin.twin);
    }
  }

  // ---- Two products with a softmax between them ----

  void make_attention(Position at) {
    auto attention = find_attention(edit_, at);
    if (!attention) return;
    const auto& taken = attention->taken;
    const auto parts = [&](const Attention::Taken& t) {
      const Call& call = std::get<Call>(t.step->what);
      return !whole(t.made) || !std::ranges::all_of(call.inputs, [&](const OperandRef& o) { return settled(o); });
    };
    if (attention->declined.empty() && std::ranges::any_of(taken, parts)) attention->declined = "it is written in parts";
    if (!attention->declined.empty()) return note(taken.back().made, taken.back().step, at, std::move(attention->declined));
    edit_.set_call(at, std::move(attention->call));
    for (const auto& [step, made] : taken) {
      note(made, step, at);
      edit_.erase(step);
    }
    edit_.drop_unread_views(at);
    for (const Position copy : write_turned(edit_, at, [&](const MapCall& map) { return whole(map.out); })) {
      note(std::get<Call>(copy->what).outputs[0], copy, at);
      edit_.erase(copy);
    }
    edit_.drop_unread_views();
    leave_out(group_heads(edit_, at, passing(at)), at);
  }

  BlockEditor edit_;
  const Written& written_;
  std::vector<Fusion>& fusions_;
  std::map<TensorId, Fusion> declined_;  // by what is made, while nothing takes it
};

void fuse_block(Program& program, const TypedGraph& graph, Block& block, const Written& written, std::vector<Fusion>& fusions) {
  for (Step& step : block.steps)
    for (Block* inner : inner_blocks(step)) fuse_block(program, graph, *inner, written, fusions);
  BlockFuser(program, graph, block, written, fusions).run();
}

}  // namespace

std::vector<Fusion> fuse(Program& program, const TypedGraph& graph) {
  std::vector<Fusion> fusions;
  fuse_block(program, graph, program.body, {settled_tensors(program), whole_tensors(program)}, fusions);
  return fusions;
}

}  // namespace loam
