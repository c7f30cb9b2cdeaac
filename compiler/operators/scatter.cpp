// ScatterElements (Scatter before opset 11), ScatterND, TensorScatter (ai.onnx): a tensor with some elements replaced,
// or combined with others.
#include <algorithm>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

bool expect_operands(const NodeContext& c) {
  if (!expect_dtype(c, 1, {DType::int64, DType::int32}) || !expect_one_dtype(c, 0, 2) ||
      !expect_word(c, "reduction", "none", {"none", "add", "mul", "min", "max"}))
    return false;
  const std::string word = c.text("reduction", "none");
  if (c.dtype(0) != DType::string || word == "none") return true;
  c.error(Code::element_type, "reduces strings by " + word + ", which nothing does");
  return false;
}

Literal reduction(const NodeContext& c) {
  const std::string word = c.text("reduction", "none");
  const char* name = word == "add"   ? "Add"
                     : word == "mul" ? "Mul"
                     : word == "min" ? "Min"
                     : word == "max" ? "Max"
                                     : "Replace";
  return {"loam::reduction::" + std::string(name) + "{}"};
}

// One coordinate that a known index gives, where it is a number on its axis.
std::optional<std::int64_t> coordinate(const Known& indices, std::int64_t at, std::int64_t extent) {
  const auto i = indices.integer(static_cast<std::size_t>(at)).constant();
  if (!i || *i < -extent || *i >= extent) return std::nullopt;
  return *i < 0 ? *i + extent : *i;
}

bool replaces(const NodeContext& c) { return c.text("reduction", "none") == "none"; }

// ---- ScatterElements: one place for each element of the updates. ---------------------------------------------------

std::optional<int> scatter_axis(const NodeContext& c) { return c.axis_index(c.integer("axis", 0), c.rank(0)); }

void infer_scatter_elements(InferContext& c) {
  if (!expect_operands(c) || !expect_rank(c, 1, c.rank(0)) || !expect_rank(c, 2, c.rank(0))) return;
  const auto axis = scatter_axis(c);
  if (!axis) return;
  for (int k = 0; k < c.rank(0); ++k) {
    c.equate(c.axis(1, k), c.axis(2, k), "in the indices", "in the updates");
    if (k == *axis) continue;
    const Polynomial whole = c.extent(0, k), part = c.extent(1, k);
    if (whole == part)
      c.equate(c.axis(0, k), c.axis(1, k), "in the data", "in the indices");
    else if (!c.owe(whole - part, c.spell(c.axis(1, k)) + " of the indices is " + c.spell(part) +
                                      ", which must lie within the data's " + c.spell(whole)))
      return;
  }
  c.output(0, c.dtype(0), c.axes(0));
}

void fold_scatter_elements(InferContext& c) {
  if (!replaces(c)) return;
  const Known &data = *c.known(0), &indices = *c.known(1), &updates = *c.known(2);
  const auto axis = static_cast<std::size_t>(*scatter_axis(c));
  const Places strides = dense_strides(data.dims);
  Known out = data;
  Places index(indices.dims.size(), 0);
  for (std::size_t i = 0; i < indices.elements.size(); ++i, advance(index, indices.dims)) {
    const auto to = coordinate(indices, static_cast<std::int64_t>(i), data.dims[axis]);
    if (!to) return;
    Places at = index;
    at[axis] = *to;
    out.elements[static_cast<std::size_t>(offset_of(at, strides))] = updates.elements[i];
  }
  c.fold(0, std::move(out));
}

void lower_scatter_elements(LowerContext& c) {
  c.call("scatter_elements", "scatter", {c.out(0)}, {integer_literal(*scatter_axis(c)), reduction(c)},
         {c.in(0), c.in(1), c.in(2)}, true);
}

// ---- ScatterND: the last axis of the indices holds coordinates on the data's first axes. ---------------------------

void infer_scatter_nd(InferContext& c) {
  if (!expect_operands(c) || !expect_least_rank(c, 0, 1) || !expect_least_rank(c, 1, 1)) return;
  const int rows = c.rank(1) - 1;
  const auto width = c.extent(1, rows).constant();
  if (!width || *width < 1 || *width > c.rank(0))
    return c.error(Code::index_out_of_range, "a row of the indices holds " + c.spell(c.extent(1, rows)) +
                                                 " coordinates, and there are " + std::to_string(c.rank(0)) +
                                                 " axes to index");
  const int first = static_cast<int>(*width);
  if (!expect_rank(c, 2, rows + c.rank(0) - first)) return;
  for (int k = 0; k < rows; ++k) c.equate(c.axis(1, k), c.axis(2, k), "in the indices", "in the updates");
  for (int k = first; k < c.rank(0); ++k)
    c.equate(c.axis(0, k), c.axis(2, rows + k - first), "in the data", "in the updates");
  c.output(0, c.dtype(0), c.axes(0));
}

void fold_scatter_nd(InferContext& c) {
  if (!replaces(c)) return;
  const Known &data = *c.known(0), &indices = *c.known(1), &updates = *c.known(2);
  const std::int64_t width = indices.dims.back();
  const Places strides = dense_strides(data.dims);
  const auto slice = static_cast<std::int64_t>(strides[static_cast<std::size_t>(width) - 1]);
  const std::int64_t rows = static_cast<std::int64_t>(indices.elements.size()) / width;
  Known out = data;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t at = 0;
    for (std::int64_t k = 0; k < width; ++k) {
      const auto to = coordinate(indices, row * width + k, data.dims[static_cast<std::size_t>(k)]);
      if (!to) return;
      at += *to * strides[static_cast<std::size_t>(k)];
    }
    std::copy_n(updates.elements.begin() + row * slice, slice, out.elements.begin() + at);
  }
  c.fold(0, std::move(out));
}

void lower_scatter_nd(LowerContext& c) {
  c.call("scatter_nd", "scatter", {c.out(0)}, {reduction(c)}, {c.in(0), c.in(1), c.in(2)}, true);
}

// ---- TensorScatter: a cache with an update written from a position of each batch on. -------------------------------

std::optional<int> cache_axis(const NodeContext& c) { return c.axis_index(c.integer("axis", -2), c.rank(0)); }

void infer_tensor_scatter(InferContext& c) {
  if (!expect_one_dtype(c, 0, 1) || !expect_rank(c, 1, c.rank(0)) ||
      !expect_word(c, "mode", "linear", {"linear", "circular"}))
    return;
  const auto axis = cache_axis(c);
  if (!axis) return;
  if (*axis == 0) return c.error(Code::bad_attribute, "axis is 0, which is the batch");
  for (int k = 0; k < c.rank(0); ++k)
    if (k != *axis) c.equate(c.axis(0, k), c.axis(1, k), "in the cache", "in the update");
  const Polynomial whole = c.extent(0, *axis), part = c.extent(1, *axis);
  if (!c.owe(whole - part, c.spell(c.axis(1, *axis)) + " of the update is " + c.spell(part) +
                               ", which must fit the cache's " + c.spell(whole)))
    return;
  if (c.has(2)) {
    if (!expect_dtype(c, 2, {DType::int64}) || !expect_rank(c, 2, 1)) return;
    c.equate(c.axis(0, 0), c.axis(2, 0), "in the cache", "in the write indices");
  }
  c.output(0, c.dtype(0), c.axes(0));
}

void lower_tensor_scatter(LowerContext& c) {
  c.call("tensor_scatter", "scatter", {c.out(0)},
         {integer_literal(*cache_axis(c)), flag_literal(c.text("mode", "linear") == "circular")},
         {c.in(0), c.in(1), c.optional_in(2)}, true);
}

constexpr Operator elements(std::string_view name) {
  return {.domain = "",
          .name = name,
          .infer = infer_scatter_elements,
          .lower = lower_scatter_elements,
          .fold = fold_scatter_elements,
          .min_inputs = 3,
          .max_inputs = 3};
}

constexpr Operator rows[] = {
    elements("Scatter"), elements("ScatterElements"),
    {.domain = "", .name = "ScatterND", .infer = infer_scatter_nd, .lower = lower_scatter_nd, .fold = fold_scatter_nd,
     .min_inputs = 3, .max_inputs = 3},
    {.domain = "", .name = "TensorScatter", .infer = infer_tensor_scatter, .lower = lower_tensor_scatter,
     .min_inputs = 2, .max_inputs = 3},
};

}  // namespace

std::span<const Operator> scatter_operators() { return rows; }

}  // namespace loam
