// Squeeze and Unsqueeze (ai.onnx): axes of one element dropped and inserted.
#include <algorithm>

#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

bool at_run_time(const NodeContext& c) { return c.has(1) && !c.known(1); }

// The axes that the node names, as the build knows them; nullopt where it names none.
std::optional<std::vector<int>> named_axes(const NodeContext& c, bool inserted, bool& failed) {
  const auto named = c.list(1, "axes", failed);
  if (!named) return std::nullopt;
  auto axes = c.axis_indices(*named, c.rank(0) + (inserted ? static_cast<int>(named->size()) : 0));
  failed = !axes;
  return axes;
}

bool lists(const std::vector<int>& axes, int k) { return std::ranges::find(axes, k) != axes.end(); }

// ---- Axes that only the run knows: the build knows how many, and the run computes the lengths they leave. ----------

void infer_at_run_time(InferContext& c, int sign) {
  if (!c.wants(0)) return;
  const auto n = c.elements(1).constant();
  const std::int64_t rank = c.rank(0) + sign * n.value_or(0);
  if (!n || rank < 0)
    return c.error(Code::value_needed, c.input_name(1) + " is computed at run time and names " +
                                           c.spell(c.elements(1)) + " axes of " + std::to_string(c.rank(0)));
  std::vector<Polynomial> extents;
  std::vector<Axis> axes;
  for (std::int64_t k = 0; k < rank && k <= 8; ++k) {
    extents.push_back(c.bind(result_name(c) + "_" + std::to_string(k), length_range));
    axes.push_back(c.fresh(extents.back()));
  }
  if (c.equate(product(extents), c.elements(0), "the axes must be different, and those squeezed be 1"))
    c.output(0, c.dtype(0), std::move(axes));
}

// Of the named axes, how many stand before place k and whether one stands there.
struct Standing {
  Term before, there;
};

Standing standing(Formula& f, const std::vector<Term>& named, Term k) {
  Standing s{k.constant(0), f.integer(0, DType::boolean)};
  for (const Term a : named) {
    s.before = s.before + (a < k).as(DType::int64);
    s.there = apply(ScalarOp::logical_or, s.there, equal(a, k));
  }
  return s;
}

// `length(f, named, k)` is the length of the output's axis k.
template <class Length>
void lower_at_run_time(LowerContext& c, int rank, Length length) {
  const auto& extents = c.output_type(0).axes;
  if (!extents.empty()) {
    Formula f(c);
    std::vector<Term> named;
    for (std::int64_t i = 0; i < c.elements(1).constant().value_or(0); ++i) {
      const TensorId one = c.rank(1) == 0 ? c.in(1) : c.units(c.slice(c.in(1), {c.unit()}, {i}, {1}), {}, {});
      const Term a = f(one).as(DType::int64);
      named.push_back(where(a < a.constant(0), a + a.constant(rank), a));
    }
    const Axis axis = c.named_axis("Rank", static_cast<std::int64_t>(extents.size()));
    const TensorId lengths = f.make({axis}, length(f, named, f.coordinate(0)), "lengths");
    c.bind(c.typed().bound, lengths);
  }
  c.alias(0, c.reshape(c.in(0), extents));
}

Term extent_of(const LowerContext& c, Formula& f, int k) { return f.value(c.extent(0, k), DType::int64); }

// ---- Squeeze -------------------------------------------------------------------------------------------------------

void infer_squeeze(InferContext& c) {
  if (at_run_time(c)) return infer_at_run_time(c, -1);
  bool failed = false;
  const auto named = named_axes(c, false, failed);
  if (failed) return;
  std::vector<Axis> axes;
  for (int k = 0; k < c.rank(0); ++k) {
    const Polynomial extent = c.extent(0, k);
    const std::string found = c.spell(c.axis(0, k)) + " is " + c.spell(extent);
    if (named ? lists(*named, k) : extent.is(1)) {
      if (!c.equate(extent, 1, found + ", and only an axis of 1 is squeezed")) return;
      continue;
    }
    // With no axes named, a length that turned out to be 1 would be dropped too, and the rank be another.
    if (!named && !c.owe(-c.symbols().eq(extent, 1), found + ", which must not be 1: every such axis is squeezed"))
      return;
    axes.push_back(c.axis(0, k));
  }
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_squeeze(LowerContext& c) {
  if (at_run_time(c))
    return lower_at_run_time(c, c.rank(0), [&](Formula& f, const std::vector<Term>& named, Term k) {
      // The operand's axis that stays, with k that stay before it.
      Term length = k.constant(0);
      for (int j = 0; j < c.rank(0); ++j) {
        const Standing s = standing(f, named, f.integer(j, DType::int64));
        const Term is_it = apply(ScalarOp::logical_not, s.there) & equal(f.integer(j, DType::int64) - s.before, k);
        length = where(is_it, extent_of(c, f, j), length);
      }
      return length;
    });
  bool failed = false;
  const auto named = named_axes(c, false, failed);
  std::vector<int> source;
  for (int k = 0; k < c.rank(0); ++k)
    if (!(named ? lists(*named, k) : c.extent(0, k).is(1))) source.push_back(k);
  c.alias(0, c.units(c.in(0), source, c.output_type(0).axes));
}

// ---- Unsqueeze -----------------------------------------------------------------------------------------------------

// The operand's axis at each place of the output, -1 where one is inserted.
std::vector<int> sources(const NodeContext& c, const std::vector<int>& inserted) {
  std::vector<int> source;
  int next = 0;
  for (int k = 0; k < c.rank(0) + static_cast<int>(inserted.size()); ++k)
    source.push_back(lists(inserted, k) ? -1 : next++);
  return source;
}

void infer_unsqueeze(InferContext& c) {
  if (at_run_time(c)) return infer_at_run_time(c, 1);
  bool failed = false;
  const auto inserted = named_axes(c, true, failed);
  if (failed) return;
  if (!inserted) return c.error(Code::bad_attribute, "names no axes");
  std::vector<Axis> axes;
  for (const int k : sources(c, *inserted)) axes.push_back(k < 0 ? c.unit() : c.axis(0, k));
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_unsqueeze(LowerContext& c) {
  if (at_run_time(c))
    return lower_at_run_time(
        c, static_cast<int>(c.output_type(0).axes.size()), [&](Formula& f, const std::vector<Term>& named, Term k) {
          const Standing s = standing(f, named, k);
          Term length = k.constant(0);
          for (int j = 0; j < c.rank(0); ++j)
            length = where(equal(k - s.before, f.integer(j, DType::int64)), extent_of(c, f, j), length);
          return where(s.there, k.constant(1), length);
        });
  bool failed = false;
  c.alias(0, c.units(c.in(0), sources(c, *named_axes(c, true, failed)), c.output_type(0).axes));
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Squeeze", .infer = infer_squeeze, .lower = lower_squeeze, .fold = fold_regrouped,
     .max_inputs = 2},
    {.domain = "", .name = "Unsqueeze", .infer = infer_unsqueeze, .lower = lower_unsqueeze, .fold = fold_regrouped,
     .max_inputs = 2},
};

}  // namespace

std::span<const Operator> squeeze_operators() { return rows; }

}  // namespace loam
