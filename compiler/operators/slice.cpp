// Slice (ai.onnx): start, start + step, ... up to end of each axis, a view.
//
// A bound counts from the end where it is negative, and is clamped to the axis: past it is the way to write "to the
// end". What the inputs decide of that stays a derived symbol, min(N, 8).
#include <limits>

#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

constexpr Range index_range = {-longest_length - 1, longest_length};

struct Sliced {
  Polynomial start = 0, extent;
  std::int64_t step = 1;
};

// The least of two less the greatest of two, as the least of their differences: so what cancels does, and a slice from
// N - M to N of a buffer is min(M, what the buffer has left). A bound that the other beats for every input is left out.
Polynomial span(Symbols& s, const Polynomial& end, const Polynomial& last, const Polynomial& start, const Polynomial& first) {
  const Polynomial high = s.min(end, last), low = s.max(start, first);
  std::vector<Polynomial> highs{end, last}, lows{start, first};
  if (high == end || high == last || high.is_constant()) highs = {high};
  if (low == start || low == first || low.is_constant()) lows = {low};
  Polynomial least = highs[0] - lows[0];
  for (const Polynomial& h : highs)
    for (const Polynomial& l : lows) least = s.min(least, h - l);
  return least;
}

Sliced sliced(Symbols& s, const Polynomial& extent, const Polynomial& start, const Polynomial& end, std::int64_t step) {
  const Polynomial first = s.from_end(start, extent), last = s.from_end(end, extent);
  if (step > 0) return {s.max(first, 0), s.max(s.ceil_div(span(s, last, extent, first, 0), step), 0), step};
  // Backward the places are one lower: from the last element, and to before the first.
  const Polynomial from = s.max(first, 0);
  return {s.min(from, extent - 1), s.max(s.ceil_div(span(s, from, extent - 1, last, -1), -step), 0), step};
}

// What is taken of each axis; nullopt where it was reported.
std::optional<std::vector<Sliced>> places(NodeContext& c) {
  bool failed = false;
  BoundInputs bounds(c);
  const auto starts = bounds.integers(1, "starts", failed);
  const auto ends = bounds.integers(2, "ends", failed);
  const auto axes = c.list(3, "axes", failed);
  const auto steps = c.list(4, "steps", failed);
  if (failed) return std::nullopt;
  const auto fail = [&](Code code, std::string message) {
    c.error(code, std::move(message));
    return std::nullopt;
  };
  if (!starts || !ends) return fail(Code::bad_attribute, "gives no " + std::string(starts ? "ends" : "starts"));
  const std::size_t n = starts->size();
  if (ends->size() != n || (axes && axes->size() != n) || (steps && steps->size() != n))
    return fail(Code::bad_attribute, "starts, ends, axes and steps do not pair up: they are " + std::to_string(n) + ", " + std::to_string(ends->size()) + ", " +
                                         std::to_string(axes ? axes->size() : n) + " and " + std::to_string(steps ? steps->size() : n));
  std::vector<Sliced> result;
  for (int k = 0; k < c.rank(0); ++k) result.push_back({0, c.extent(0, k), 1});
  std::vector<bool> taken(result.size());
  for (std::size_t i = 0; i < n; ++i) {
    const auto axis = c.axis_index(axes ? (*axes)[i] : static_cast<std::int64_t>(i), c.rank(0));
    if (!axis) return std::nullopt;
    const auto at = static_cast<std::size_t>(*axis);
    if (taken[at]) return fail(Code::bad_attribute, "axis " + std::to_string(*axis) + " is listed twice");
    taken[at] = true;
    const std::int64_t step = steps ? (*steps)[i] : 1;
    if (step == 0 || step == std::numeric_limits<std::int64_t>::min()) return fail(Code::bad_attribute, "steps by " + std::to_string(step));
    result[at] = sliced(c.symbols(), result[at].extent, (*starts)[i], (*ends)[i], step);
  }
  return result;
}

void infer_slice(InferContext& c) {
  if (!bind_unknown(c, {1, 2}, index_range)) return;
  const auto taken = places(c);
  if (!taken) return;
  std::vector<Axis> axes;
  for (int k = 0; k < c.rank(0); ++k) {
    const Sliced& s = (*taken)[static_cast<std::size_t>(k)];
    // As many elements one after another as there are: the axis itself.
    axes.push_back(s.step == 1 && s.extent == c.extent(0, k) ? c.axis(0, k) : c.fresh(s.extent));
  }
  c.output(0, c.dtype(0), std::move(axes));
}

void fold_slice(InferContext& c) {
  const auto dims = known_dims(c, 0);
  const auto taken = places(c);
  if (!dims || !taken) return;
  Places strides = dense_strides(c.known(0)->dims);
  std::int64_t base = 0;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    const auto start = (*taken)[k].start.constant();
    if (!start) return;
    base += *start * strides[k];
    strides[k] *= (*taken)[k].step;
  }
  c.fold(0, moved(*c.known(0), *dims, [&](const Places& index) { return base + offset_of(index, strides); }));
}

void lower_slice(LowerContext& c) {
  bind_unknown(c, {1, 2}, index_range);
  std::vector<Polynomial> starts, steps;
  bool whole = true;
  const auto taken = *places(c);
  for (int k = 0; k < c.rank(0); ++k) {
    const Sliced& s = taken[static_cast<std::size_t>(k)];
    whole = whole && s.step == 1 && s.extent == c.extent(0, k);
    starts.push_back(s.start);
    steps.emplace_back(s.step);
  }
  c.alias(0, whole ? c.in(0) : c.slice(c.in(0), c.output_type(0).axes, std::move(starts), std::move(steps)));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Slice", .infer = infer_slice, .lower = lower_slice, .fold = fold_slice, .max_inputs = 5},
};

}  // namespace

std::span<const Operator> slice_operators() { return rows; }

}  // namespace loam
