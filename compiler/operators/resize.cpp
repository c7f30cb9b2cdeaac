// Resize of every opset, and Upsample, which it replaced: one kernel over each axis's length, scale and region.
//
// Before opset 11 a place is x / scale, and nearest takes the element before it, or after it where the axis shrinks (as
// onnxruntime does; the text is silent).
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

// One axis: its output's length, and its scale where that is not the ratio of the lengths.
struct Resized {
  Polynomial from, to;
  std::optional<double> scale;
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
  if (const auto n = in.constant())
    return static_cast<std::int64_t>(static_cast<float>(*n) * static_cast<float>(scale));
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

// The scales of the axes resized; nullopt where sizes say it instead, or an error was reported.
std::optional<std::vector<double>> read_scales(const NodeContext& c, bool& failed) {
  std::optional<std::vector<double>> scales;
  const int input = old_form(c) ? 1 : 2;
  if (given(c, input)) {
    scales = known_numbers(c, input, "scales");
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

// Keeps the aspect ratio: every axis takes the least, or the greatest, scale that a size asks for.
bool keep_aspect(const NodeContext& c, const std::vector<int>& axes, std::vector<Resized>& resized, bool larger) {
  std::optional<double> chosen;
  for (const int k : axes) {
    const Resized& r = resized[static_cast<std::size_t>(k)];
    const auto from = r.from.constant(), to = r.to.constant();
    if (!from || !to) {
      c.error(Code::value_needed,
              "keeps the aspect ratio of " + c.spell(c.axis(0, k)) + ", whose length only the run knows");
      return false;
    }
    const double scale = static_cast<float>(*to) / static_cast<float>(*from);
    chosen = !chosen ? scale : larger ? std::max(*chosen, scale) : std::min(*chosen, scale);
  }
  for (const int k : axes) {
    Resized& r = resized[static_cast<std::size_t>(k)];
    r.scale = *chosen;
    r.to = static_cast<std::int64_t>(std::floor(*chosen * static_cast<double>(*r.from.constant()) + 0.5));
  }
  return true;
}

std::optional<std::vector<Resized>> read_lengths(NodeContext& c) {
  const auto axes = resized_axes(c);
  bool failed = false;
  const auto scales = read_scales(c, failed);
  if (!axes || failed) return std::nullopt;
  std::vector<Resized> resized;
  for (int k = 0; k < c.rank(0); ++k) resized.push_back({c.extent(0, k), c.extent(0, k), 1.0});
  std::optional<std::vector<Polynomial>> sizes;
  if (!old_form(c) && given(c, 3)) sizes = BoundInputs(c).integers(3, "sizes", failed);
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
      r.scale = (*scales)[i];
      if (*r.scale == 1) continue;
      const auto to = scaled(c, r.from, *r.scale);
      if (!to) return std::nullopt;
      r.to = *to;
    } else if (r.to = (*sizes)[i]; !(r.to == r.from)) {
      r.scale = std::nullopt;
    }
  }
  const std::string policy = c.text("keep_aspect_ratio_policy", "stretch");
  if (sizes && policy != "stretch" && !keep_aspect(c, *axes, resized, policy == "not_smaller")) return std::nullopt;
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

bool crops(const NodeContext& c) {
  return !old_form(c) && c.text("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
}

// The region of each axis, all of it but for tf_crop_and_resize.
std::optional<std::vector<std::pair<double, double>>> read_regions(const NodeContext& c) {
  std::vector<std::pair<double, double>> regions(static_cast<std::size_t>(c.rank(0)), {0, 1});
  if (!crops(c)) return regions;
  const auto axes = resized_axes(c);
  if (!axes) return std::nullopt;
  if (!given(c, 1)) {
    c.error(Code::operator_form, "crops, and is given no roi");
    return std::nullopt;
  }
  const auto roi = known_numbers(c, 1, "roi");
  if (!roi) return std::nullopt;
  if (roi->size() != 2 * axes->size()) {
    c.error(Code::operator_form, "roi holds " + std::to_string(roi->size()) + " numbers, and the operator reads " +
                                     std::to_string(2 * axes->size()));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < axes->size(); ++i)
    regions[static_cast<std::size_t>((*axes)[i])] = {(*roi)[i], (*roi)[i + axes->size()]};
  return regions;
}

// ---- The operator --------------------------------------------------------------------------------------------------

bool kept(const Resized& r, const std::pair<double, double>& region) {
  return r.from == r.to && r.scale == 1 && region == std::pair(0.0, 1.0);
}

void infer_resize(InferContext& c) {
  if (!expect_number(c, 0) || !expect_one_of(c, "mode", "nearest", modes) ||
      !expect_one_of(c, "coordinate_transformation_mode", "half_pixel", coordinate_modes) ||
      !expect_one_of(c, "nearest_mode", "round_prefer_floor", roundings) ||
      !expect_word(c, "keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"}))
    return;
  if (!old_form(c) && given(c, 3) && !bind_unknown(c, {3}, {0, longest_length})) return;
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
                          const std::vector<std::pair<double, double>>& regions) {
  const bool old = old_form(c);
  const auto number = [](double v) { return cpp_literal(v, DType::float64); };
  // Before opset 11 the element after the place is taken of an axis that shrinks.
  const bool shrinks = std::ranges::any_of(resized, [](const Resized& r) { return r.scale && *r.scale < 1; });
  Aggregate a;
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
  a.text += ", .cubic_coeff_a = " + number(c.number("cubic_coeff_a", -0.75)) +
            ", .extrapolation_value = " + number(c.number("extrapolation_value", 0)) + ", .scales = {";
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

void lower_resize(LowerContext& c) {
  bind_unknown(c, {3}, {0, longest_length});
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
