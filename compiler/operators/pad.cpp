// Pad and CenterCropPad (ai.onnx): a tensor amid elements of a constant or of its own, or less of it.
#include <algorithm>

#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"
#include "compiler/shape/integer.hpp"

namespace loam {

namespace {

// Where along one axis the operand's elements stand in the output.
struct Window {
  Polynomial from, to, length;
};

// out = fill wherever no window is, and the operand's elements within the windows, one for each axis.
void lower_windows(LowerContext& c, const std::vector<Window>& windows, const auto& fill) {
  const std::vector<Axis>& axes = c.output_type(0).axes;
  std::vector<Polynomial> from, to;
  const std::vector<Polynomial> steps(windows.size(), 1);
  std::vector<Axis> kept;
  bool covers = true, whole = true;
  for (std::size_t k = 0; k < windows.size(); ++k) {
    const Polynomial inside = c.extent(0, static_cast<int>(k)), outside = c.symbols().simplify(axes[k].extent());
    const bool all_in = windows[k].length == inside, all_out = windows[k].length == outside;
    from.push_back(windows[k].from);
    to.push_back(windows[k].to);
    whole = whole && all_in;
    covers = covers && all_out;
    kept.push_back(all_in    ? c.axis(0, static_cast<int>(k))
                   : all_out ? axes[k]
                             : c.named_axis("Kept", windows[k].length));
  }
  TensorId x = c.in(0);
  if (!whole) x = c.slice(x, kept, from, steps);
  if (covers) return c.alias(0, x);
  const TensorId out = c.out(0);
  Formula f(c);
  f.into(out, fill(f));
  c.copy(c.slice(out, kept, to, steps), x);
}

// ---- Pad -----------------------------------------------------------------------------------------------------------

struct Padding {
  std::vector<Polynomial> begins, ends;  // of every axis
  std::vector<Polynomial> axes;          // those the node speaks of
};

// Opset 1 spells the attribute "paddings"; from opset 11 on the lengths are an input, from 18 on perhaps of some axes.
std::optional<Padding> padding(NodeContext& c) {
  bool failed = false;
  BoundInputs inputs(c);
  const auto pads = inputs.integers(1, c.opset() < 2 ? "paddings" : "pads", failed);
  auto axes = inputs.axes(3, "", c.rank(0), failed);
  if (failed) return std::nullopt;
  const auto rank = static_cast<std::size_t>(c.rank(0));
  if (!axes) {
    axes.emplace();
    for (int k = 0; k < c.rank(0); ++k) axes->emplace_back(k);
  }
  if (!pads || pads->size() != 2 * axes->size()) {
    c.error(Code::bad_attribute, "pads " + std::to_string(axes->size()) + " axes and gives " +
                                     std::to_string(pads ? pads->size() : 0) +
                                     " lengths, and each takes one at either end");
    return std::nullopt;
  }
  Padding result{std::vector<Polynomial>(rank, 0), std::vector<Polynomial>(rank, 0), *axes};
  for (std::size_t i = 0; i < axes->size(); ++i)
    for (std::size_t k = 0; k < rank; ++k) {
      const Polynomial hit = c.symbols().eq((*axes)[i], static_cast<std::int64_t>(k));
      result.begins[k] = result.begins[k] + c.symbols().select(hit, (*pads)[i], 0);
      result.ends[k] = result.ends[k] + c.symbols().select(hit, (*pads)[i + axes->size()], 0);
    }
  return result;
}

// What is left of an axis where negative padding cuts it.
Polynomial left(Symbols& s, const Polynomial& extent, const Polynomial& begin, const Polynomial& end) {
  return extent + s.min(begin, 0) + s.min(end, 0);
}

void infer_pad(InferContext& c) {
  const std::string mode = c.text("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
    return c.error(Code::bad_attribute, "mode is " + mode + ", and the operator takes constant, reflect, edge or wrap");
  if (!bind_unknown(c, {1, 3}, index_range)) return;
  const auto pads = padding(c);
  if (!pads || !owe_axes(c, pads->axes, c.rank(0))) return;
  if (c.has(2) && c.dtype(2) != c.dtype(0))
    return c.error(Code::element_type, c.input_name(0) + " is " + std::string(dtype_name(c.dtype(0))) + " and " +
                                           c.input_name(2) + " is " + std::string(dtype_name(c.dtype(2))));
  std::vector<Axis> axes;
  for (int k = 0; k < c.rank(0); ++k) {
    const Polynomial &begin = pads->begins[static_cast<std::size_t>(k)], &end = pads->ends[static_cast<std::size_t>(k)],
                     extent = c.extent(0, k);
    if (begin.is(0) && end.is(0)) {
      axes.push_back(c.axis(0, k));
      continue;
    }
    const std::string found = c.spell(c.axis(0, k)) + " is " + c.spell(extent) + " and is padded by " + c.spell(begin) +
                              " and " + c.spell(end);
    if (!c.owe(extent + begin + end, found + ", which must leave no less than nothing")) return;
    if (mode != "constant" &&
        !c.owe(left(c.symbols(), extent, begin, end) - 1, found + ", which must leave an element to pad with"))
      return;
    axes.push_back(c.fresh(extent + begin + end));
  }
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_pad(LowerContext& c) {
  bind_unknown(c, {1, 3}, index_range);
  const auto pads = *padding(c);
  const std::string mode = c.text("mode", "constant");
  if (mode != "constant") {
    const std::string_view name = mode == "reflect" ? "Reflect" : mode == "edge" ? "Edge" : "Wrap";
    c.call("pad", "pad", {c.out(0)}, {Literal{"loam::pad_mode::" + std::string(name) + "{}"}, ExtentList{pads.begins}},
           {c.in(0)});
    return;
  }
  Symbols& s = c.symbols();
  std::vector<Window> windows;
  for (int k = 0; k < c.rank(0); ++k) {
    const Polynomial &begin = pads.begins[static_cast<std::size_t>(k)], &end = pads.ends[static_cast<std::size_t>(k)];
    windows.push_back({s.max(-begin, 0), s.max(begin, 0), s.max(left(s, c.extent(0, k), begin, end), 0)});
  }
  lower_windows(c, windows, [&](Formula& f) {
    const DType type = compute_type(c.dtype(0));
    return c.has(2)         ? f.in(2)
           : is_float(type) ? f.number(c.number("value", 0), type)
                            : f.integer(saturated(c.number("value", 0)), type);
  });
}

// ---- CenterCropPad -------------------------------------------------------------------------------------------------

// The length of each axis of the output.
std::optional<std::vector<Polynomial>> centred(NodeContext& c) {
  bool failed = false;
  const auto shape = BoundInputs(c).integers(1, "", failed);
  const auto listed = c.integers("axes");
  if (failed) return std::nullopt;
  const std::size_t wanted = listed ? listed->size() : static_cast<std::size_t>(c.rank(0));
  if (shape->size() != wanted) {
    c.error(Code::bad_attribute,
            "gives " + std::to_string(shape->size()) + " lengths for " + std::to_string(wanted) + " axes");
    return std::nullopt;
  }
  if (listed && !c.axis_indices(*listed, c.rank(0))) return std::nullopt;
  std::vector<Polynomial> lengths;
  for (int k = 0; k < c.rank(0); ++k) lengths.push_back(c.extent(0, k));
  for (std::size_t i = 0; i < wanted; ++i) {
    const std::int64_t k = listed ? (*listed)[i] : static_cast<std::int64_t>(i);
    lengths[static_cast<std::size_t>(k < 0 ? k + c.rank(0) : k)] = (*shape)[i];
  }
  return lengths;
}

void infer_center_crop_pad(InferContext& c) {
  if (!expect_rank(c, 1, 1) || !bind_unknown(c, {1}, length_range)) return;
  const auto lengths = centred(c);
  if (!lengths) return;
  std::vector<Axis> axes;
  for (int k = 0; k < c.rank(0); ++k) {
    const Polynomial& to = (*lengths)[static_cast<std::size_t>(k)];
    if (!c.owe(to, c.spell(c.axis(0, k)) + " is cropped or padded to " + c.spell(to) + ", which must not be negative"))
      return;
    axes.push_back(to == c.extent(0, k) ? c.axis(0, k) : c.fresh(to));
  }
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_center_crop_pad(LowerContext& c) {
  bind_unknown(c, {1}, length_range);
  const auto lengths = *centred(c);
  Symbols& s = c.symbols();
  std::vector<Window> windows;
  for (int k = 0; k < c.rank(0); ++k) {
    const Polynomial from = c.extent(0, k), &to = lengths[static_cast<std::size_t>(k)];
    windows.push_back({s.floor_div(s.max(from - to, 0), 2), s.floor_div(s.max(to - from, 0), 2), s.min(from, to)});
  }
  lower_windows(c, windows, [&](Formula& f) { return f.integer(0, compute_type(c.dtype(0))); });
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Pad", .infer = infer_pad, .lower = lower_pad, .max_inputs = 4},
    {.domain = "", .name = "CenterCropPad", .infer = infer_center_crop_pad, .lower = lower_center_crop_pad,
     .min_inputs = 2, .max_inputs = 2},
};

}  // namespace

std::span<const Operator> pad_operators() { return rows; }

}  // namespace loam
