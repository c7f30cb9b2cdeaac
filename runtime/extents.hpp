// The operations derived extents are made of, as forward evaluates them. Every operand and result fits 64 bits, which
// the build has shown or the symbols' ranges guarantee.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/half.hpp"

namespace loam {

constexpr std::int64_t min(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
constexpr std::int64_t max(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;  // the condition that b is not 0 is owed and refused before the quotient is used
  const std::int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  const std::int64_t q = a / b;
  return q + (a % b != 0 && (a < 0) == (b < 0));
}
constexpr std::int64_t truncated_div(std::int64_t a, std::int64_t b) { return b == 0 ? 0 : a / b; }
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) { return b == 0 ? 0 : a - b * floor_div(a, b); }
constexpr std::int64_t from_end(std::int64_t index, std::int64_t extent) { return index < 0 ? index + extent : index; }
constexpr std::int64_t wrap32(std::int64_t a) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(a)); }
constexpr std::int64_t half(std::int64_t a) { return static_cast<std::int64_t>(float(float16(static_cast<float>(a)))); }
constexpr std::int64_t select(std::int64_t condition, std::int64_t a, std::int64_t b) { return condition ? a : b; }
constexpr std::int64_t compare_ge(std::int64_t a) { return a >= 0; }
constexpr std::int64_t compare_eq(std::int64_t a) { return a == 0; }

}  // namespace loam
