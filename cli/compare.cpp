#include "cli/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "cli/strings.hpp"

namespace loam::cli {
namespace {

struct Limits {
  double rtol, atol;
};

bool has_tolerance(DType type) {
  return type == DType::float32 || type == DType::float64 || type == DType::float16 || type == DType::bfloat16 ||
         type == DType::complex64 || type == DType::complex128;
}

bool is_complex(DType type) { return type == DType::complex64 || type == DType::complex128; }

// What the parts of a complex number are; any other type itself.
DType part_type(DType type) {
  if (type == DType::complex64) return DType::float32;
  if (type == DType::complex128) return DType::float64;
  return type;
}

Limits limits(const HostTensor& expected, std::size_t count, const Tolerance& tolerance) {
  const double eps = expected.dtype == DType::float16 ? 0x1p-10 : expected.dtype == DType::bfloat16 ? 0x1p-7 : 0;
  Limits limits{std::max(1e-3, 2 * eps), 1e-7};
  if (!tolerance.one_operator) {
    double largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double magnitude = std::fabs(element_as_double(part_type(expected.dtype), expected.data.data(), i));
      if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
    }
    limits.atol = std::max(limits.atol, std::max(1e-5, eps) * largest);
  }
  limits.atol = std::max(limits.atol, tolerance.least_atol);
  return {tolerance.rtol.value_or(limits.rtol), tolerance.atol.value_or(limits.atol)};
}

bool close(double actual, double expected, Limits limits) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) && std::isnan(expected);
  if (std::isinf(actual) || std::isinf(expected)) return actual == expected;
  return std::fabs(actual - expected) <= limits.atol + limits.rtol * std::fabs(expected);
}

// 64-bit integers do not fit a double: the bytes decide, and NaN has many.
bool same(DType type, const void* actual, const void* expected, std::size_t index) {
  const std::size_t bits = static_cast<std::size_t>(dtype_bits(type));
  if (bits >= 8) {
    const std::size_t size = bits / 8;
    const auto at = [&](const void* data) { return static_cast<const std::byte*>(data) + index * size; };
    if (std::memcmp(at(actual), at(expected), size) == 0) return true;
    if (!is_float(type)) return false;
  }
  const double a = element_as_double(type, actual, index);
  const double e = element_as_double(type, expected, index);
  return (std::isnan(a) && std::isnan(e)) || a == e;
}

std::string place(std::span<const std::int64_t> extents, std::size_t index) {
  std::vector<std::int64_t> at(extents.size());
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    const std::size_t extent = static_cast<std::size_t>(extents[axis]);
    at[axis] = static_cast<std::int64_t>(index % extent);
    index /= extent;
  }
  return fmt::format("[{}]", fmt::join(at, ", "));
}

std::string number(DType type, const void* data, std::size_t index) {
  if (type == DType::int64 || type == DType::uint64) {
    std::int64_t value;
    std::memcpy(&value, static_cast<const std::byte*>(data) + index * sizeof value, sizeof value);
    return type == DType::int64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<std::uint64_t>(value));
  }
  return fmt::format("{:.7g}", element_as_double(type, data, index));
}

// Text is compared byte by byte; lists of one shape may differ in length.
std::optional<std::string> strings_differ(const harness::RawTensor& actual, const HostTensor& expected) {
  const auto elements = static_cast<std::size_t>(elements_of(actual));
  std::size_t differing = 0;
  std::string text;
  for (std::size_t i = 0; i < elements; ++i) {
    const std::string_view a = string_element(actual.data, elements, i);
    const std::string_view e = string_element(expected.data.data(), elements, i);
    if (a != e && differing++ == 0)
      text = fmt::format("element {} is {} and should be {}", place(extents_of(actual), i), quoted(a), quoted(e));
  }
  if (differing == 0) return std::nullopt;
  if (differing > 1) text += fmt::format("; {} of {} differ", differing, elements);
  return text;
}

}  // namespace

std::optional<std::string> difference(const harness::RawTensor& actual, const HostTensor& expected,
                                      const Tolerance& tolerance) {
  const DType type = expected.dtype;
  const std::span<const std::int64_t> extents = extents_of(actual);
  if (dtype_of(actual) != type || !std::ranges::equal(extents, expected.extents))
    return fmt::format("is {} and should be {}", describe(dtype_of(actual), extents), describe(type, expected.extents));
  if (type == DType::string) return strings_differ(actual, expected);
  if (actual.bytes != expected.data.size())
    return fmt::format("has {} bytes and should have {}", actual.bytes, expected.data.size());

  const std::size_t elements = static_cast<std::size_t>(elements_of(actual));
  const std::size_t parts = is_complex(type) ? 2 : 1;
  const DType part = part_type(type);
  const bool tolerant = has_tolerance(type);
  const Limits allowed = tolerant ? limits(expected, elements * parts, tolerance) : Limits{};

  std::size_t differing = 0, first = 0;
  double worst = 0;
  for (std::size_t i = 0; i < elements * parts; ++i) {
    if (!tolerant) {
      if (same(part, actual.data, expected.data.data(), i)) continue;
    } else {
      const double a = element_as_double(part, actual.data, i);
      const double e = element_as_double(part, expected.data.data(), i);
      if (close(a, e, allowed)) continue;
      if (const double distance = std::fabs(a - e); std::isfinite(distance)) worst = std::max(worst, distance);
    }
    if (differing++ == 0) first = i;
  }
  if (differing == 0) return std::nullopt;
  std::string text = fmt::format("element {} is {} and should be {}", place(extents, first / parts),
                                 number(part, actual.data, first), number(part, expected.data.data(), first));
  if (differing > 1) text += fmt::format("; {} of {} differ", differing, elements * parts);
  if (tolerant && differing > 1) text += fmt::format(", by {:.3g} at most", worst);
  return text;
}

}  // namespace loam::cli
