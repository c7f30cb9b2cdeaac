// Slice (ai.onnx): start, start + step, ... up to end of each axis, a view.
//
// A bound counts from the end where it is negative, and is clamped to the axis: past it is the way to write "to the
// end". What the inputs decide of that stays a derived symbol, min(N, 8).
#include <limits>

#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

struct Sliced {
  Polynomial start = 0, extent, step = 1;
};

// The least of two less the greatest of two, as the least of their differences: so what cancels does, and a slice from
// N - M to N of a buffer is min(M, what the buffer has left). A bound that the other beats for every input is left out.
Polynomial span(Symbols& s, const Polynomial& end, const Polynomial& last, const Polynomial& start,
                const Polynomial& first) {
  const Polynomial high = s.min(end, last), low = s.max(start, first);
  std::vector<Polynomial> highs{end, last}, lows{start, first};
  if (high == end || high == last || high.is_constant()) highs = {high};
  if (low == start || low == first || low.is_constant()) lows = {low};
  Polynomial least = highs[0] - lows[0];
  for (const Polynomial& h : highs)
    for (const Polynomial& l : lows) least = s.min(least, h - l);
  return least;
}

Sliced forward(Symbols& s, const Polynomial& extent, const Polynomial& first, const Polynomial& last,
               const Polynomial& step) {
  return {s.max(first, 0), s.max(s.ceil_div(span(s, last, extent, first, 0), step), 0), step};
}

// The places are one lower: from the last element, and to before the first.
Sliced backward(Symbols& s, const Polynomial& extent, const Polynomial& first, const Polynomial& last,
                const Polynomial& step) {
  const Polynomial from = s.max(first, 0);
  return {s.min(from, extent - 1), s.max(s.ceil_div(span(s, from, extent - 1, last, -1), -step), 0), step};
}

Sliced sliced(Symbols& s, const Polynomial& extent, const Polynomial& start, const Polynomial& end,
              const Polynomial& step) {
  const Polynomial first = s.from_end(start, extent), last = s.from_end(end, extent);
  if (const auto number = step.constant())
    return *number > 0 ? forward(s, extent, first, last, step) : backward(s, extent, first, last, step);
  const Polynomial is_forward = s.ge(step, 1);
  const Sliced up = forward(s, extent, first, last, s.max(step, 1)),
               down = backward(s, extent, first, last, s.min(step, -1));
  return {s.select(is_forward, up.start, down.start), s.select(is_forward, up.extent, down.extent), step};
}

struct Bounds {
  std::vector<Polynomial> starts, ends, axes, steps;  // one of each for each axis sliced
};

std::optional<Bounds> bounds(NodeContext& c) {
  bool failed = false;
  BoundInputs inputs(c);
  auto starts = inputs.integers(1, "starts", failed), ends = inputs.integers(2, "ends", failed);
  auto axes = inputs.axes(3, "axes", c.rank(0), failed);
  auto steps = inputs.integers(4, "steps", failed);
  if (failed) return std::nullopt;
  const auto fail = [&](std::string message) {
    c.error(Code::bad_attribute, std::move(message));
    return std::nullopt;
  };
  if (!starts || !ends) return fail("gives no " + std::string(starts ? "ends" : "starts"));
  const std::size_t n = starts->size();
  if (ends->size() != n || (axes && axes->size() != n) || (steps && steps->size() != n))
    return fail("starts, ends, axes and steps do not pair up: they are " + std::to_string(n) + ", " +
                std::to_string(ends->size()) + ", " + std::to_string(axes ? axes->size() : n) + " and " +
                std::to_string(steps ? steps->size() : n));
  if (!axes && n > static_cast<std::size_t>(c.rank(0)))
    return fail("slices " + std::to_string(n) + " axes of " + std::to_string(c.rank(0)));
  Bounds b{std::move(*starts), std::move(*ends), axes.value_or(std::vector<Polynomial>()),
           steps.value_or(std::vector<Polynomial>(n, 1))};
  for (std::size_t i = b.axes.size(); i < n; ++i) b.axes.emplace_back(static_cast<std::int64_t>(i));
  for (const Polynomial& step : b.steps)
    if (step.is(0) || step.is(std::numeric_limits<std::int64_t>::min())) return fail("steps by " + c.spell(step));
  return b;
}

// What is taken of each axis. Where the run says which axis a bound is of, each takes it if it is the one.
std::vector<Sliced> taken(NodeContext& c, const Bounds& b) {
  Symbols& s = c.symbols();
  std::vector<Sliced> result;
  for (int k = 0; k < c.rank(0); ++k) {
    Sliced axis{0, c.extent(0, k), 1};
    for (std::size_t i = 0; i < b.starts.size(); ++i) {
      const Polynomial hit = s.eq(b.axes[i], k);
      if (hit.is(0)) continue;
      const Sliced cut = sliced(s, c.extent(0, k), b.starts[i], b.ends[i], b.steps[i]);
      axis = {s.select(hit, cut.start, axis.start), s.select(hit, cut.extent, axis.extent),
              s.select(hit, cut.step, axis.step)};
    }
    result.push_back(std::move(axis));
  }
  return result;
}

// As many elements one after another as there are: the axis itself.
bool whole(const NodeContext& c, int k, const Sliced& s) { return s.step.is(1) && s.extent == c.extent(0, k); }

void infer_slice(InferContext& c) {
  if (!bind_unknown(c, {1, 2, 3, 4}, index_range)) return;
  const auto b = bounds(c);
  if (!b || !owe_axes(c, b->axes, c.rank(0))) return;
  for (const Polynomial& step : b->steps)
    if (!step.is_constant() && !c.owe(-c.symbols().eq(step, 0), "the step " + c.spell(step) + " must not be 0")) return;
  const auto cuts = taken(c, *b);
  std::vector<Axis> axes;
  for (int k = 0; k < c.rank(0); ++k) {
    const Sliced& cut = cuts[static_cast<std::size_t>(k)];
    axes.push_back(whole(c, k, cut) ? c.axis(0, k) : c.fresh(cut.extent));
  }
  c.output(0, c.dtype(0), std::move(axes));
}

void fold_slice(InferContext& c) {
  const auto dims = known_dims(c, 0);
  if (!dims) return;
  const auto cuts = taken(c, *bounds(c));
  Places strides = dense_strides(c.known(0)->dims);
  std::int64_t base = 0;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    const auto start = cuts[k].start.constant(), step = cuts[k].step.constant();
    if (!start || !step) return;
    base += *start * strides[k];
    strides[k] *= *step;
  }
  c.fold(0, moved(*c.known(0), *dims, [&](const Places& index) { return base + offset_of(index, strides); }));
}

void lower_slice(LowerContext& c) {
  bind_unknown(c, {1, 2, 3, 4}, index_range);
  const auto cuts = taken(c, *bounds(c));
  std::vector<Polynomial> starts, steps;
  bool all = true;
  for (int k = 0; k < c.rank(0); ++k) {
    const Sliced& cut = cuts[static_cast<std::size_t>(k)];
    all = all && whole(c, k, cut);
    starts.push_back(cut.start);
    steps.push_back(cut.step);
  }
  c.alias(0, all ? c.in(0) : c.slice(c.in(0), c.output_type(0).axes, std::move(starts), std::move(steps)));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Slice", .infer = infer_slice, .lower = lower_slice, .fold = fold_slice, .max_inputs = 5},
};

}  // namespace

std::span<const Operator> slice_operators() { return rows; }

}  // namespace loam
