#include "compiler/shape/range.hpp"

#include <gtest/gtest.h>

#include <random>

namespace loam {
namespace {

constexpr std::int64_t most = INT64_MAX;

Range product(Range a, Range b) { return (WideRange(a) * WideRange(b)).range(); }
Range sum(Range a, Range b) { return (WideRange(a) + WideRange(b)).range(); }

TEST(RangeTest, InfinitiesStayInfinite) {
  EXPECT_EQ(sum(Range::any(), {5, 5}), Range::any());
  EXPECT_EQ(sum({0, Range::no_high}, {-3, -3}), (Range{-3, Range::no_high}));
  EXPECT_EQ(product({0, Range::no_high}, {-1, -1}), (Range{Range::no_low, 0}));
  EXPECT_EQ(product(Range::any(), {0, 0}), (Range{0, 0}));
  EXPECT_EQ(product({Range::no_low, -1}, {-2, -2}), (Range{2, Range::no_high}));
}

TEST(RangeTest, APassingExcessIsNotLost) {
  const WideRange lengths(Range{0, 0x7fffffff});
  const WideRange product = lengths * lengths * lengths;
  const WideRange scaled = product * WideRange(Range{-1, -1});
  EXPECT_EQ(scaled.range(), (Range{Range::no_low, 0}));
  const WideRange top(Range{most, most});
  const Range back = (top + top + WideRange(Range{-most, -most})).range();
  EXPECT_EQ(back.low, most);
}

TEST(RangeTest, ABoundPastTheInfinityOnlyLoosens) {
  WideRange huge(Range{most - 1, most - 1});
  for (int i = 0; i < 5; ++i) huge = huge * huge;
  EXPECT_EQ(huge.range(), (Range{most, most}));
  EXPECT_EQ((huge * WideRange(Range{-1, -1})).range(), (Range{Range::no_low, Range::no_low}));
  EXPECT_EQ((huge + WideRange(Range{Range::no_low, 0})).range().low, Range::no_low);
}

TEST(RangeTest, QuotientsCoverEveryPairOfOperands) {
  std::mt19937 random(3);
  std::uniform_int_distribution<std::int64_t> bound(-30, 30);
  for (int round = 0; round < 3000; ++round) {
    Range a{bound(random), bound(random)};
    Range b{bound(random), bound(random)};
    if (a.low > a.high) std::swap(a.low, a.high);
    if (b.low > b.high) std::swap(b.low, b.high);
    const Range down = floor_quotient(a, b);
    const Range up = ceil_quotient(a, b);
    const Range toward_zero = truncated_quotient(a, b);
    for (std::int64_t x = a.low; x <= a.high; ++x) {
      for (std::int64_t y = b.low; y <= b.high; ++y) {
        if (y > 0) {
          ASSERT_TRUE(down.contains(static_cast<std::int64_t>(floor_quotient(x, y))));
          ASSERT_TRUE(up.contains(static_cast<std::int64_t>(ceil_quotient(x, y))));
        }
        if (y != 0) {
          ASSERT_TRUE(toward_zero.contains(x / y));
        }
      }
    }
  }
}

TEST(RangeTest, QuotientsOfTheUnbounded) {
  EXPECT_EQ(floor_quotient({0, Range::no_high}, {2, 2}), (Range{0, Range::no_high}));
  EXPECT_EQ(floor_quotient({-7, 7}, {2, Range::no_high}), (Range{-4, 3}));
  EXPECT_EQ(ceil_quotient({1, 7}, {2, Range::no_high}), (Range{1, 4}));
  EXPECT_EQ(truncated_quotient(Range::any(), {2, 4}), Range::any());
}

}  // namespace
}  // namespace loam
