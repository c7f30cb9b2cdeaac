#include "compiler/operators/window.hpp"

#include "compiler/operators/checks.hpp"

namespace loam {

std::optional<std::vector<std::int64_t>> window_numbers(const NodeContext& c, std::string_view name, std::size_t count,
                                                        std::int64_t fallback, std::int64_t least) {
  if (!c.has_attribute(name)) return std::vector<std::int64_t>(count, fallback);
  auto numbers = c.integers(name);
  if (!numbers) return std::nullopt;
  if (numbers->empty()) numbers->assign(count, fallback);  // exporters write [] for the default
  if (numbers->size() != count) {
    c.error(Code::bad_attribute, std::string(name) + " holds " + std::to_string(numbers->size()) +
                                     " numbers, and the operator reads " + std::to_string(count));
    return std::nullopt;
  }
  for (const std::int64_t n : *numbers)
    if (n < least) {
      c.error(Code::bad_attribute, std::string(name) + " holds " + std::to_string(n) +
                                       ", and the least it may hold is " + std::to_string(least));
      return std::nullopt;
    }
  return numbers;
}

std::optional<std::vector<Polynomial>> kernel_shape(const NodeContext& c, std::size_t spatial) {
  if (!c.has_attribute("kernel_shape")) {
    c.error(Code::bad_attribute, "kernel_shape is absent, and the operator needs it");
    return std::nullopt;
  }
  const auto numbers = window_numbers(c, "kernel_shape", spatial, 1, 1);
  if (!numbers) return std::nullopt;
  return std::vector<Polynomial>(numbers->begin(), numbers->end());
}

bool expect_kernel(const InferContext& c, int weight) {
  if (!c.has_attribute("kernel_shape")) return true;
  const auto spatial = static_cast<std::size_t>(c.rank(0) - 2);
  const auto stated = kernel_shape(c, spatial);
  if (!stated) return false;
  for (std::size_t i = 0; i < spatial; ++i) {
    const Polynomial held = c.extent(weight, static_cast<int>(i) + 2);
    if (!c.equate((*stated)[i], held,
                  "kernel_shape holds " + c.spell((*stated)[i]) + " for spatial axis " + std::to_string(i) + ", and " +
                      c.input_name(weight) + " " + c.spell(held)))
      return false;
  }
  return true;
}

std::vector<Polynomial> spatial_extents(const NodeContext& c, int i) {
  std::vector<Polynomial> extents;
  for (int k = 2; k < c.rank(i); ++k) extents.push_back(c.extent(i, k));
  return extents;
}

std::optional<Windows> read_windows(const NodeContext& c, std::vector<Polynomial> in, std::vector<Polynomial> kernel,
                                    bool ceil) {
  const std::size_t n = in.size();
  auto strides = window_numbers(c, "strides", n, 1, 1);
  auto dilations = window_numbers(c, "dilations", n, 1, 1);
  const auto pads = window_numbers(c, "pads", 2 * n, 0, 0);
  if (!strides || !dilations || !pads ||
      !expect_word(c, "auto_pad", "NOTSET", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}))
    return std::nullopt;
  const std::string auto_pad = c.text("auto_pad", "NOTSET");
  Symbols& symbols = c.symbols();
  Windows w{.in = std::move(in), .kernel = std::move(kernel), .begin = {}, .end = {}, .out = {},
            .strides = std::move(*strides), .dilations = std::move(*dilations)};
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t stride = w.strides[i];
    if (auto_pad.starts_with("SAME")) {
      const Polynomial out = symbols.ceil_div(w.in[i], stride);
      const Polynomial total = symbols.max((out - 1) * stride + w.reach(i) - w.in[i], 0);
      const Polynomial less = symbols.floor_div(total, 2);
      w.begin.push_back(auto_pad == "SAME_UPPER" ? less : total - less);
      w.end.push_back(total - w.begin.back());
      w.out.push_back(out);
      continue;
    }
    const bool padded = auto_pad == "NOTSET";
    w.begin.push_back(padded ? (*pads)[i] : 0);
    w.end.push_back(padded ? (*pads)[i + n] : 0);
    const Polynomial slack = w.padded(i) - w.reach(i);
    // Of the windows rounded up to, those that start before the end padding: onnx/onnx#5741.
    w.out.push_back(
        ceil ? symbols.min(symbols.ceil_div(slack, stride) + 1, symbols.ceil_div(w.in[i] + w.begin[i], stride))
             : symbols.floor_div(slack, stride) + 1);
  }
  return w;
}

void owe_reach(const InferContext& c, const Windows& w) {
  if (c.text("auto_pad", "NOTSET").starts_with("SAME")) return;  // padded to hold every window there is
  for (std::size_t i = 0; i < w.size(); ++i) {
    const Polynomial padded = w.padded(i);
    c.owe(padded - w.reach(i), c.spell(c.axis(0, static_cast<int>(i) + 2)) + " is " + c.spell(padded) +
                                   (padded == w.in[i] ? "" : " with its padding") + " and must hold the " +
                                   c.spell(w.reach(i)) + " elements a window reaches over");
  }
}

std::vector<Axis> window_axes(const InferContext& c, const Axis& batch, const Axis& channels,
                              const std::vector<Polynomial>& out) {
  std::vector<Axis> axes{batch, channels};
  for (const Polynomial& extent : out) axes.push_back(c.fresh(extent));
  return axes;
}

Aggregate window_argument(const Windows& w) {
  Aggregate a{"loam::Window{" + std::to_string(w.size()), {}};
  const auto list = [&](const auto& values) {
    a.text += ", {";
    for (std::size_t i = 0; i < w.size(); ++i) {
      a.text += i ? ", $" : "$";
      a.values.emplace_back(values[i]);
    }
    a.text += "}";
  };
  list(w.kernel);
  list(w.strides);
  list(w.dilations);
  list(w.begin);
  a.text += "}";
  return a;
}

ExtentList pads_end_argument(const Windows& w) {
  ExtentList list{w.end};
  list.values.resize(3);
  return list;
}

}  // namespace loam
