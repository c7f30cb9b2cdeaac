#include "compiler/shape/range.hpp"

#include <algorithm>

namespace loam {
namespace {

constexpr Wide infinity = Wide{1} << 100;

constexpr bool infinite(Wide bound) { return bound <= -infinity || bound >= infinity; }

// A bound past the infinity moves inward to it, which only loosens: the low bound 2^100 still holds of what is more.
constexpr Wide clamped(Wide bound) { return std::clamp(bound, -infinity, infinity); }

constexpr Wide product(Wide a, Wide b) {
  if (a == 0 || b == 0) return 0;
  if (infinite(a) || infinite(b)) return (a < 0) == (b < 0) ? infinity : -infinity;
  // Each is below 2^100, so what leaves 126 bits is past the infinity.
  const auto bits = [](Wide x) {
    int count = 0;
    for (Wide rest = x < 0 ? -x : x; rest != 0; rest >>= 1) ++count;
    return count;
  };
  if (bits(a) + bits(b) > 126) return (a < 0) == (b < 0) ? infinity : -infinity;
  return clamped(a * b);
}

std::int64_t saturated(Wide bound) {
  return static_cast<std::int64_t>(std::clamp(bound, Wide{Range::no_low}, Wide{Range::no_high}));
}

// The corners a quotient takes its bounds at. An infinite divisor leaves a rounding of something next to 0.
template <typename Round>
Range quotient(Range a, Range b, Round round) {
  b.low = std::max<std::int64_t>(b.low, 1);
  b.high = std::max(b.high, b.low);
  const auto bound = [&](std::int64_t value, std::int64_t limit) {
    if (value == limit) return value;  // no bound
    const std::int64_t near = saturated(round(value, b.low));
    const std::int64_t far = saturated(round(value, b.high));
    return limit == Range::no_low ? std::min(near, far) : std::max(near, far);
  };
  return {bound(a.low, Range::no_low), bound(a.high, Range::no_high)};
}

}  // namespace

WideRange::WideRange(Range range)
    : low_(range.low == Range::no_low ? -infinity : Wide{range.low}),
      high_(range.high == Range::no_high ? infinity : Wide{range.high}) {}

WideRange::WideRange(Wide low, Wide high) : low_(low), high_(high) {}

Range WideRange::range() const { return {saturated(low_), saturated(high_)}; }

WideRange operator+(WideRange a, WideRange b) {
  const bool no_low = a.low_ == -infinity || b.low_ == -infinity;
  const bool no_high = a.high_ == infinity || b.high_ == infinity;
  return {no_low ? -infinity : clamped(a.low_ + b.low_), no_high ? infinity : clamped(a.high_ + b.high_)};
}

WideRange operator*(WideRange a, WideRange b) {
  const auto [low, high] = std::minmax({product(a.low_, b.low_), product(a.low_, b.high_), product(a.high_, b.low_),
                                        product(a.high_, b.high_)});
  return {low, high};
}

WideRange WideRange::squared() const {
  const WideRange plain = *this * *this;
  if (low_ >= 0 || high_ <= 0) return plain;
  return {Wide{0}, plain.high_};
}

Range hull(Range a, Range b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Range floor_quotient(Range a, Range b) {
  return quotient(a, b, [](Wide x, Wide y) { return floor_quotient(x, y); });
}

Range ceil_quotient(Range a, Range b) {
  return quotient(a, b, [](Wide x, Wide y) { return ceil_quotient(x, y); });
}

Range truncated_quotient(Range a, Range b) {
  if (b.low >= 0) return hull(floor_quotient({std::max<std::int64_t>(a.low, 0), std::max<std::int64_t>(a.high, 0)}, b),
                              ceil_quotient({std::min<std::int64_t>(a.low, 0), std::min<std::int64_t>(a.high, 0)}, b));
  if (a.low == Range::no_low || a.high == Range::no_high) return Range::any();
  const std::int64_t size = std::max(a.high, a.low < 0 ? -a.low : a.low);
  return {-size, size};
}

}  // namespace loam
