#include "compiler/kernel/fuse_turns.hpp"

#include <algorithm>
#include <ranges>

#include "compiler/kernel/follow.hpp"

namespace loam {

namespace {

// Of each axis, the axes of the base that it is made of, outermost first; those of one element are left out.
using Factors = std::vector<std::vector<std::size_t>>;

std::optional<Factors> after(const Move& move, const Factors& factors, const std::vector<Polynomial>& base) {
  Factors next;
  switch (move.kind) {
    case ViewStep::Kind::relabel:
      return factors;
    case ViewStep::Kind::transpose: case ViewStep::Kind::units:
      for (const int source : move.order) next.push_back(source < 0 ? std::vector<std::size_t>() : factors[static_cast<std::size_t>(source)]);
      return next;
    case ViewStep::Kind::reshape: {
      std::vector<std::size_t> all;
      for (const auto& axis : factors) all.insert(all.end(), axis.begin(), axis.end());
      std::size_t used = 0;
      for (const Polynomial& extent : move.to) {
        std::vector<std::size_t>& axis = next.emplace_back();
        for (Polynomial product = 1; product != extent; ++used) {
          if (used == all.size()) return std::nullopt;
          axis.push_back(all[used]);
          product = product * base[all[used]];
        }
      }
      return used == all.size() ? std::optional(next) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Unravelled> unravel(BlockEditor& edit, TensorId t, const MayPass& may_pass) {
  // Places to begin from, nearest first, and the moves from each to the one before it.
  struct Stop {
    TensorId base;
    std::size_t moves, copies;
  };
  std::vector<Stop> stops;
  std::vector<Move> moves;  // the last one first
  std::vector<BlockEditor::Position> copies;
  TensorId base = t;
  for (auto at = edit.maker(base); at; at = edit.maker(base)) {
    if (const auto* view = std::get_if<ViewStep>(&(*at)->what)) {
      if (view->kind == ViewStep::Kind::slice || view->kind == ViewStep::Kind::expand) break;
      moves.push_back(move_of(edit, *view));
      base = view->in;
      continue;
    }
    const auto copy = as_map(**at);
    if (!copy || !is_copy(*copy) || !may_pass(*copy)) break;
    const TensorId from = std::get<TensorId>(copy->inputs[0]);
    if (edit.tensor(from).dtype != edit.tensor(copy->out).dtype || !edit.same_extents(from, copy->out)) break;
    stops.push_back({base, moves.size(), copies.size()});
    copies.push_back(*at);
    base = from;
  }
  stops.push_back({base, moves.size(), copies.size()});
  for (const Stop& stop : stops | std::views::reverse) {
    const std::vector<Polynomial> extents = edit.extents(stop.base);
    std::optional<Factors> factors = Factors();
    for (std::size_t i = 0; i < extents.size(); ++i) factors->push_back(extents[i].is(1) ? std::vector<std::size_t>() : std::vector{i});
    for (std::size_t k = stop.moves; factors && k-- > 0;) factors = after(moves[k], *factors, extents);
    if (factors) return Unravelled{stop.base, std::move(*factors), {copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(stop.copies)}};
  }
  return std::nullopt;
}

TensorId turned(BlockEditor& edit, BlockEditor::Position before, TensorId base, const Factors& factors, const std::vector<Axis>& axes) {
  std::vector<int> order, source;
  for (const auto& axis : factors) {
    source.push_back(axis.empty() ? -1 : static_cast<int>(order.size()));
    if (!axis.empty()) order.push_back(static_cast<int>(axis.front()));
  }
  const bool in_order = std::ranges::is_sorted(order), dense = edit.tensor(base).dense && in_order;
  const std::vector<Polynomial> extents = edit.extents(base);
  for (std::size_t i = 0; i < extents.size(); ++i)  // those of one element last
    if (std::ranges::count(order, static_cast<int>(i)) == 0) order.push_back(static_cast<int>(i));
  std::vector<Axis> moved, placed;
  for (const int i : order) moved.push_back(edit.tensor(base).axes[static_cast<std::size_t>(i)]);
  for (std::size_t i = 0; i < source.size(); ++i) placed.push_back(source[i] < 0 ? axes[i] : moved[static_cast<std::size_t>(source[i])]);
  if (!std::ranges::is_sorted(order)) base = edit.new_view(before, {ViewStep::Kind::transpose, no_tensor, base, order, {}, {}, {}}, std::move(moved), dense);
  const bool units = order.size() != source.size() || std::ranges::count(source, -1) > 0;
  return units ? edit.new_view(before, {ViewStep::Kind::units, no_tensor, base, source, {}, {}, {}}, std::move(placed), dense) : base;
}

std::vector<BlockEditor::Position> straighten(BlockEditor& edit, BlockEditor::Position reshape, const MayPass& may_pass) {
  const TensorId out = std::get<ViewStep>(reshape->what).out;
  auto unravelled = unravel(edit, out, may_pass);
  if (!unravelled || unravelled->copies.empty()) return {};
  if (std::ranges::any_of(unravelled->factors, [](const auto& axis) { return axis.size() > 1; })) return {};
  const TensorId view = turned(edit, reshape, unravelled->base, unravelled->factors, edit.tensor(out).axes);
  const bool is_dense = edit.tensor(view).dense;
  ViewStep last{ViewStep::Kind::relabel, out, view, {}, {}, {}, {}};
  if (const auto made = edit.maker(view); view != unravelled->base && edit.same_axes(view, out)) {
    last = std::get<ViewStep>((*made)->what);
    last.out = out;
    edit.erase(*made);
  }
  edit.set_view(reshape, std::move(last));
  if (!is_dense && edit.tensor(out).dense) {
    edit.tensor(out).dense = false;
    spread_strides(edit, out);
  }
  return std::move(unravelled->copies);
}

}  // namespace loam
