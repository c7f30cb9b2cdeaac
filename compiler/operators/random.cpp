// RandomNormal, RandomUniform and their Like forms, Bernoulli, Multinomial (ai.onnx).
//
// ONNX leaves the generator open. Here the numbers are a function of the seed, so a run repeated is the same; a node
// without a seed takes one from the name of its output, so that two nodes differ.
#include "compiler/operators/random.hpp"

#include <bit>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

Literal random_seed(const NodeContext& c) {
  std::uint64_t value = 2166136261u;  // FNV-1a
  if (const Attribute* given = c.node().attribute("seed"); given && std::holds_alternative<std::int64_t>(given->value))
    value = static_cast<std::uint64_t>(c.integer("seed", 0));  // Dropout's
  else if (given)
    value = std::bit_cast<std::uint32_t>(static_cast<float>(c.number("seed", 0)));
  else
    for (const char letter : result_name(c))
      value = static_cast<std::uint32_t>((value ^ static_cast<unsigned char>(letter)) * 16777619u);
  return {"std::uint64_t{" + std::to_string(value) + "u}"};
}

namespace {

Literal real(double value) { return {cpp_literal(value, DType::float64)}; }

// The type of the result, which must be a float.
std::optional<DType> float_type(const NodeContext& c, DType fallback) {
  const auto type = stated_type(c, "dtype", fallback);
  if (!type || (is_float(*type) && dtype_bits(*type) >= 16)) return type;
  c.error(Code::element_type,
          "gives " + std::string(dtype_name(*type)) + ", and random numbers are floats of 16, 32 or 64 bits");
  return std::nullopt;
}

void infer_random(InferContext& c) {
  const auto type = float_type(c, DType::float32);
  const auto shape = c.integers("shape");
  if (!shape) return c.error(Code::bad_attribute, "names no shape");
  std::vector<Axis> axes;
  for (const std::int64_t extent : *shape) {
    if (extent < 0)
      return c.error(Code::bad_attribute,
                     "axis " + std::to_string(axes.size()) + " of the shape is " + std::to_string(extent));
    axes.push_back(c.fresh(extent));
  }
  if (type) c.output(0, *type, std::move(axes));
}

void infer_random_like(InferContext& c) {
  if (const auto type = float_type(c, c.dtype(0))) c.output(0, *type, c.axes(0));
}

void lower_normal(LowerContext& c) {
  c.call("random_normal", "random", {c.out(0)}, {real(c.number("mean", 0)), real(c.number("scale", 1)), random_seed(c)}, {});
}

void lower_uniform(LowerContext& c) {
  c.call("random_uniform", "random", {c.out(0)}, {real(c.number("low", 0)), real(c.number("high", 1)), random_seed(c)}, {});
}

void infer_bernoulli(InferContext& c) {
  const auto type = expect_float(c, 0) ? stated_number(c, "dtype", c.dtype(0)) : std::nullopt;
  if (type) c.output(0, *type, c.axes(0));
}

void lower_bernoulli(LowerContext& c) { c.call("bernoulli", "random", {c.out(0)}, {random_seed(c)}, {c.in(0)}); }

void infer_multinomial(InferContext& c) {
  if (!expect_float(c, 0) || !expect_rank(c, 0, 2)) return;
  const std::int64_t samples = c.integer("sample_size", 1);
  const auto type = stated_type(c, "dtype", DType::int32);
  if (!type) return;
  if (samples < 0) return c.error(Code::bad_attribute, "sample_size is " + std::to_string(samples));
  if (*type != DType::int32 && *type != DType::int64)
    return c.error(Code::element_type,
                   "gives " + std::string(dtype_name(*type)) + ", and a class is an int32 or int64");
  c.output(0, *type, {c.axis(0, 0), c.fresh(samples)});
}

void lower_multinomial(LowerContext& c) { c.call("multinomial", "random", {c.out(0)}, {random_seed(c)}, {c.in(0)}); }

constexpr Operator rows[] = {
    {.domain = "", .name = "RandomNormal", .infer = infer_random, .lower = lower_normal, .min_inputs = 0,
     .max_inputs = 0},
    {.domain = "", .name = "RandomUniform", .infer = infer_random, .lower = lower_uniform, .min_inputs = 0,
     .max_inputs = 0},
    {.domain = "", .name = "RandomNormalLike", .infer = infer_random_like, .lower = lower_normal},
    {.domain = "", .name = "RandomUniformLike", .infer = infer_random_like, .lower = lower_uniform},
    {.domain = "", .name = "Bernoulli", .infer = infer_bernoulli, .lower = lower_bernoulli},
    {.domain = "", .name = "Multinomial", .infer = infer_multinomial, .lower = lower_multinomial},
};

}  // namespace

std::span<const Operator> random_operators() { return rows; }

}  // namespace loam
