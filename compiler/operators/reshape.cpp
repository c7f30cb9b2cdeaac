// Reshape, Flatten, Squeeze, Unsqueeze (ai.onnx): one tensor's elements under other axes.
#include <algorithm>

#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

std::vector<Polynomial> extents_of(const NodeContext& c) {
  std::vector<Polynomial> extents;
  for (int k = 0; k < c.rank(0); ++k) extents.push_back(c.extent(0, k));
  return extents;
}

// ---- Reshape -------------------------------------------------------------------------------------------------------

class Target {
 public:
  Target(InferContext& c, std::vector<Polynomial> target) : c_(c), extents_(std::move(target)), from_(extents_of(c)) {}

  // The output's extents; nullopt where they were reported.
  std::optional<std::vector<Polynomial>> extents() {
    for (std::size_t i = 0; i < extents_.size(); ++i)
      if (!settle(i)) return std::nullopt;
    const Polynomial count = product(from_);
    if (rest_ && !settle_rest(count)) return std::nullopt;
    const Polynomial given = product(extents_);
    if (!c_.equate(given, count, c_.spell(count) + " elements are given the shape " + spell_list(c_, extents_) + ", which holds " + c_.spell(given)))
      return std::nullopt;
    return std::move(extents_);
  }

 private:
  bool fail(Code code, std::string message) {
    c_.error(code, std::move(message));
    return false;
  }

  bool settle(std::size_t i) {
    Polynomial& extent = extents_[i];
    const bool copies_zeros = c_.integer("allowzero", 0) == 0;
    const std::string place = "axis " + std::to_string(i) + " of the shape is " + c_.spell(extent);
    if (extent.is(-1)) {
      if (rest_) return fail(Code::bad_attribute, "the shape " + spell_list(c_, extents_) + " leaves two axes open, and one can be computed");
      rest_ = i;
      return true;
    }
    if (extent.is(0) && copies_zeros) {
      if (i >= from_.size()) return fail(Code::index_out_of_range, place + ", which stands for the operand's axis there, and it has " +
                                                                       std::to_string(from_.size()) + " axes");
      extent = from_[i];
      return true;
    }
    if (!copies_zeros || extent.is_constant()) return c_.owe(extent, place + ", which must not be negative");
    // ONNX reads a 0 as the operand's extent at that place, so a length that may be 0 must not be, unless the operand's
    // is then 0 too.
    const bool same = i < from_.size() && (extent == from_[i] || proved_nonnegative(c_.symbols(), -from_[i], {-extent}));
    return same ? c_.owe(extent, place + ", which must not be negative")
                : c_.owe(extent - 1, place + ", which must not be 0 or negative: a 0 stands for the operand's own extent");
  }

  bool settle_rest(const Polynomial& count) {
    std::vector<Polynomial> others = extents_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(*rest_));
    const Polynomial given = product(others);
    if (given.is(0)) return fail(Code::bad_attribute, "the shape " + spell_list(c_, extents_) + " leaves one axis open beside others that hold nothing");
    if (!c_.owe(given - 1, "the extents beside the open one are " + spell_list(c_, others) + ", and none must be 0")) return false;
    extents_[*rest_] = c_.symbols().floor_div(count, given);
    return true;
  }

  InferContext& c_;
  std::vector<Polynomial> extents_;
  const std::vector<Polynomial> from_;
  std::optional<std::size_t> rest_;
};

// The axes under new extents. What a Reshape leaves alone at either end it leaves alone whatever it holds; between, a
// tensor of no element has no regrouping, since any product of its extents is 0.
std::vector<Axis> regrouped(const InferContext& c, const std::vector<Axis>& from, const std::vector<Polynomial>& to) {
  const auto extent = [&](const Axis& axis) { return c.symbols().simplify(axis.extent()); };
  std::size_t front = 0, back = 0;
  while (front < std::min(from.size(), to.size()) && extent(from[front]) == to[front]) ++front;
  while (front + back < std::min(from.size(), to.size()) && extent(from[from.size() - 1 - back]) == to[to.size() - 1 - back]) ++back;
  const auto at = [](const auto& list, std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
  const std::vector<Axis> middle(at(from, front), at(from, from.size() - back));
  const std::vector<Polynomial> wanted(at(to, front), at(to, to.size() - back));
  std::vector<Axis> axes(from.begin(), at(from, front));
  const bool empty = std::ranges::any_of(middle, [&](const Axis& axis) { return extent(axis).is(0); }) ||
                     std::ranges::any_of(wanted, [](const Polynomial& p) { return p.is(0); });
  if (empty) {
    for (const Polynomial& p : wanted) axes.push_back(c.fresh(p));
  } else {
    std::ranges::move(c.regroup(middle, wanted), std::back_inserter(axes));
  }
  axes.insert(axes.end(), at(from, from.size() - back), from.end());
  return axes;
}

void infer_reshape(InferContext& c) {
  if (c.has(1) && !expect_rank(c, 1, 1)) return;
  bool failed = false;
  auto target = c.extents(1, "shape", failed);
  if (failed) return;
  if (!target) return c.error(Code::bad_attribute, "names no shape");
  if (const auto extents = Target(c, std::move(*target)).extents()) c.output(0, c.dtype(0), regrouped(c, c.axes(0), *extents));
}

void lower_regrouped(LowerContext& c) { c.alias(0, c.reshape(c.in(0), c.output_type(0).axes)); }

// ---- Flatten -------------------------------------------------------------------------------------------------------

void infer_flatten(InferContext& c) {
  const std::int64_t rank = c.rank(0), axis = c.integer("axis", 1);
  if (axis < -rank || axis > rank)
    return c.error(Code::index_out_of_range, "axis " + std::to_string(axis) + " of a tensor of " + std::to_string(rank) + " axes");
  const auto cut = c.axes(0).begin() + (axis < 0 ? axis + rank : axis);
  c.output(0, c.dtype(0), {merged(c, {c.axes(0).begin(), cut}), merged(c, {cut, c.axes(0).end()})});
}

// ---- Squeeze and Unsqueeze -----------------------------------------------------------------------------------------

// The axes dropped: those named, or every axis whose extent is the number 1.
std::optional<std::vector<int>> squeezed(const NodeContext& c) {
  bool failed = false;
  const auto named = c.list(1, "axes", failed);
  if (failed) return std::nullopt;
  if (named) return c.axis_indices(*named, c.rank(0));
  std::vector<int> units;
  for (int k = 0; k < c.rank(0); ++k)
    if (c.extent(0, k).is(1)) units.push_back(k);
  return units;
}

void infer_squeeze(InferContext& c) {
  const auto dropped = squeezed(c);
  if (!dropped) return;
  const bool named = c.has(1) || c.has_attribute("axes");
  std::vector<Axis> axes;
  for (int k = 0; k < c.rank(0); ++k) {
    const Polynomial extent = c.extent(0, k);
    const std::string found = c.spell(c.axis(0, k)) + " is " + c.spell(extent);
    if (std::ranges::find(*dropped, k) != dropped->end()) {
      if (!c.equate(extent, 1, found + ", and only an axis of 1 is squeezed")) return;
      continue;
    }
    // With no axes named, a length that turned out to be 1 would be dropped too, and the rank be another.
    if (!named && !c.owe(-c.symbols().eq(extent, 1), found + ", which must not be 1: every such axis is squeezed")) return;
    axes.push_back(c.axis(0, k));
  }
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_squeeze(LowerContext& c) {
  const auto dropped = *squeezed(c);
  std::vector<int> source;
  for (int k = 0; k < c.rank(0); ++k)
    if (std::ranges::find(dropped, k) == dropped.end()) source.push_back(k);
  c.alias(0, c.units(c.in(0), source, c.output_type(0).axes));
}

std::optional<std::vector<int>> unsqueezed(const NodeContext& c) {
  bool failed = false;
  const auto named = c.list(1, "axes", failed);
  if (failed) return std::nullopt;
  if (!named) {
    c.error(Code::bad_attribute, "names no axes");
    return std::nullopt;
  }
  return c.axis_indices(*named, c.rank(0) + static_cast<int>(named->size()));
}

// The operand's axis at each place of the output, -1 where one is inserted.
std::vector<int> sources(const NodeContext& c, const std::vector<int>& inserted) {
  std::vector<int> source;
  int next = 0;
  for (int k = 0; k < c.rank(0) + static_cast<int>(inserted.size()); ++k)
    source.push_back(std::ranges::find(inserted, k) != inserted.end() ? -1 : next++);
  return source;
}

void infer_unsqueeze(InferContext& c) {
  const auto inserted = unsqueezed(c);
  if (!inserted) return;
  std::vector<Axis> axes;
  for (const int k : sources(c, *inserted)) axes.push_back(k < 0 ? c.unit() : c.axis(0, k));
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_unsqueeze(LowerContext& c) {
  c.alias(0, c.units(c.in(0), sources(c, *unsqueezed(c)), c.output_type(0).axes));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Reshape", .infer = infer_reshape, .lower = lower_regrouped, .fold = fold_regrouped, .max_inputs = 2},
    {.domain = "", .name = "Flatten", .infer = infer_flatten, .lower = lower_regrouped, .fold = fold_regrouped},
    {.domain = "", .name = "Squeeze", .infer = infer_squeeze, .lower = lower_squeeze, .fold = fold_regrouped, .max_inputs = 2},
    {.domain = "", .name = "Unsqueeze", .infer = infer_unsqueeze, .lower = lower_unsqueeze, .fold = fold_regrouped, .max_inputs = 2},
};

}  // namespace

std::span<const Operator> reshape_operators() { return rows; }

}  // namespace loam
