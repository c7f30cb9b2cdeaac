// What the compiler's integers make of numbers that are none.
#include "compiler/shape/integer.hpp"

#include <gtest/gtest.h>

namespace loam {
namespace {

TEST(Saturated, IsTheNearestIntegerTowardZero) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(saturated(2.75), 2);
  EXPECT_EQ(saturated(-2.75), -2);
  EXPECT_EQ(saturated(9223372036854774784.0), 9223372036854774784);  // the last double below 2^63
  EXPECT_EQ(saturated(0x1p63), most);
  EXPECT_EQ(saturated(infinity), most);
  EXPECT_EQ(saturated(-0x1p63), least);
  EXPECT_EQ(saturated(-infinity), least);
  EXPECT_EQ(saturated(std::numeric_limits<double>::quiet_NaN()), 0);
}

}  // namespace
}  // namespace loam
