#include "runtime/functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

// Every name of the list is here, or this does not compile.
namespace listed {
#define LOAM_SCALAR(name, operands) using loam::fn::name;
#include "compiler/kernel/scalar_ops.inc"
#undef LOAM_SCALAR
}  // namespace listed

namespace {

using namespace loam;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr auto least32 = std::numeric_limits<std::int32_t>::min();
constexpr auto greatest32 = std::numeric_limits<std::int32_t>::max();
constexpr auto least64 = std::numeric_limits<std::int64_t>::min();

TEST(Functions, IntegersWrap) {
  EXPECT_EQ(fn::add(greatest32, 1), least32);
  EXPECT_EQ(fn::sub(least32, 1), greatest32);
  EXPECT_EQ(fn::mul(std::uint16_t{65535}, std::uint16_t{65535}), 1);
  EXPECT_EQ(fn::mul(std::int8_t{-128}, std::int8_t{-1}), -128);
  EXPECT_EQ(fn::neg(least64), least64);
  EXPECT_EQ(fn::abs(std::int8_t{-128}), -128);
  EXPECT_EQ(fn::abs(-3), 3);
  EXPECT_EQ(fn::mul(least64, std::int64_t{-1}), least64);
}

TEST(Functions, IntegerDivision) {
  EXPECT_EQ(fn::div(-7, 2), -3);
  EXPECT_EQ(fn::div(7, 0), 0);
  EXPECT_EQ(fn::div(least32, -1), least32);
  EXPECT_EQ(fn::div(std::int8_t{-128}, std::int8_t{-1}), -128);
  EXPECT_EQ(fn::mod(-7, 3), 2);
  EXPECT_EQ(fn::mod(7, -3), -2);
  EXPECT_EQ(fn::mod(-6, 3), 0);
  EXPECT_EQ(fn::mod(7, 0), 0);
  EXPECT_EQ(fn::mod(least64, std::int64_t{-1}), 0);
  EXPECT_EQ(fn::mod(std::uint8_t{250}, std::uint8_t{7}), 5);
  EXPECT_EQ(fn::fmod(-7, 3), -1);
  EXPECT_EQ(fn::fmod(7, -3), 1);
  EXPECT_EQ(fn::fmod(least32, -1), 0);
  EXPECT_EQ(fn::fmod(1, 0), 0);
}

TEST(Functions, FloatRemainders) {
  EXPECT_EQ(fn::fmod(-7.0f, 3.0f), -1.0f);
  EXPECT_EQ(fn::mod(-7.0f, 3.0f), 2.0f);
  EXPECT_EQ(fn::mod(7.0, -3.0), -2.0);
  EXPECT_TRUE(std::signbit(fn::mod(6.0f, -3.0f)));
  EXPECT_TRUE(std::isnan(fn::mod(1.0f, 0.0f)));
}

TEST(Functions, Powers) {
  EXPECT_EQ(fn::pow(3, 4), 81);
  EXPECT_EQ(fn::pow(std::int64_t{3}, std::int64_t{39}), 4052555153018976267);  // a double would round it
  EXPECT_EQ(fn::pow(2, 40), 0);                                                // modulo 2^32
  EXPECT_EQ(fn::pow(-2, 31), least32);
  EXPECT_EQ(fn::pow(std::uint8_t{3}, std::int64_t{6}), static_cast<std::uint8_t>(729));
  EXPECT_EQ(fn::pow(2, -1), 0);
  EXPECT_EQ(fn::pow(-1, -3), -1);
  EXPECT_EQ(fn::pow(-1, -2), 1);
  EXPECT_EQ(fn::pow(1, least64), 1);
  EXPECT_EQ(fn::pow(0, 0), 1);
  EXPECT_EQ(fn::pow(0, -1), greatest32);
  EXPECT_EQ(fn::pow(9, 0.5f), 3);
  EXPECT_EQ(fn::pow(5, 3.9f), 532);
  EXPECT_EQ(fn::pow(-3.0f, 2.0f), 9.0f);
  EXPECT_EQ(fn::pow(-2.0f, std::int64_t{3}), -8.0f);
  EXPECT_TRUE(std::isnan(fn::pow(-2.0f, 0.5f)));
}

TEST(Functions, Shifts) {
  EXPECT_EQ(fn::shift_left(std::uint8_t{129}, std::uint8_t{1}), 2);
  EXPECT_EQ(fn::shift_left(std::uint8_t{129}, std::uint8_t{8}), 0);
  EXPECT_EQ(fn::shift_right(std::uint64_t{1} << 63, std::uint64_t{63}), 1u);
  EXPECT_EQ(fn::shift_right(std::uint64_t{1} << 63, std::uint64_t{64}), 0u);
  EXPECT_EQ(fn::shift_right(std::int8_t{-8}, std::int8_t{1}), -4);
  EXPECT_EQ(fn::bitwise_not(std::uint8_t{1}), 254);
}

TEST(Functions, ExtremesKeepNan) {
  EXPECT_TRUE(std::isnan(fn::max(nan, 1.0f)));
  EXPECT_TRUE(std::isnan(fn::max(1.0f, nan)));
  EXPECT_TRUE(std::isnan(fn::min(nan, 1.0f)));
  EXPECT_TRUE(std::isnan(fn::min(1.0, std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(fn::max(-infinity, -1.0f), -1.0f);
  EXPECT_EQ(fn::min(std::int8_t{-1}, std::int8_t{1}), -1);
  EXPECT_EQ(fn::max(std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()),
            std::numeric_limits<std::uint64_t>::max());
}

TEST(Functions, Rounding) {
  const float halves[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 8388609.0f, -0.0f};
  const float expected[] = {0, 2, 2, -0.0f, -2, -2, 8388609.0f, -0.0f};
  for (std::size_t i = 0; i < std::size(halves); ++i) {
    EXPECT_EQ(fn::round(halves[i]), expected[i]);
    EXPECT_EQ(std::signbit(fn::round(halves[i])), std::signbit(expected[i]));
  }
  EXPECT_EQ(fn::floor(-0.5), -1.0);
  EXPECT_TRUE(std::signbit(fn::ceil(-0.5f)));
  EXPECT_EQ(fn::ceil(4503599627370496.5), 4503599627370496.0);
  EXPECT_TRUE(std::isnan(fn::round(nan)));
  EXPECT_EQ(fn::floor(-infinity), -infinity);
  EXPECT_TRUE(std::isnan(fn::sign(nan)));
  EXPECT_EQ(fn::sign(-2.0f), -1.0f);
  EXPECT_EQ(fn::sign(std::uint8_t{200}), 1);
}

TEST(Functions, Casts) {
  EXPECT_EQ(fn::cast<std::int32_t>(-1.9f), -1);
  EXPECT_EQ(fn::cast<std::int32_t>(3e9f), greatest32);
  EXPECT_EQ(fn::cast<std::int32_t>(-infinity), least32);
  EXPECT_EQ(fn::cast<std::int32_t>(nan), 0);
  EXPECT_EQ(fn::cast<std::uint8_t>(-1.5f), 0);
  EXPECT_EQ(fn::cast<std::uint8_t>(300.0), 255);
  EXPECT_EQ(fn::cast<std::uint32_t>(3e9f), 3000000000u);
  EXPECT_EQ(fn::cast<std::uint64_t>(1e30f), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(fn::cast<std::int64_t>(9223372036854775808.0), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(fn::cast<std::int64_t>(-9223372036854775808.0), least64);
  EXPECT_EQ(fn::cast<std::uint8_t>(300), 44);
  EXPECT_EQ(fn::cast<std::int8_t>(std::uint8_t{200}), -56);
  EXPECT_EQ(fn::cast<bool>(0.5f), true);
  EXPECT_EQ(fn::cast<bool>(nan), true);
  EXPECT_EQ(fn::cast<bool>(-0.0f), false);
  EXPECT_EQ(fn::cast<float>(true), 1.0f);
  EXPECT_EQ(fn::cast<float16>(65520.0f).bits, float16(infinity).bits);
  EXPECT_EQ(fn::cast<float16>(1.0f + 0x1p-11f).bits, float16(1.0f).bits);  // half to even
  EXPECT_EQ(fn::cast<bfloat16>(std::int64_t{3}).bits, bfloat16(3.0f).bits);
  EXPECT_EQ(fn::cast<std::int32_t>(float16(-7.5f)), -7);
}

TEST(Functions, Saturates) {
  const float values[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 300.0f, -300.0f, infinity, nan};
  const int expected[] = {0, 2, 2, 0, -2, 127, -128, 127, 0};
  for (std::size_t i = 0; i < std::size(values); ++i) EXPECT_EQ(fn::saturate<std::int8_t>(values[i]), expected[i]);
  EXPECT_EQ(fn::saturate<std::uint8_t>(-3), 0);
  EXPECT_EQ(fn::saturate<std::uint8_t>(300), 255);
  EXPECT_EQ(fn::saturate<std::int8_t>(std::uint32_t{4000000000u}), 127);
  EXPECT_EQ(fn::saturate<std::int64_t>(std::numeric_limits<std::uint64_t>::max()),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(fn::saturate<std::uint64_t>(std::int8_t{-1}), 0u);
}

TEST(Functions, TestsAndChoices) {
  EXPECT_TRUE(fn::is_nan(nan));
  EXPECT_FALSE(fn::is_nan(3));
  EXPECT_TRUE(fn::is_positive_infinity(infinity));
  EXPECT_FALSE(fn::is_positive_infinity(-infinity));
  EXPECT_TRUE(fn::is_negative_infinity(-infinity));
  EXPECT_TRUE(fn::equal(true, true));
  EXPECT_FALSE(fn::equal(nan, nan));
  EXPECT_TRUE(fn::logical_xor(true, false));
  EXPECT_EQ(fn::where(false, 1, 2), 2);
  static_assert(fn::add(2, 3) == 5 && fn::less(1.0f, 2.0f) && fn::cast<float>(3) == 3.0f);
}

}  // namespace
