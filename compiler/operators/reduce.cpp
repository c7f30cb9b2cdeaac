// The reductions (ReduceSum and its family) and the places of extremes (ArgMax, ArgMin).
#include <algorithm>
#include <numeric>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

// The axes a node reduces where it lists none.
std::vector<int> unlisted_axes(const NodeContext& c) {
  std::vector<int> all(c.integer("noop_with_empty_axes", 0) != 0 ? 0 : static_cast<std::size_t>(c.rank(0)));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// The axes a node reduces, ascending; nullopt where they cannot be read.
std::optional<std::vector<int>> reduced_axes(const NodeContext& c) {
  if (c.has(1) && c.elements(1).is(0)) return unlisted_axes(c);
  bool failed = false;
  const auto axes = c.list(1, "axes", failed);
  if (failed) return std::nullopt;
  return axes && !axes->empty() ? c.axis_indices(*axes, c.rank(0)) : unlisted_axes(c);
}

std::vector<Axis> kept_axes(const InferContext& c, const std::vector<int>& reduced) {
  const bool keep = c.integer("keepdims", 1) != 0;
  std::vector<Axis> axes;
  for (int k = 0; k < c.rank(0); ++k) {
    if (!std::ranges::binary_search(reduced, k)) axes.push_back(c.axis(0, k));
    else if (keep) axes.push_back(c.unit());
  }
  return axes;
}

// ---- Axes that only the run knows: the build knows how many
// ----------------------------------------------------------

bool at_run_time(const NodeContext& c) { return c.has(1) && !c.known(1) && !c.elements(1).is(0); }

// For each axis 1 where it is reduced, else 0.
std::vector<Polynomial> chosen_axes(NodeContext& c) {
  std::vector<Polynomial> chosen(static_cast<std::size_t>(c.rank(0)), 0);
  for (const Polynomial& axis : c.typed().bound)
    for (std::size_t k = 0; k < chosen.size(); ++k)
      chosen[k] = chosen[k] + c.symbols().eq(c.symbols().from_end(axis, c.rank(0)), static_cast<std::int64_t>(k));
  return chosen;
}

void infer_at_run_time(InferContext& c) {
  if (!bind_unknown(c, {1}, {-longest_length - 1, longest_length})) return;
  const std::vector<Polynomial> named = c.typed().bound;
  const int rank = c.rank(0);
  Symbols& symbols = c.symbols();
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::string says = c.input_name(1) + " names axis " + c.spell(named[i]) + " of " + std::to_string(rank);
    if (!c.owe(named[i] + rank, says) || !c.owe(rank - 1 - named[i], says)) return;
    for (std::size_t j = 0; j < i; ++j)
      if (!c.owe(-symbols.eq(symbols.from_end(named[i], rank), symbols.from_end(named[j], rank)),
                 c.input_name(1) + " names each axis once"))
        return;
  }
  const std::vector<Polynomial> chosen = chosen_axes(c);
  std::vector<Axis> axes;
  if (c.integer("keepdims", 1) != 0) {
    for (int k = 0; k < rank; ++k) {
      const Polynomial& gone = chosen[static_cast<std::size_t>(k)];
      axes.push_back(c.fresh(gone + c.extent(0, k) * (1 - gone)));
    }
  } else {
    // The axis that stays with `place` that stay before it.
    for (std::int64_t place = 0; place < rank - static_cast<std::int64_t>(named.size()); ++place) {
      Polynomial extent = 0, before = 0;
      for (int k = 0; k < rank; ++k) {
        const Polynomial stays = 1 - chosen[static_cast<std::size_t>(k)];
        extent = extent + c.extent(0, k) * stays * symbols.eq(before, place);
        before = before + stays;
      }
      axes.push_back(c.fresh(extent));
    }
  }
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_at_run_time(LowerContext& c, std::string_view reducer) {
  bind_unknown(c, {1}, {-longest_length - 1, longest_length});
  Polynomial bits = 0;
  std::int64_t bit = 1;
  for (const Polynomial& gone : chosen_axes(c)) {
    bits = bits + gone * bit;
    bit *= 2;
  }
  c.call("reduce_chosen", "reduce", {c.out(0)}, {Literal{"loam::reducer::" + std::string(reducer) + "{}"}, bits},
         {c.in(0)});
}

// ---- The reductions ------------------------------------------------------------------------------------------------

enum class Takes : std::uint8_t { numbers, bools_too };

template <Takes T>
void infer_reduce(InferContext& c) {
  if (!(T == Takes::bools_too && c.dtype(0) == DType::boolean) && !expect_number(c, 0)) return;
  if (at_run_time(c)) return infer_at_run_time(c);
  const auto axes = reduced_axes(c);
  if (axes) c.output(0, c.dtype(0), kept_axes(c, *axes));
}

struct ReduceName {
  std::string_view op, reducer;
};
constexpr ReduceName reducers[] = {
    {"ReduceSum", "Sum"}, {"ReduceMean", "Mean"}, {"ReduceMax", "Max"}, {"ReduceMin", "Min"}, {"ReduceProd", "Product"},
    {"ReduceL1", "L1"}, {"ReduceL2", "L2"}, {"ReduceLogSum", "LogSum"}, {"ReduceLogSumExp", "LogSumExp"},
    {"ReduceSumSquare", "SumSquare"},
};

std::string_view reducer(const NodeContext& c) {
  return std::ranges::find(reducers, c.node().op_type, &ReduceName::op)->reducer;
}

// A reduction over no axis leaves what its function does to a single element.
void lower_single(LowerContext& c) {
  const std::string_view name = reducer(c);
  Formula f(c);
  const Term x = f(c.in(0));
  if (name == "L1" || name == "L2") f.into(c.out(0), abs(x));
  else if (name == "LogSum") f.into(c.out(0), log(x));
  else if (name == "SumSquare") f.into(c.out(0), x * x);
  else c.alias(0, c.in(0));
}

void lower_reduce(LowerContext& c) {
  if (at_run_time(c)) return lower_at_run_time(c, reducer(c));
  const auto axes = reduced_axes(c);
  if (axes->empty()) return lower_single(c);
  call_reduce(c, c.out(0), reducer(c), *axes, c.in(0));
}

// The elements of one result, of integers: shapes are what a build multiplies and adds.
std::optional<Polynomial> fold_one(const NodeContext& c, std::string_view name, const std::vector<Polynomial>& x) {
  Symbols& symbols = c.symbols();
  if (x.empty() && name != "Sum" && name != "Product") return std::nullopt;
  Polynomial r = name == "Product" ? 1 : name == "Sum" || name == "Mean" ? 0 : x[0];
  for (const Polynomial& p : x) {
    if (name == "Product") r = r * p;
    else if (name == "Max") r = symbols.max(r, p);
    else if (name == "Min") r = symbols.min(r, p);
    else r = r + p;
  }
  if (name == "Mean") r = symbols.truncated_div(r, static_cast<std::int64_t>(x.size()));
  return r;
}

void fold_reduce(InferContext& c) {
  const std::string_view name = reducer(c);
  const Known& in = *c.known(0);
  const auto axes = reduced_axes(c);
  if (!axes || !in.integral() || name.starts_with("L") || name == "SumSquare") return;
  if (in.dtype != DType::int64 && in.dtype != DType::int32) return;
  Known out{in.dtype, {}, {}};
  const bool keep = c.integer("keepdims", 1) != 0;
  std::int64_t places = 1;
  for (int k = 0; k < c.rank(0); ++k) {
    const bool reduced = std::ranges::binary_search(*axes, k);
    if (reduced && !keep) continue;
    out.dims.push_back(reduced ? 1 : in.dims[static_cast<std::size_t>(k)]);
    places *= out.dims.back();
  }
  std::vector<std::vector<Polynomial>> groups(static_cast<std::size_t>(places));
  for (std::size_t i = 0; i < in.elements.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    std::int64_t place = 0, step = 1;
    for (int k = c.rank(0) - 1; k >= 0; --k) {
      const std::int64_t d = in.dims[static_cast<std::size_t>(k)], at = rest % d;
      rest /= d;
      if (std::ranges::binary_search(*axes, k)) continue;
      place += at * step;
      step *= d;
    }
    groups[static_cast<std::size_t>(place)].push_back(in.integer(i));
  }
  for (const auto& group : groups) {
    auto value = fold_one(c, name, group);
    if (!value) return;
    out.elements.emplace_back(in.dtype == DType::int32 ? c.symbols().wrap32(*value) : std::move(*value));
  }
  c.fold(0, std::move(out));
}

// ---- ArgMax and ArgMin ---------------------------------------------------------------------------------------------

void infer_arg(InferContext& c) {
  if (!expect_number(c, 0)) return;
  const auto axis = c.axis_index(c.integer("axis", 0), c.rank(0));
  if (axis) c.output(0, DType::int64, kept_axes(c, {*axis}));
}

template <bool Max>
void lower_arg(LowerContext& c) {
  const auto axis = c.axis_index(c.integer("axis", 0), c.rank(0));
  c.call("arg_reduce", "arg_reduce", {c.out(0)},
         {Literal{Max ? "loam::ArgMax{}" : "loam::ArgMin{}"}, integer_literal(*axis),
          flag_literal(c.integer("select_last_index", 0) != 0)},
         {c.in(0)});
}

template <Takes T>
constexpr Operator reduction(std::string_view name) {
  return {.domain = "",
          .name = name,
          .infer = infer_reduce<T>,
          .lower = lower_reduce,
          .fold = fold_reduce,
          .min_inputs = 1,
          .max_inputs = 2};
}

constexpr Operator rows[] = {
    reduction<Takes::numbers>("ReduceSum"),
    reduction<Takes::numbers>("ReduceMean"),
    reduction<Takes::numbers>("ReduceProd"),
    reduction<Takes::bools_too>("ReduceMax"),
    reduction<Takes::bools_too>("ReduceMin"),
    reduction<Takes::numbers>("ReduceL1"),
    reduction<Takes::numbers>("ReduceL2"),
    reduction<Takes::numbers>("ReduceSumSquare"),
    reduction<Takes::numbers>("ReduceLogSum"),
    reduction<Takes::numbers>("ReduceLogSumExp"),
    {.domain = "", .name = "ArgMax", .infer = infer_arg, .lower = lower_arg<true>},
    {.domain = "", .name = "ArgMin", .infer = infer_arg, .lower = lower_arg<false>},
};

}  // namespace

std::span<const Operator> reduce_operators() { return rows; }

}  // namespace loam
