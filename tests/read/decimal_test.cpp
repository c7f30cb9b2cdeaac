#include "compiler/read/decimal.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace loam {
namespace {

template <class Float>
std::string shown(std::string_view text) {
  const std::optional<Float> value = parse_decimal<Float>(text);
  return value ? fmt::format("{}", *value) : "none";
}

TEST(Decimal, numbers_round_to_the_nearest) {
  EXPECT_EQ(shown<float>("1."), "1");
  EXPECT_EQ(shown<float>("-2.5e-3"), "-0.0025");
  EXPECT_EQ(shown<float>("-0"), "-0");
  EXPECT_EQ(shown<double>("0.1"), "0.1");
  // Halfway between two floats, and just beside that: not to be rounded twice.
  EXPECT_EQ(parse_decimal<float>("1.000000059604644775390625"), 1.0F);
  EXPECT_EQ(parse_decimal<float>("1.0000000596046447753906250000000001"), std::nextafter(1.0F, 2.0F));
  EXPECT_EQ(parse_decimal<float>("1.00000005960464477539062499999"), 1.0F);
}

TEST(Decimal, too_small_is_zero_and_too_large_is_none) {
  EXPECT_EQ(shown<float>("1e-46"), "0");
  EXPECT_EQ(shown<float>("-1e-46"), "-0");
  EXPECT_EQ(shown<float>("7.00649232162408535461864791644958e-46"), "0");
  EXPECT_EQ(parse_decimal<float>("7.00649232162408535461864791644959e-46"), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(shown<double>("1e-99999999999999999999"), "0");
  EXPECT_EQ(shown<double>("0e99999999999999999999"), "0");
  EXPECT_EQ(shown<float>("0." + std::string(60, '0') + "1e61"), "1");
  EXPECT_EQ(parse_decimal<float>("3.40282356779733661637539395458142568447e38"), std::numeric_limits<float>::max());
  EXPECT_EQ(shown<float>("3.40282356779733661637539395458142568448e38"), "none");
  EXPECT_EQ(shown<float>(std::string(50, '9')), "none");
  EXPECT_EQ(shown<float>("-1e39"), "none");
  EXPECT_EQ(shown<double>("1e400"), "none");
  EXPECT_EQ(shown<double>("1e99999999999999999999"), "none");
}

TEST(Decimal, words) {
  EXPECT_EQ(shown<float>("nan"), "nan");
  EXPECT_EQ(shown<float>("-NaN"), "-nan");
  EXPECT_EQ(shown<double>("Infinity"), "inf");
  EXPECT_EQ(shown<float>("-INF"), "-inf");
  EXPECT_EQ(std::bit_cast<std::uint32_t>(*parse_decimal<float>("nan")), 0x7fc00000U);
}

TEST(Decimal, anything_else_is_none) {
  for (const char* text : {"", "-", ".5", "+1", "1e", "1e+", "1.e", "0x10", "1f", " 1", "1 ", "--1", "infinite", "nano",
                           "nan(1)", "1,5"})
    EXPECT_EQ(shown<float>(text), "none") << text;
}

TEST(Decimal, what_fmt_writes_is_read_back_bit_by_bit) {
  std::mt19937 random(7);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(value)) continue;
    const std::optional<float> again = parse_decimal<float>(fmt::format("{}", value));
    ASSERT_TRUE(again) << value;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(*again), std::bit_cast<std::uint32_t>(value)) << value;
  }
}

}  // namespace
}  // namespace loam
