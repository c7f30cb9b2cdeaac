// Gather, GatherElements, GatherND (ai.onnx): elements picked by index. A negative index counts from the end.
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

bool expect_indices(const NodeContext& c) { return expect_dtype(c, 1, {DType::int64, DType::int32}); }

std::optional<int> gather_axis(const NodeContext& c) { return c.axis_index(c.integer("axis", 0), c.rank(0)); }

// Whether the build can tell that a known index lies on an axis of this extent; reports one that cannot.
bool on_axis(const NodeContext& c, const Polynomial& index, const Polynomial& extent, const std::string& axis) {
  const auto i = index.constant(), n = extent.constant();
  if (!i || !n || (*i >= -*n && *i < *n)) return true;
  c.error(Code::index_out_of_range,
          "index " + std::to_string(*i) + " is outside " + axis + ", of " + std::to_string(*n) + " elements");
  return false;
}

bool check_indices(const InferContext& c, int axis) {
  const Known* indices = c.known(1);
  if (!indices) return true;
  for (std::size_t i = 0; i < indices->elements.size(); ++i)
    if (!on_axis(c, indices->integer(i), c.extent(0, axis), c.spell(c.axis(0, axis)))) return false;
  return true;
}

// The element's number along an axis of `extent`, where the index is a number that lies on it.
std::optional<std::int64_t> place(const Known& indices, std::int64_t at, std::int64_t extent) {
  const auto i = indices.integer(static_cast<std::size_t>(at)).constant();
  if (!i || *i < -extent || *i >= extent) return std::nullopt;
  return *i < 0 ? *i + extent : *i;
}

// out[index] = data's element number source(index), where the build can tell it for every index.
template <class Source>
void fold_picked(InferContext& c, Source source) {
  const auto dims = known_dims(c, 0);
  if (!dims) return;
  bool found = true;
  Known out = moved(*c.known(0), *dims, [&](const Places& index) -> std::int64_t {
    const auto at = source(index);
    found = found && at;
    return found ? *at : 0;
  });
  if (found) c.fold(0, std::move(out));
}

// ---- Gather: data's axis gives way to the axes of the indices. -----------------------------------------------------

void infer_gather(InferContext& c) {
  if (!expect_indices(c)) return;
  const auto axis = gather_axis(c);
  if (!axis || !check_indices(c, *axis)) return;
  if (const auto one = known_integer(c, 1)) {
    // One index the build knows is a place in the tensor, not a lookup: what it relies on is checked before anything.
    const Polynomial extent = c.extent(0, *axis);
    const std::string reason = "index " + c.spell(*one) + " must lie on " + c.spell(c.axis(0, *axis)) + ", of " +
                               c.spell(extent) + " elements";
    if (!c.owe(extent - 1 - *one, reason) || !c.owe(*one + extent, reason)) return;
  }
  std::vector<Axis> axes(c.axes(0).begin(), c.axes(0).begin() + *axis);
  axes.insert(axes.end(), c.axes(1).begin(), c.axes(1).end());
  axes.insert(axes.end(), c.axes(0).begin() + *axis + 1, c.axes(0).end());
  c.output(0, c.dtype(0), std::move(axes));
}

void fold_gather(InferContext& c) {
  const Known &data = *c.known(0), &indices = *c.known(1);
  const auto at = static_cast<std::ptrdiff_t>(*gather_axis(c)),
             count = static_cast<std::ptrdiff_t>(indices.dims.size());
  const Places strides = dense_strides(data.dims), index_strides = dense_strides(indices.dims);
  fold_picked(c, [&](const Places& index) -> std::optional<std::int64_t> {
    const auto picked = place(indices, offset_of({index.begin() + at, index.begin() + at + count}, index_strides),
                              data.dims[static_cast<std::size_t>(at)]);
    if (!picked) return std::nullopt;
    Places from(index.begin(), index.begin() + at);
    from.push_back(*picked);
    from.insert(from.end(), index.begin() + at + count, index.end());
    return offset_of(from, strides);
  });
}

void lower_gather(LowerContext& c) {
  const int axis = *gather_axis(c);
  const auto one = known_integer(c, 1);
  if (!one) {
    c.call("gather", "gather", {c.out(0)}, {integer_literal(axis)}, {c.in(0), c.in(1)}, true);
    return;
  }
  std::vector<Axis> axes = c.axes(0);
  axes[static_cast<std::size_t>(axis)] = c.unit();
  std::vector<Polynomial> starts(axes.size(), 0), steps(axes.size(), 1);
  starts[static_cast<std::size_t>(axis)] = c.symbols().from_end(*one, c.extent(0, axis));
  const TensorId row = c.slice(c.in(0), std::move(axes), std::move(starts), std::move(steps));
  std::vector<int> source;
  for (int k = 0; k < axis; ++k) source.push_back(k);
  source.insert(source.end(), static_cast<std::size_t>(c.rank(1)), -1);
  for (int k = axis + 1; k < c.rank(0); ++k) source.push_back(k);
  c.alias(0, c.units(row, source, c.output_type(0).axes));
}

// ---- GatherElements: one index for each element of the output. -----------------------------------------------------

void infer_gather_elements(InferContext& c) {
  if (!expect_indices(c) || !expect_rank(c, 1, c.rank(0))) return;
  const auto axis = gather_axis(c);
  if (!axis || !check_indices(c, *axis)) return;
  for (int k = 0; k < c.rank(0); ++k) {
    if (k == *axis) continue;
    // The other coordinates are the data's own, and may stop short of its end.
    const Polynomial whole = c.extent(0, k), part = c.extent(1, k);
    if (whole == part)
      c.equate(c.axis(0, k), c.axis(1, k), "in " + c.input_name(0), "in " + c.input_name(1));
    else if (!c.owe(whole - part, c.spell(c.axis(1, k)) + " of the indices is " + c.spell(part) +
                                      ", which must lie within the data's " + c.spell(whole)))
      return;
  }
  c.output(0, c.dtype(0), c.axes(1));
}

void fold_gather_elements(InferContext& c) {
  const Known &data = *c.known(0), &indices = *c.known(1);
  const auto at = static_cast<std::size_t>(*gather_axis(c));
  const Places strides = dense_strides(data.dims), index_strides = dense_strides(indices.dims);
  fold_picked(c, [&](const Places& index) -> std::optional<std::int64_t> {
    const auto picked = place(indices, offset_of(index, index_strides), data.dims[at]);
    return picked ? std::optional(offset_of(index, strides) + (*picked - index[at]) * strides[at]) : std::nullopt;
  });
}

void lower_gather_elements(LowerContext& c) {
  c.call("gather_elements", "gather_elements", {c.out(0)}, {integer_literal(*gather_axis(c))}, {c.in(0), c.in(1)},
         true);
}

// ---- GatherND: the last axis of the indices holds coordinates on data's axes after the batch. ----------------------

void infer_gather_nd(InferContext& c) {
  if (!expect_dtype(c, 1, {DType::int64})) return;
  const std::int64_t batch = c.integer("batch_dims", 0);
  if (c.rank(1) == 0 || c.rank(0) == 0 || batch < 0 || batch >= c.rank(0) || batch >= c.rank(1))
    return c.error(Code::rank_mismatch, "batch_dims is " + std::to_string(batch) + ", the data has " +
                                            std::to_string(c.rank(0)) + " axes and the indices " +
                                            std::to_string(c.rank(1)));
  const auto width = c.extent(1, c.rank(1) - 1).constant();
  if (!width || *width < 1 || *width > c.rank(0) - batch)
    return c.error(Code::index_out_of_range, "a row of the indices holds " + c.spell(c.extent(1, c.rank(1) - 1)) +
                                                 " coordinates, and there are " + std::to_string(c.rank(0) - batch) +
                                                 " axes to index");
  std::vector<Axis> axes;
  for (int k = 0; k < c.rank(1) - 1; ++k)
    axes.push_back(k < batch ? c.equate(c.axis(0, k), c.axis(1, k), "in " + c.input_name(0), "in " + c.input_name(1))
                             : c.axis(1, k));
  axes.insert(axes.end(), c.axes(0).begin() + batch + *width, c.axes(0).end());
  c.output(0, c.dtype(0), std::move(axes));
}

void fold_gather_nd(InferContext& c) {
  const Known &data = *c.known(0), &indices = *c.known(1);
  const auto batch = static_cast<std::size_t>(c.integer("batch_dims", 0));
  const auto width = static_cast<std::size_t>(indices.dims.back());
  const Places strides = dense_strides(data.dims), index_strides = dense_strides(indices.dims);
  const auto leading = static_cast<std::ptrdiff_t>(indices.dims.size() - 1);
  fold_picked(c, [&](const Places& index) -> std::optional<std::int64_t> {
    Places row(index.begin(), index.begin() + leading);
    row.push_back(0);
    Places from(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(batch));
    for (std::size_t k = 0; k < width; ++k, ++row.back()) {
      const auto picked = place(indices, offset_of(row, index_strides), data.dims[batch + k]);
      if (!picked) return std::nullopt;
      from.push_back(*picked);
    }
    from.insert(from.end(), index.begin() + leading, index.end());
    return offset_of(from, strides);
  });
}

void lower_gather_nd(LowerContext& c) {
  c.call("gather_nd", "gather_nd", {c.out(0)}, {integer_literal(c.integer("batch_dims", 0))}, {c.in(0), c.in(1)}, true);
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Gather", .infer = infer_gather, .lower = lower_gather, .fold = fold_gather, .min_inputs = 2,
     .max_inputs = 2},
    {.domain = "", .name = "GatherElements", .infer = infer_gather_elements, .lower = lower_gather_elements,
     .fold = fold_gather_elements, .min_inputs = 2, .max_inputs = 2},
    {.domain = "", .name = "GatherND", .infer = infer_gather_nd, .lower = lower_gather_nd, .fold = fold_gather_nd,
     .min_inputs = 2, .max_inputs = 2},
};

}  // namespace

std::span<const Operator> gather_operators() { return rows; }

}  // namespace loam
