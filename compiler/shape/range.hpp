// Bounds of values, and the bounds arithmetic leaves.
#pragma once

#include <cstdint>
#include <limits>

#include "compiler/shape/integer.hpp"

namespace loam {

// Inclusive bounds; saturated at +-2^63 and then "no bound".
struct Range {
  std::int64_t low;
  std::int64_t high;

  static constexpr std::int64_t no_low = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t no_high = std::numeric_limits<std::int64_t>::max();
  static constexpr Range any() { return {no_low, no_high}; }

  bool contains(std::int64_t value) const { return low <= value && value <= high; }
  friend bool operator==(const Range&, const Range&) = default;
};

// A range while it is computed with: it keeps bounds up to 2^100, so a sum of products of lengths is not lost before
// the terms that bring it back within 64 bits.
class WideRange {
 public:
  WideRange(Range range);
  Range range() const;

  friend WideRange operator+(WideRange a, WideRange b);
  friend WideRange operator*(WideRange a, WideRange b);
  // The bounds of one value multiplied with itself, which is never negative.
  WideRange squared() const;

 private:
  WideRange(Wide low, Wide high);
  Wide low_;
  Wide high_;
};

// Either one's values.
Range hull(Range a, Range b);
// Of a quotient rounded down, up or toward zero. A divisor whose range reaches below 1 is at least 1 in the first two.
Range floor_quotient(Range a, Range b);
Range ceil_quotient(Range a, Range b);
Range truncated_quotient(Range a, Range b);

}  // namespace loam
