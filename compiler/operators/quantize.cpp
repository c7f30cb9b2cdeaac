// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear, each one map; a scale for a tensor, for each place of an
// axis, or for each block of one.
#include <numeric>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/elementwise.hpp"
#include "compiler/operators/quantized.hpp"

namespace loam {

namespace {

constexpr int scale_input = 1, zero_input = 2;

// ---- Where scales lie ----------------------------------------------------------------------------------------------

enum class Grain : std::uint8_t { tensor, axis, block };

std::int64_t block_size(const NodeContext& c) { return c.integer("block_size", 0); }

Grain grain(const NodeContext& c) {
  if (block_size(c) > 0) return Grain::block;
  return c.elements(scale_input).is(1) && c.rank(scale_input) <= 1 ? Grain::tensor : Grain::axis;
}

int quantized_axis(const NodeContext& c) {
  const std::int64_t axis = c.integer("axis", 1);
  return static_cast<int>(axis < 0 ? axis + c.rank(0) : axis);
}

bool expect_scales(const InferContext& c) {
  const Grain g = grain(c);
  if (c.has(zero_input) && !(c.elements(zero_input).is(1) && c.elements(scale_input).is(1))) {
    if (!expect_rank(c, zero_input, c.rank(scale_input))) return false;
    for (int k = 0; k < c.rank(scale_input); ++k)
      c.equate(c.axis(scale_input, k), c.axis(zero_input, k), "in " + c.input_name(scale_input),
               "in " + c.input_name(zero_input));
  }
  if (g == Grain::tensor) return true;
  const auto axis = c.axis_index(c.integer("axis", 1), c.rank(0));
  if (!axis) return false;
  if (g == Grain::axis) return expect_along(c, scale_input, c.axis(0, *axis), "the axis quantized");
  if (!expect_rank(c, scale_input, c.rank(0))) return false;
  for (int k = 0; k < c.rank(0); ++k) {
    if (k != *axis) {
      c.equate(c.axis(0, k), c.axis(scale_input, k), "in " + c.input_name(0), "in " + c.input_name(scale_input));
      continue;
    }
    const Polynomial blocks = c.symbols().ceil_div(c.extent(0, k), block_size(c)), held = c.extent(scale_input, k);
    c.equate(held, blocks,
             c.input_name(scale_input) + " has " + c.spell(held) + " scales along " + c.spell(c.axis(0, k)) +
                 ", and blocks of " + std::to_string(block_size(c)) + " make " + c.spell(blocks));
  }
  return true;
}

// A tensor of blocks repeated to the places they hold.
TensorId each_place(LowerContext& c, TensorId blocks, int axis) {
  const auto at = static_cast<std::size_t>(axis);
  const Axis within = c.named_axis("BlockPlace", block_size(c)), block = c.tensor(blocks).axes[at];
  std::vector<int> source(c.tensor(blocks).axes.size());
  std::iota(source.begin(), source.end(), 0);
  source.insert(source.begin() + axis + 1, -1);
  std::vector<Axis> axes = c.tensor(blocks).axes;
  axes.insert(axes.begin() + axis + 1, c.unit());
  TensorId t = c.units(blocks, source, axes);
  axes[at + 1] = within;
  t = c.expand(t, axes);
  axes.erase(axes.begin() + axis);
  axes[at] = LowerContext::merge({block, within});
  t = c.reshape(t, axes);
  axes[at] = c.axis(0, axis);
  const std::vector<Polynomial> starts(axes.size(), 0), steps(axes.size(), 1);
  return c.slice(t, std::move(axes), starts, steps);
}

Term laid(LowerContext& c, Formula& f, int i) {
  switch (grain(c)) {
    case Grain::tensor: return f.in(i);
    case Grain::axis: return f(along(c, c.in(i), quantized_axis(c), c.rank(0)));
    case Grain::block: break;
  }
  return f(block_size(c) == 1 ? c.in(i) : each_place(c, c.in(i), quantized_axis(c)));
}

// A scale may be a power of 2 in a byte, in which OCP's microscaling formats keep it.
bool expect_scale(const NodeContext& c) {
  return c.dtype(scale_input) == DType::float8e8m0 || expect_float(c, scale_input);
}

DType stated_dtype(const NodeContext& c, DType fallback) {
  const std::int64_t type = c.integer("output_dtype", 0);
  return type == 0 ? fallback : dtype_from_onnx(type).value_or(DType::undefined);
}

// A zero point says the type too, and both say one.
bool expect_stated(const NodeContext& c) {
  const DType stated = stated_dtype(c, DType::undefined);
  if (!c.has_attribute("output_dtype") || c.integer("output_dtype", 0) == 0) return true;
  if (stated == DType::undefined)
    c.error(Code::bad_attribute,
            "output_dtype is " + std::to_string(c.integer("output_dtype", 0)) + ", which is no type");
  else if (c.has(zero_input) && c.dtype(zero_input) != stated)
    c.error(Code::element_type, "output_dtype is " + std::string(dtype_name(stated)) + ", and " +
                                    c.input_name(zero_input) + " is " + std::string(dtype_name(c.dtype(zero_input))));
  else return true;
  return false;
}

bool expect_held(const NodeContext& c, DType type) {
  if (!dtype_cpp(type).empty()) return true;
  c.error(Code::element_type, "gives " + std::string(dtype_name(type)) + ", and no kernel holds it");
  return false;
}

// ---- QuantizeLinear ------------------------------------------------------------------------------------------------

DType quantized_type(const NodeContext& c) {
  return c.has(zero_input) ? c.dtype(zero_input) : stated_dtype(c, DType::uint8);
}

void infer_quantize(InferContext& c) {
  const DType to = quantized_type(c);
  const bool types = expect_stated(c) && (c.dtype(0) == DType::int32 || expect_float(c, 0)) &&
                     expect_scale(c) && expect_held(c, to);
  if (!types || !expect_scales(c)) return;
  if (!is_integer(to) && (!is_narrow(to) || to == DType::float8e8m0))
    c.error(Code::element_type, "gives " + std::string(dtype_name(to)) + ", and no kernel quantizes to it");
  else c.output(0, to, c.axes(0));
}

void lower_quantize(LowerContext& c) {
  const DType to = quantized_type(c);
  Formula f(c);
  const Term x = f(c.in(0)).as(DType::float32);
  Term q = x / laid(c, f, scale_input).as(DType::float32);
  if (is_integer(to)) q = round(q);
  if (c.has(zero_input)) q = q + laid(c, f, zero_input).as(DType::float32);
  f.into(c.out(0), is_integer(to) ? q.saturated(to) : q.as(to, narrowing(c, to)));
}

// ---- DequantizeLinear ----------------------------------------------------------------------------------------------

DType dequantized_type(const NodeContext& c) { return stated_dtype(c, c.dtype(scale_input)); }

void infer_dequantize(InferContext& c) {
  const bool types = expect_held(c, c.dtype(0)) && expect_scale(c) &&
                     (!c.has(zero_input) || expect_one_dtype(c, 0, zero_input));
  if (!types || !expect_scales(c)) return;
  const DType to = dequantized_type(c);
  if (!is_float(to) || is_narrow(to))
    c.error(Code::element_type, "gives " + std::string(dtype_name(to)) + ", and no kernel dequantizes to it");
  else c.output(0, to, c.axes(0));
}

void lower_dequantize(LowerContext& c) {
  Formula f(c);
  // Integers in int32, which holds the difference of any two values of 16 bits; int32 itself has no zero point.
  const DType within = is_float(c.dtype(0)) ? DType::float32 : DType::int32;
  Term x = f(c.in(0)).as(within);
  if (c.has(zero_input)) x = x - laid(c, f, zero_input).as(within);
  f.into(c.out(0), x.as(DType::float32) * laid(c, f, scale_input).as(DType::float32));
}

// ---- DynamicQuantizeLinear -----------------------------------------------------------------------------------------

void infer_dynamic(InferContext& c) {
  if (!expect_dtype(c, 0, {DType::float32})) return;
  c.output(0, DType::uint8, c.axes(0));
  c.output(1, DType::float32, {});
  c.output(2, DType::uint8, {});
}

// scale = (max(x, 0) - min(x, 0)) / 255, or 1 where that is 0 (as onnxruntime), and the zero point is where 0 falls.
void lower_dynamic(LowerContext& c) {
  std::vector<int> all(static_cast<std::size_t>(c.rank(0)));
  std::iota(all.begin(), all.end(), 0);
  const auto extreme = [&](std::string_view reducer, std::string_view suffix) {
    if (all.empty()) return c.in(0);
    return call_reduce(c, c.temporary(DType::float32, {}, suffix), reducer, all, c.in(0));
  };
  const TensorId greatest = extreme("Max", "greatest"), least = extreme("Min", "least");
  const auto written = [&](int k, DType type, std::string_view suffix) {
    return c.wants(k) ? c.out(k) : c.temporary(type, {}, suffix);
  };
  const TensorId scale = written(1, DType::float32, "scale"), zero = written(2, DType::uint8, "zero_point");
  {
    Formula f(c);
    const Term nothing = f.number(0, DType::float32),
               range = (max(f(greatest), nothing) - min(f(least), nothing)) / 255;
    f.into(scale, where(equal(range, nothing), f.number(1, DType::float32), range));
  }
  {
    Formula f(c);
    const Term nothing = f.number(0, DType::float32);
    f.into(zero, round((nothing - min(f(least), nothing)) / f(scale)).saturated(DType::uint8));
  }
  if (!c.wants(0)) return;
  Formula f(c);
  const Term x = f(c.in(0));
  f.into(c.out(0), (round(x / f(scale)) + f(zero).as(DType::float32)).saturated(DType::uint8));
}

constexpr Operator row(std::string_view domain, std::string_view name, void (*infer)(InferContext&),
                       void (*lower)(LowerContext&)) {
  return {.domain = domain, .name = name, .infer = infer, .lower = lower, .min_inputs = 2, .max_inputs = 3};
}

constexpr Operator rows[] = {
    row("", "QuantizeLinear", infer_quantize, lower_quantize),
    row("", "DequantizeLinear", infer_dequantize, lower_dequantize),
    row("com.microsoft", "QuantizeLinear", infer_quantize, lower_quantize),
    row("com.microsoft", "DequantizeLinear", infer_dequantize, lower_dequantize),
    {.domain = "", .name = "DynamicQuantizeLinear", .infer = infer_dynamic, .lower = lower_dynamic, .max_outputs = 3},
};

}  // namespace

std::span<const Operator> quantize_operators() { return rows; }

}  // namespace loam
