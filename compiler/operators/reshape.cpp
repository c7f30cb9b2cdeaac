// Reshape and Flatten (ai.onnx): one tensor's elements under other axes.
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

constexpr Range open_length = {-1, longest_length};

class Target {
 public:
  Target(InferContext& c, std::vector<Polynomial> target) : c_(c), extents_(std::move(target)), from_(extents_of(c)) {}

  // The output's extents; nullopt where they were reported.
  std::optional<std::vector<Polynomial>> extents() {
    if (c_.has(1) && !c_.known(1)) return computed();
    for (std::size_t i = 0; i < extents_.size(); ++i)
      if (!settle(i)) return std::nullopt;
    const Polynomial count = product(from_);
    if (rest_ && !settle_rest(count)) return std::nullopt;
    const Polynomial given = product(extents_);
    return checked(count, spell_list(c_, extents_) + ", which holds " + c_.spell(given));
  }

 private:
  std::optional<std::vector<Polynomial>> checked(const Polynomial& count, const std::string& shape) {
    if (!c_.equate(product(extents_), count, c_.spell(count) + " elements are given the shape " + shape))
      return std::nullopt;
    return std::move(extents_);
  }

  // A shape that only the run knows, whose 0 and -1 it must read itself.
  std::optional<std::vector<Polynomial>> computed() {
    Symbols& s = c_.symbols();
    const bool copies_zeros = c_.integer("allowzero", 0) == 0;
    const std::string shape = spell_list(c_, extents_) + ", which does not hold them";
    Polynomial opens = 0;
    std::vector<Polynomial> open;
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      Polynomial& extent = extents_[i];
      open.push_back(s.eq(extent, -1));
      opens = opens + open.back();
      const bool copies = copies_zeros && i < from_.size();
      if (copies_zeros && !copies &&
          !c_.owe(-s.eq(extent, 0),
                  "axis " + std::to_string(i) + " of the shape must not be 0: the operand has no axis there"))
        return std::nullopt;
      extent = s.select(open.back(), 1, copies ? s.select(s.eq(extent, 0), from_[i], extent) : extent);
    }
    if (!c_.owe(Polynomial(1) - opens, "the shape must leave one axis open at most")) return std::nullopt;
    const Polynomial count = product(from_), others = product(extents_), rest = s.floor_div(count, others);
    if (!c_.owe(others - opens, "the shape must leave no axis open beside others that hold nothing")) return std::nullopt;
    for (std::size_t i = 0; i < extents_.size(); ++i) extents_[i] = s.select(open[i], rest, extents_[i]);
    return checked(count, shape);
  }

  bool fail(Code code, std::string message) {
    c_.error(code, std::move(message));
    return false;
  }

  bool settle(std::size_t i) {
    Polynomial& extent = extents_[i];
    const bool copies_zeros = c_.integer("allowzero", 0) == 0;
    const std::string place = "axis " + std::to_string(i) + " of the shape is " + c_.spell(extent);
    if (extent.is(-1)) {
      if (rest_)
        return fail(Code::bad_attribute,
                    "the shape " + spell_list(c_, extents_) + " leaves two axes open, and one can be computed");
      rest_ = i;
      return true;
    }
    if (extent.is(0) && copies_zeros) {
      if (i >= from_.size())
        return fail(Code::index_out_of_range, place + ", which stands for the operand's axis there, and it has " +
                                                  std::to_string(from_.size()) + " axes");
      extent = from_[i];
      return true;
    }
    if (!copies_zeros || extent.is_constant()) return c_.owe(extent, place + ", which must not be negative");
    // ONNX reads a 0 as the operand's extent at that place, so a length that may be 0 must not be, unless the operand's
    // is then 0 too.
    const bool same =
        i < from_.size() && (extent == from_[i] || proved_nonnegative(c_.symbols(), -from_[i], {-extent}));
    return same ? c_.owe(extent, place + ", which must not be negative")
                : c_.owe(extent - 1,
                         place + ", which must not be 0 or negative: a 0 stands for the operand's own extent");
  }

  bool settle_rest(const Polynomial& count) {
    std::vector<Polynomial> others = extents_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(*rest_));
    const Polynomial given = product(others);
    if (given.is(0))
      return fail(Code::bad_attribute,
                  "the shape " + spell_list(c_, extents_) + " leaves one axis open beside others that hold nothing");
    if (!c_.owe(given - 1, "the extents beside the open one are " + spell_list(c_, others) + ", and none must be 0"))
      return false;
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
  while (front + back < std::min(from.size(), to.size()) &&
         extent(from[from.size() - 1 - back]) == to[to.size() - 1 - back])
    ++back;
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
  if ((c.has(1) && !expect_rank(c, 1, 1)) || !bind_unknown(c, {1}, open_length)) return;
  bool failed = false;
  auto target = BoundInputs(c).integers(1, "shape", failed);
  if (failed) return;
  if (!target) return c.error(Code::bad_attribute, "names no shape");
  if (const auto extents = Target(c, std::move(*target)).extents())
    c.output(0, c.dtype(0), regrouped(c, c.axes(0), *extents));
}

void lower_regrouped(LowerContext& c) { c.alias(0, c.reshape(c.in(0), c.output_type(0).axes)); }

void lower_reshape(LowerContext& c) {
  bind_unknown(c, {1}, open_length);
  lower_regrouped(c);
}

// ---- Flatten -------------------------------------------------------------------------------------------------------

void infer_flatten(InferContext& c) {
  const std::int64_t rank = c.rank(0), axis = c.integer("axis", 1);
  if (axis < -rank || axis > rank)
    return c.error(Code::index_out_of_range,
                   "axis " + std::to_string(axis) + " of a tensor of " + std::to_string(rank) + " axes");
  const auto cut = c.axes(0).begin() + (axis < 0 ? axis + rank : axis);
  c.output(0, c.dtype(0), {merged(c, {c.axes(0).begin(), cut}), merged(c, {cut, c.axes(0).end()})});
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Reshape", .infer = infer_reshape, .lower = lower_reshape, .fold = fold_regrouped,
     .max_inputs = 2},
    {.domain = "", .name = "Flatten", .infer = infer_flatten, .lower = lower_regrouped, .fold = fold_regrouped},
};

}  // namespace

std::span<const Operator> reshape_operators() { return rows; }

}  // namespace loam
