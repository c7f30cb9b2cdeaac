// The operations derived extents are made of, as forward evaluates them. Every operand and result fits 64 bits: lengths
// lie within their ranges, and what products of them could leave 64 bits `fits` has tested.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "runtime/half.hpp"

namespace loam {

inline constexpr std::int64_t longest_length = 0x7fffffff;

constexpr bool lies_within(std::int64_t value, std::int64_t low, std::int64_t high) { return low <= value && value <= high; }
constexpr bool are_lengths(std::initializer_list<std::int64_t> values) {
  for (const std::int64_t value : values)
    if (!lies_within(value, 0, longest_length)) return false;
  return true;
}
// Whether coefficient * the product of the lengths is one that 64 bits hold with room to spare: less than 2^62, with an
// empty axis taken as 1. In double, which no product of lengths leaves, and whose rounding the room covers.
constexpr bool fits(double coefficient, std::initializer_list<std::int64_t> lengths) {
  for (const std::int64_t length : lengths) coefficient *= length == 0 ? 1.0 : static_cast<double>(length < 0 ? -length : length);
  return coefficient < 0x1p62;
}

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
