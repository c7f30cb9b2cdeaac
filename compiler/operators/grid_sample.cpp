// GridSample, and AffineGrid, which makes a grid for it.
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

// ---- GridSample: x [N, C, d1 .. dk], grid [N, o1 .. ok, k] -> [N, C, o1 .. ok] -------------------------------------

void infer_grid_sample(InferContext& c) {
  const int rank = c.rank(0);
  if (!expect_float(c, 0) || !expect_float(c, 1)) return;
  if (rank < 3 || rank > 5) {
    c.error(Code::rank_mismatch, c.input_name(0) + " has " + std::to_string(rank) +
                                     " axes, and the operator takes batch, channels and 1 to 3 more");
    return;
  }
  if (!expect_rank(c, 1, rank)) return;
  expect_word(c, "mode", c.opset() < 20 ? "bilinear" : "linear", {"nearest", "linear", "bilinear", "cubic", "bicubic"});
  expect_word(c, "padding_mode", "zeros", {"zeros", "border", "reflection"});
  const Polynomial places = c.extent(1, rank - 1);
  c.equate(places, rank - 2,
           c.input_name(1) + " gives places of " + c.spell(places) + " coordinates, and " + c.input_name(0) + " has " +
               std::to_string(rank - 2) + " spatial axes");
  std::vector<Axis> axes{c.equate(c.axis(0, 0), c.axis(1, 0), "in " + c.input_name(0), "in " + c.input_name(1)),
                         c.axis(0, 1)};
  axes.insert(axes.end(), c.axes(1).begin() + 1, c.axes(1).end() - 1);
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_grid_sample(LowerContext& c) {
  const std::string mode = c.text("mode", "linear"), padding = c.text("padding_mode", "zeros");
  const std::string_view kernel_mode = mode == "nearest" ? "Nearest" : mode.ends_with("cubic") ? "Cubic" : "Linear";
  const std::string_view kernel_padding = padding == "border"       ? "Border"
                                          : padding == "reflection" ? "Reflection"
                                                                    : "Zeros";
  c.call(
      "grid_sample", "grid_sample", {c.out(0)},
      {Literal{"loam::GridMode::" + std::string(kernel_mode)},
       Literal{"loam::GridPadding::" + std::string(kernel_padding)}, flag_literal(c.integer("align_corners", 0) != 0)},
      {c.in(0), c.in(1)});
}

// ---- AffineGrid: theta [N, k, k + 1], size [N, C, d1 .. dk] -> [N, d1 .. dk, k] ------------------------------------

std::optional<std::vector<Polynomial>> grid_size(NodeContext& c) {
  bool failed = false;
  auto size = BoundInputs(c).integers(1, "size", failed);
  if (failed || !size) return std::nullopt;
  if (size->size() != 4 && size->size() != 5) {
    c.error(Code::operator_form, "size holds " + std::to_string(size->size()) +
                                     " extents, and the operator reads batch, channels and 2 or 3 more");
    return std::nullopt;
  }
  return size;
}

void infer_affine_grid(InferContext& c) {
  if (!expect_float(c, 0) || !expect_rank(c, 0, 3) || !bind_unknown(c, {1}, {0, longest_length})) return;
  const auto size = grid_size(c);
  if (!size) return;
  const auto k = static_cast<std::int64_t>(size->size()) - 2;
  for (const int axis : {1, 2}) {
    const std::int64_t wanted = k + axis - 1;
    c.equate(c.extent(0, axis), wanted,
             c.input_name(0) + " has " + c.spell(c.extent(0, axis)) + (axis == 1 ? " rows" : " columns") +
                 ", and a grid of " + std::to_string(k) + " axes takes " + std::to_string(wanted));
  }
  c.equate(c.extent(0, 0), (*size)[0],
           c.input_name(0) + " has a batch of " + c.spell(c.extent(0, 0)) + ", and size one of " + c.spell((*size)[0]));
  std::vector<Axis> axes{c.axis(0, 0)};
  for (std::size_t i = 2; i < size->size(); ++i) axes.push_back(c.fresh((*size)[i]));
  axes.push_back(c.axis(0, 1));
  c.output(0, c.dtype(0), std::move(axes));
}

// out[n, .., i] = sum over j of theta[n, i, j] * place on axis k - 1 - j, + theta[n, i, k]: x is the innermost axis.
void lower_affine_grid(LowerContext& c) {
  bind_unknown(c, {1}, {0, longest_length});
  const std::vector<Polynomial> size = *grid_size(c);
  const auto k = static_cast<int>(size.size()) - 2;
  const DType type = compute_type(c.dtype(0));
  const bool corners = c.integer("align_corners", 0) != 0;
  const TensorId theta = c.in(0);
  Formula f(c);
  const auto column = [&](int j) {
    std::vector<Axis> axes = c.tensor(theta).axes;
    axes[2] = c.unit();
    TensorId t = c.slice(theta, std::move(axes), {0, 0, j}, {1, 1, 1});
    std::vector<int> source{0};
    std::vector<Axis> spread{c.axis(0, 0)};
    for (int i = 0; i < k; ++i) {
      source.push_back(-1);
      spread.push_back(c.unit());
    }
    source.push_back(1);
    spread.push_back(c.axis(0, 1));
    return f(c.units(t, source, std::move(spread)));
  };
  Term sum = column(k);
  for (int j = 0; j < k; ++j) {
    const Term at = f.coordinate(k - j).as(type), extent = f.value(size[static_cast<std::size_t>(k - j + 1)], type);
    const Term place = corners ? at * 2 / (extent - 1) - 1 : (at * 2 + 1) / extent - 1;
    sum = sum + column(j) * place;
  }
  f.into(c.out(0), sum);
}

constexpr Operator rows[] = {
    {.domain = "", .name = "GridSample", .infer = infer_grid_sample, .lower = lower_grid_sample, .min_inputs = 2,
     .max_inputs = 2},
    {.domain = "com.microsoft", .name = "GridSample", .infer = infer_grid_sample, .lower = lower_grid_sample,
     .min_inputs = 2, .max_inputs = 2},
    {.domain = "", .name = "AffineGrid", .infer = infer_affine_grid, .lower = lower_affine_grid, .min_inputs = 2,
     .max_inputs = 2},
};

}  // namespace

std::span<const Operator> grid_sample_operators() { return rows; }

}  // namespace loam
