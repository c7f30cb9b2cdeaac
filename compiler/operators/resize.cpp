// Resize of every opset, and Upsample, which it replaced: one kernel over each axis's length, scale and region.
//
// Before opset 11 a place is x / scale, and nearest takes the element before it, or after it where the axis shrinks (as
// onnxruntime does; the text is silent). Where only the run knows the scales, a map computes the lengths they leave,
// and forward binds those and the scales, as integers of their 2^30ths.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

// ---- Lengths -------------------------------------------------------------------------------------------------------

constexpr std::int64_t fixed_one = std::int64_t{1} << 30;

// A number the build knows, or one that the run binds.
struct Number {
  double value = 0;
  std::optional<Polynomial> bound;  // in 2^30ths

  bool is(double v) const { return !bound && value == v; }
};

// One axis: its output's length, and its scale where that is not the ratio of the lengths.
struct Resized {
  Polynomial from, to;
  std::optional<Number> scale;
};

// The fraction of a small denominator that a float states: 0.7f is 7 / 10.
std::optional<std::pair<std::int64_t, std::int64_t>> fraction(double scale) {
  for (std::int64_t q = 1; q <= 1024; ++q) {
    const double p = std::nearbyint(scale * static_cast<double>(q));
    if (p < 1e9 && static_cast<float>(p / static_cast<double>(q)) == static_cast<float>(scale))
      return std::pair(static_cast<std::int64_t>(p), q);
  }
  return std::nullopt;
}

// floor(in * scale), a product in float as onnxruntime takes it; over a symbol the scale is read as a fraction.
std::optional<Polynomial> scaled(const NodeContext& c, const Polynomial& in, double scale) {
  if (const auto n = in.constant()) {
    const float length = static_cast<float>(*n) * static_cast<float>(scale);
    if (length < 0x1p63f) return static_cast<std::int64_t>(length);
    c.error(Code::overflow, "scales a length of " + c.spell(in) + " by " + cpp_literal(scale, DType::float64) + ", which passes 64 bits");
    return std::nullopt;
  }
  const auto f = fraction(scale);
  if (!f) {
    c.error(Code::value_needed,
            "scales a length of " + c.spell(in) + " by " + cpp_literal(scale, DType::float64) +
                ", which is no fraction whose product is exact",
            "give the length with --dim");
    return std::nullopt;
  }
  return c.symbols().floor_div(in * f->first, f->second);
}

std::optional<std::vector<double>> known_numbers(const NodeContext& c, int i, std::string_view what) {
  const std::optional<Known> known = c.carried(i);
  if (!known || known->integral()) {
    c.error(Code::value_needed,
            c.input_name(i) + " is computed at run time, and the build reads it as " + std::string(what));
    return std::nullopt;
  }
  std::vector<double> numbers;
  for (std::size_t k = 0; k < known->elements.size(); ++k) numbers.push_back(known->number(k));
  return numbers;
}

bool given(const NodeContext& c, int i) { return c.has(i) && !(c.rank(i) == 1 && c.extent(i, 0).is(0)); }

// Upsample, and Resize before opset 11, read their scales second.
bool old_form(const NodeContext& c) { return c.node().op_type == "Upsample" || c.opset() < 11; }

std::string policy(const NodeContext& c) { return c.text("keep_aspect_ratio_policy", "stretch"); }
int scales_input(const NodeContext& c) { return old_form(c) ? 1 : 2; }
bool sizes_given(const NodeContext& c) { return !old_form(c) && given(c, 3); }
bool crops(const NodeContext& c) {
  return !old_form(c) && c.text("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
}

// Whether only the run knows the scales: they are computed, or follow from sizes or lengths that only the run knows.
bool scales_unknown(const NodeContext& c) {
  if (given(c, scales_input(c))) return !c.carried(scales_input(c));
  if (!sizes_given(c) || policy(c) == "stretch") return false;
  if (!c.known(3) || !c.known(3)->constant()) return true;
  for (int k = 0; k < c.rank(0); ++k)
    if (!c.extent(0, k).is_constant()) return true;
  return false;
}
bool region_unknown(const NodeContext& c) { return crops(c) && given(c, 1) && !c.carried(1); }

// The scales of the axes resized; nullopt where sizes say it instead, or an error was reported.
std::optional<std::vector<double>> read_scales(const NodeContext& c, bool& failed) {
  std::optional<std::vector<double>> scales;
  if (given(c, scales_input(c))) {
    scales = known_numbers(c, scales_input(c), "scales");
    failed = !scales;
  } else if (c.has_attribute("scales")) {
    scales = c.numbers("scales");
    failed = !scales;
  } else if (c.has_attribute("height_scale") && c.rank(0) == 4) {
    scales = {1, 1, c.number("height_scale", 1), c.number("width_scale", 1)};
  }
  if (scales)
    for (const double s : *scales)
      if (!(s > 0)) {
        c.error(Code::bad_attribute, "a scale is " + cpp_literal(s, DType::float64) + ", and it must be more than 0");
        failed = true;
      }
  return failed ? std::nullopt : scales;
}

std::optional<std::vector<int>> resized_axes(const NodeContext& c) {
  if (const auto axes = c.integers("axes")) {
    std::vector<int> indices;  // in the order given, which is that of sizes, scales and roi
    if (!c.axis_indices(*axes, c.rank(0))) return std::nullopt;
    for (const std::int64_t axis : *axes) indices.push_back(static_cast<int>(axis < 0 ? axis + c.rank(0) : axis));
    return indices;
  }
  std::vector<int> all(static_cast<std::size_t>(c.rank(0)));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Keeps the aspect ratio: every axis takes the least, or the greatest, scale that a size asks for. False where an error was
// reported.
bool keep_aspect(const NodeContext& c, const std::vector<int>& axes, std::vector<Resized>& resized, bool larger) {
  std::optional<double> chosen;
  for (const int k : axes) {
    const Resized& r = resized[static_cast<std::size_t>(k)];
    if (r.from.is(0)) {
      c.error(Code::operator_form, "keeps the aspect ratio of axis " + std::to_string(k) + ", which is of length 0");
      return false;
    }
    const double scale = static_cast<float>(r.to.constant_term()) / static_cast<float>(r.from.constant_term());
    chosen = !chosen ? scale : larger ? std::max(*chosen, scale) : std::min(*chosen, scale);
  }
  for (const int k : axes) {
    Resized& r = resized[static_cast<std::size_t>(k)];
    r.scale = Number{*chosen, {}};
    const double length = std::floor(*chosen * static_cast<double>(r.from.constant_term()) + 0.5);
    if (!(std::abs(length) < 0x1p63)) {
      c.error(Code::overflow, "scales axis " + std::to_string(k) + " of " + c.spell(r.from) + " past 64 bits");
      return false;
    }
    r.to = static_cast<std::int64_t>(length);
  }
  return true;
}

std::optional<std::vector<Resized>> read_lengths(NodeContext& c) {
  const auto axes = resized_axes(c);
  if (!axes) return std::nullopt;
  std::vector<Resized> resized;
  for (int k = 0; k < c.rank(0); ++k) resized.push_back({c.extent(0, k), c.extent(0, k), Number{1, {}}});
  if (scales_unknown(c)) {
    const auto& bound = c.typed().bound;
    for (std::size_t i = 0; i < axes->size(); ++i) {
      Resized& r = resized[static_cast<std::size_t>((*axes)[i])];
      r.to = bound[i];
      r.scale = Number{0, bound[axes->size() + i]};
    }
    return resized;
  }
  bool failed = false;
  const auto scales = read_scales(c, failed);
  if (failed) return std::nullopt;
  std::optional<std::vector<Polynomial>> sizes;
  if (sizes_given(c)) sizes = BoundInputs(c).integers(3, "sizes", failed);
  if (failed) return std::nullopt;
  if (scales.has_value() == sizes.has_value()) {
    c.error(Code::operator_form, scales ? "is given scales and sizes" : "is given neither scales nor sizes");
    return std::nullopt;
  }
  const std::size_t count = scales ? scales->size() : sizes->size();
  if (count != axes->size()) {
    c.error(Code::operator_form, "is given " + std::to_string(count) + (scales ? " scales" : " sizes") +
                                     ", and resizes " + std::to_string(axes->size()) + " axes");
    return std::nullopt;
  }
  for (std::size_t i = 0; i < count; ++i) {
    Resized& r = resized[static_cast<std::size_t>((*axes)[i])];
    if (scales) {
      r.scale = Number{(*scales)[i], {}};
      if (r.scale->is(1)) continue;
      const auto to = scaled(c, r.from, (*scales)[i]);
      if (!to) return std::nullopt;
      r.to = *to;
    } else if (r.to = (*sizes)[i]; !(r.to == r.from)) {
      r.scale = std::nullopt;
    }
  }
  if (sizes && policy(c) != "stretch" && !keep_aspect(c, *axes, resized, policy(c) == "not_smaller")) return std::nullopt;
  return resized;
}

// ---- How places are read -------------------------------------------------------------------------------------------

using Words = std::map<std::string_view, std::string_view>;
const Words modes{
    {"nearest", "Nearest"}, {"linear", "Linear"}, {"bilinear", "Linear"}, {"trilinear", "Linear"}, {"cubic", "Cubic"}};
const Words roundings{{"round_prefer_floor", "RoundPreferFloor"},
                      {"round_prefer_ceil", "RoundPreferCeil"},
                      {"floor", "Floor"},
                      {"ceil", "Ceil"}};
const Words coordinate_modes{{"half_pixel", "HalfPixel"},
                             {"half_pixel_symmetric", "HalfPixelSymmetric"},
                             {"pytorch_half_pixel", "PytorchHalfPixel"},
                             {"align_corners", "AlignCorners"},
                             {"asymmetric", "Asymmetric"},
                             {"tf_half_pixel_for_nn", "TfHalfPixelForNn"},
                             {"tf_crop_and_resize", "TfCropAndResize"}};

bool expect_one_of(const NodeContext& c, std::string_view attribute, std::string_view fallback, const Words& words) {
  const std::string word = c.text(attribute, fallback);
  if (words.contains(word)) return true;
  c.error(Code::bad_attribute, std::string(attribute) + " is " + word + ", which the operator does not know");
  return false;
}

// The region of each axis, all of it but for tf_crop_and_resize.
using Region = std::pair<Number, Number>;
std::optional<std::vector<Region>> read_regions(NodeContext& c) {
  std::vector<Region> regions(static_cast<std::size_t>(c.rank(0)), {Number{0, {}}, Number{1, {}}});
  if (!crops(c)) return regions;
  const auto axes = resized_axes(c);
  if (!axes) return std::nullopt;
  if (!given(c, 1)) {
    c.error(Code::operator_form, "crops, and is given no roi");
    return std::nullopt;
  }
  std::vector<Number> roi;
  if (region_unknown(c)) {
    const auto& bound = c.typed().bound;  // after the lengths and scales, or the sizes
    for (auto it = bound.end() - static_cast<std::ptrdiff_t>(2 * axes->size()); it != bound.end(); ++it)
      roi.push_back({0, *it});
  } else {
    const auto numbers = known_numbers(c, 1, "roi");
    if (!numbers) return std::nullopt;
    for (const double n : *numbers) roi.push_back({n, {}});
  }
  if (roi.size() != 2 * axes->size()) {
    c.error(Code::operator_form, "roi holds " + std::to_string(roi.size()) + " numbers, and the operator reads " +
                                     std::to_string(2 * axes->size()));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < axes->size(); ++i)
    regions[static_cast<std::size_t>((*axes)[i])] = {roi[i], roi[i + axes->size()]};
  return regions;
}

// ---- The operator --------------------------------------------------------------------------------------------------

bool kept(const Resized& r, const Region& region) {
  return r.from == r.to && r.scale && r.scale->is(1) && region.first.is(0) && region.second.is(1);
}

// Symbols for what only the run knows, in the order read_lengths and read_regions take them.
bool bind_numbers(InferContext& c, std::size_t axes) {
  const auto bind = [&](int input, std::size_t count, std::string_view what, Range range) {
    const Polynomial held = c.elements(input);
    if (!c.equate(held, static_cast<std::int64_t>(count),
                  c.input_name(input) + " holds " + c.spell(held) + " numbers, and the operator reads " +
                      std::to_string(count)))
      return false;
    for (std::size_t k = 0; k < count; ++k)
      c.bind(c.node().outputs[0] + "_" + std::string(what) + std::to_string(k), range);
    return true;
  };
  if (scales_unknown(c)) {
    const int input = given(c, scales_input(c)) ? scales_input(c) : 3;
    const std::size_t first = c.typed().bound.size() + axes;
    if (!bind(input, axes, "length", {0, longest_length}) || !bind(input, axes, "scale", {0, std::int64_t{1} << 50}))
      return false;
    for (std::size_t k = 0; k < axes; ++k)
      if (!c.owe(c.typed().bound[first + k] - 1, c.input_name(input) + " must scale by more than 0")) return false;
  } else if (sizes_given(c) && !bind_unknown(c, {3}, {0, longest_length})) {
    return false;
  }
  return !region_unknown(c) || bind(1, 2 * axes, "roi", {-(std::int64_t{1} << 50), std::int64_t{1} << 50});
}

void infer_resize(InferContext& c) {
  if (!expect_number(c, 0) || !expect_one_of(c, "mode", "nearest", modes) ||
      !expect_one_of(c, "coordinate_transformation_mode", "half_pixel", coordinate_modes) ||
      !expect_one_of(c, "nearest_mode", "round_prefer_floor", roundings) ||
      !expect_word(c, "keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"}))
    return;
  const auto resizes = resized_axes(c);
  if (!resizes || !bind_numbers(c, resizes->size())) return;
  const auto resized = read_lengths(c);
  const auto regions = read_regions(c);
  if (!resized || !regions) return;
  std::vector<Axis> axes;
  for (std::size_t k = 0; k < resized->size(); ++k) {
    const Resized& r = (*resized)[k];
    if (kept(r, (*regions)[k])) {
      axes.push_back(c.axis(0, static_cast<int>(k)));
      continue;
    }
    axes.push_back(c.fresh(r.to));
    // Where there is something to write there must be something to read.
    if (!r.from.is_constant() && !r.to.is(0))
      c.owe(r.from - 1,
            c.spell(c.axis(0, static_cast<int>(k))) + " is " + c.spell(r.from) + " and must hold an element to resize");
  }
  c.output(0, c.dtype(0), std::move(axes));
}

std::string enumerator(std::string_view type, const Words& words, const std::string& word) {
  return "loam::" + std::string(type) + "::" + std::string(words.at(word));
}

Aggregate resize_argument(const NodeContext& c, const std::vector<Resized>& resized,
                          const std::vector<Region>& regions) {
  const bool old = old_form(c);
  const auto literal = [](double v) { return cpp_literal(v, DType::float64); };
  // Before opset 11 the element after the place is taken of an axis that shrinks.
  const bool shrinks =
      std::ranges::any_of(resized, [](const Resized& r) { return r.scale && !r.scale->bound && r.scale->value < 1; });
  Aggregate a;
  const auto number = [&](const Number& n) {
    if (!n.bound) return literal(n.value);
    a.values.push_back(*n.bound);
    return "double($) / " + literal(static_cast<double>(fixed_one));
  };
  a.text = "loam::Resize{.mode = " + enumerator("ResizeMode", modes, c.text("mode", "nearest"));
  a.text +=
      ", .coordinates = " + enumerator("ResizeCoordinates", coordinate_modes,
                                       old ? "asymmetric" : c.text("coordinate_transformation_mode", "half_pixel"));
  a.text += ", .rounding = " + enumerator("ResizeRounding", roundings,
                                          !old      ? c.text("nearest_mode", "round_prefer_floor")
                                          : shrinks ? "ceil"
                                                    : "floor");
  if (c.integer("antialias", 0) != 0) a.text += ", .antialias = true";
  if (c.integer("exclude_outside", 0) != 0) a.text += ", .exclude_outside = true";
  a.text += ", .cubic_coeff_a = " + literal(c.number("cubic_coeff_a", -0.75)) +
            ", .extrapolation_value = " + literal(c.number("extrapolation_value", 0)) + ", .scales = {";
  for (std::size_t k = 0; k < resized.size(); ++k) {
    a.text += k ? ", " : "";
    if (resized[k].scale) {
      a.text += number(*resized[k].scale);
    } else {
      a.text += "double($) / double($)";
      a.values.push_back(resized[k].to);
      a.values.push_back(resized[k].from);
    }
  }
  a.text += "}";
  if (crops(c)) {
    for (const bool begin : {true, false}) {
      a.text += begin ? ", .roi_begins = {" : ", .roi_ends = {";
      for (std::size_t k = 0; k < regions.size(); ++k)
        a.text += (k ? ", " : "") + number(begin ? regions[k].first : regions[k].second);
      a.text += "}";
    }
  }
  a.text += "}";
  return a;
}

// An integer of 2^30ths for each number of a tensor.
TensorId in_fixed(LowerContext& c, TensorId numbers) {
  Formula f(c);
  const Term x = f(numbers).as(DType::float64);
  return f.make(c.tensor(numbers).axes, round(x * static_cast<double>(fixed_one)).as(DType::int64), "fixed");
}

// The lengths that scales leave, and the scales, bound to the symbols infer made for them.
void bind_scales(LowerContext& c) {
  const std::vector<int> axes = *resized_axes(c);
  const auto n = static_cast<std::int64_t>(axes.size());
  const bool scales_given = given(c, scales_input(c));
  const Axis axis = c.axis(scales_given ? scales_input(c) : 3, 0);
  Known extents{DType::int64, {n}, {}};
  for (const int k : axes) extents.elements.emplace_back(c.extent(0, k));
  const TensorId from = c.constant(std::move(extents), {axis});
  TensorId scales;
  if (scales_given) {
    scales = c.in(scales_input(c));
  } else {
    // Of the ratios the sizes ask for, the least or the greatest is every axis's.
    Formula ratios(c);
    const Term ratio = ratios(c.in(3)).as(DType::float32) / ratios(from).as(DType::float32);
    const TensorId asked = ratios.make({axis}, ratio, "ratios");
    const TensorId chosen = call_reduce(c, c.temporary(DType::float32, {}, "ratio"),
                                        policy(c) == "not_smaller" ? "Max" : "Min", {0}, asked);
    Formula f(c);
    const Term one = f(chosen);
    scales = f.make({axis}, one, "scales");
  }
  Formula f(c);
  const Term product = f(from).as(DType::float32) * f(scales).as(DType::float32);
  const TensorId lengths =
      f.make({axis}, (scales_given ? product : apply(ScalarOp::floor, product + 0.5)).as(DType::int64), "lengths");
  const auto& bound = c.typed().bound;
  c.bind({bound.begin(), bound.begin() + n}, lengths);
  c.bind({bound.begin() + n, bound.begin() + 2 * n}, in_fixed(c, scales));
}

void lower_resize(LowerContext& c) {
  if (scales_unknown(c)) bind_scales(c);
  else if (sizes_given(c)) bind_unknown(c, {3}, {0, longest_length});
  if (region_unknown(c)) {
    const auto& bound = c.typed().bound;
    c.bind({bound.end() - static_cast<std::ptrdiff_t>(2 * resized_axes(c)->size()), bound.end()}, in_fixed(c, c.in(1)));
  }
  const auto resized = *read_lengths(c);
  const auto regions = *read_regions(c);
  bool all_kept = true;
  for (std::size_t k = 0; k < resized.size(); ++k) all_kept = all_kept && kept(resized[k], regions[k]);
  if (all_kept) return c.alias(0, c.in(0));
  c.call("resize", "resize", {c.out(0)}, {resize_argument(c, resized, regions)}, {c.in(0)});
}

constexpr Operator rows[] = {
    {.domain = "", .name = "Resize", .infer = infer_resize, .lower = lower_resize, .max_inputs = 4},
    {.domain = "", .name = "Upsample", .infer = infer_resize, .lower = lower_resize, .max_inputs = 2},
};

}  // namespace

std::span<const Operator> resize_operators() { return rows; }

}  // namespace loam
