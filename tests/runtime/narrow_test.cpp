#include "runtime/narrow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/functions.hpp"

namespace {

using namespace loam;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr Narrowing overflows{.saturates = false};

template <class T>
float value(int code) { return std::bit_cast<T>(static_cast<std::uint8_t>(code)); }

// ---- The floats with a sign ----------------------------------------------------------------------------------------

// What ONNX's table says of a format, and its codes: `nan_from` to the last code are NaN, or the sign alone is.
struct Table {
  int mantissa_bits, bias, sign, greatest, infinity, nan_from;  // -1: none
  bool unsigned_zero;
};

template <class T>
constexpr Table table{};
template <>
constexpr Table table<float8e4m3fn>{3, 7, 0x80, 0x7e, -1, 0x7f, false};
template <>
constexpr Table table<float8e4m3fnuz>{3, 8, 0x80, 0x7f, -1, -1, true};
template <>
constexpr Table table<float8e5m2>{2, 15, 0x80, 0x7b, 0x7c, 0x7d, false};
template <>
constexpr Table table<float8e5m2fnuz>{2, 16, 0x80, 0x7f, -1, -1, true};
template <>
constexpr Table table<float4e2m1>{1, 1, 0x8, 0x7, -1, -1, false};

template <class T>
class SmallFloats : public testing::Test {};
using Signed = testing::Types<float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float4e2m1>;
TYPED_TEST_SUITE(SmallFloats, Signed);

TYPED_TEST(SmallFloats, EveryCodeIsItsNumber) {
  constexpr Table t = table<TypeParam>;
  for (int code = 0; code < t.sign; ++code) {
    const float magnitude = value<TypeParam>(code), negative = value<TypeParam>(code | t.sign);
    if (t.nan_from >= 0 && code >= t.nan_from) {
      EXPECT_TRUE(std::isnan(magnitude) && std::isnan(negative)) << code;
      EXPECT_TRUE(!std::signbit(magnitude) && std::signbit(negative)) << code;
      continue;
    }
    const int exponent = code >> t.mantissa_bits, mantissa = code & ((1 << t.mantissa_bits) - 1);
    const int whole = exponent == 0 ? mantissa : mantissa + (1 << t.mantissa_bits);
    const double expected =
        code == t.infinity ? infinity : std::ldexp(whole, std::max(exponent, 1) - t.bias - t.mantissa_bits);
    EXPECT_EQ(magnitude, expected) << code;
    if (code == 0 && t.unsigned_zero) EXPECT_TRUE(std::isnan(negative));
    else EXPECT_TRUE(negative == -expected && std::signbit(negative)) << code;
  }
}

TYPED_TEST(SmallFloats, EveryElementIsItselfAgain) {
  constexpr Table t = table<TypeParam>;
  for (int code = 0; code < 2 * t.sign; ++code) {
    const float f = value<TypeParam>(code);
    const int back = store<TypeParam>(f).bits;
    if (std::isnan(f)) EXPECT_TRUE(std::isnan(value<TypeParam>(back)));
    else EXPECT_EQ(back, code);
  }
}

TYPED_TEST(SmallFloats, RoundsToNearestEven) {
  constexpr Table t = table<TypeParam>;
  for (int low = 0; low < t.greatest; ++low) {
    const float a = value<TypeParam>(low), b = value<TypeParam>(low + 1), middle = (a + b) / 2;
    for (const int sign : {0, t.sign}) {
      const auto at = [&](float f) { return int{convert<TypeParam>(sign ? -f : f).bits}; };
      const auto signed_code = [&](int code) { return code == 0 && t.unsigned_zero ? 0 : code | sign; };
      EXPECT_EQ(at(middle), signed_code(low % 2 == 0 ? low : low + 1)) << low;
      EXPECT_EQ(at(std::nextafter(middle, 0.0f)), signed_code(low)) << low;
      EXPECT_EQ(at(std::nextafter(middle, infinity)), signed_code(low + 1)) << low;
    }
  }
}

TYPED_TEST(SmallFloats, PastTheGreatestEitherSaturatesOrNot) {
  constexpr Table t = table<TypeParam>;
  const float greatest = value<TypeParam>(t.greatest), half_step = (greatest - value<TypeParam>(t.greatest - 1)) / 2;
  // A tie goes to the even code, which the greatest is or the one after it would be.
  const float last = t.greatest % 2 == 0 ? greatest + half_step : std::nextafter(greatest + half_step, 0.0f);
  const float past = std::nextafter(last, infinity);
  EXPECT_EQ(convert<TypeParam>(last).bits, t.greatest);
  EXPECT_EQ((convert<TypeParam, overflows>(last).bits), t.greatest);
  for (const float f : {past, 1e6f, std::numeric_limits<float>::max(), infinity}) {
    EXPECT_EQ(convert<TypeParam>(f).bits, t.greatest);
    EXPECT_EQ(convert<TypeParam>(-f).bits, t.greatest | t.sign);
    const float up = convert<TypeParam, overflows>(f), down = convert<TypeParam, overflows>(-f);
    if (t.infinity >= 0) {
      EXPECT_EQ(up, infinity);
      EXPECT_EQ(down, -infinity);
    } else if (std::is_same_v<TypeParam, float4e2m1>) {  // which has nothing else
      EXPECT_EQ(up, greatest);
      EXPECT_EQ(down, -greatest);
    } else {
      EXPECT_TRUE(std::isnan(up) && std::isnan(down));
    }
  }
  const float n = convert<TypeParam>(nan), m = convert<TypeParam, overflows>(-nan);
  if (std::is_same_v<TypeParam, float4e2m1>) EXPECT_TRUE(n == 0 && m == 0);
  else EXPECT_TRUE(std::isnan(n) && std::isnan(m));
}

// ---- float8e8m0 ----------------------------------------------------------------------------------------------------

TEST(Float8e8m0, EveryCodeIsItsPowerOfTwo) {
  for (int code = 0; code < 255; ++code) {
    EXPECT_EQ(value<float8e8m0>(code), std::ldexp(1.0, code - 127));
    EXPECT_EQ(store<float8e8m0>(value<float8e8m0>(code)).bits, code);
  }
  EXPECT_TRUE(std::isnan(value<float8e8m0>(255)));
  EXPECT_EQ(store<float8e8m0>(nan).bits, 255);
}

// Codes as ONNX's table and onnxruntime 1.32 give them.
TEST(Float8e8m0, RoundsAsAskedAndSaturatesOrNot) {
  constexpr float least = 0x1p-127f, greatest = 0x1p127f;
  static constexpr Narrowing up{}, down{.rounding = Narrowing::down}, nearest{.rounding = Narrowing::nearest};
  static constexpr Narrowing strictly_nearest{.saturates = false, .rounding = Narrowing::nearest};
  const auto codes = [](float f) {
    return std::array<int, 4>{convert<float8e8m0, up>(f).bits, convert<float8e8m0, down>(f).bits,
                              convert<float8e8m0, nearest>(f).bits, convert<float8e8m0, strictly_nearest>(f).bits};
  };
  using Codes = std::array<int, 4>;
  for (const float f : {0.0f, -0.0f, -1.0f, -infinity, 0x1p-149f, 0x1.8p-128f})
    EXPECT_EQ(codes(f), (Codes{0, 0, 0, 255}));
  EXPECT_EQ(codes(least), (Codes{0, 0, 0, 0}));
  EXPECT_EQ(codes(1.25f * least), (Codes{1, 0, 0, 0}));
  EXPECT_EQ(codes(1.5f * least), (Codes{1, 0, 1, 1}));
  EXPECT_EQ(codes(2 * least), (Codes{1, 1, 1, 1}));
  EXPECT_EQ(codes(1.25f), (Codes{128, 127, 127, 127}));
  EXPECT_EQ(codes(1.5f), (Codes{128, 127, 128, 128}));
  EXPECT_EQ(codes(greatest), (Codes{254, 254, 254, 254}));
  EXPECT_EQ(codes(1.25f * greatest), (Codes{254, 254, 254, 255}));
  EXPECT_EQ(codes(infinity), (Codes{254, 254, 254, 255}));
  EXPECT_EQ(codes(nan), (Codes{255, 255, 255, 255}));
}

// ---- The integers of less than a byte ------------------------------------------------------------------------------

template <class T>
class SmallIntegers : public testing::Test {};
using Integers = testing::Types<int4, uint4, int2, uint2>;
TYPED_TEST_SUITE(SmallIntegers, Integers);

TYPED_TEST(SmallIntegers, KeepTheLowBits) {
  constexpr int bits = TypeParam::packed_bits, count = 1 << bits, least = TypeParam::least;
  EXPECT_EQ(TypeParam::greatest - least, count - 1);
  EXPECT_EQ(least, std::is_signed_v<compute_t<TypeParam>> ? -count / 2 : 0);
  for (int i = -300; i <= 300; ++i) {
    const int expected = least + ((i - least) % count + count) % count;
    EXPECT_EQ(int{convert<TypeParam>(i)}, expected) << i;
    EXPECT_EQ(int{convert<TypeParam>(static_cast<float>(i))}, expected) << i;
    EXPECT_EQ(int{TypeParam::of_bits(static_cast<std::uint8_t>(i))}, expected) << i;
    EXPECT_EQ(int{loam::saturate<TypeParam>(i)}, std::clamp<int>(i, least, TypeParam::greatest)) << i;
    EXPECT_EQ(convert<float>(convert<TypeParam>(i)), static_cast<float>(expected)) << i;
  }
}

TYPED_TEST(SmallIntegers, RoundToNearestEven) {
  EXPECT_EQ(int{convert<TypeParam>(0.5f)}, 0);
  EXPECT_EQ(int{convert<TypeParam>(0.75)}, 1);
  EXPECT_EQ(int{convert<TypeParam>(2.5f)}, int{TypeParam(2)});
  EXPECT_EQ(int{convert<TypeParam>(float16(-0.75f))}, int{convert<TypeParam>(-1)});
  for (const float f : {nan, infinity, -infinity, 0x1p100f}) EXPECT_EQ(int{convert<TypeParam>(f)}, 0);
  EXPECT_EQ(int{fn::saturate<TypeParam>(1e9f)}, int{TypeParam::greatest});
  EXPECT_EQ(int{fn::saturate<TypeParam>(-infinity)}, int{TypeParam::least});
  EXPECT_EQ(int{fn::saturate<TypeParam>(0.5f)}, 0);
}

TEST(Narrow, OneTypeConvertsToAnother) {
  EXPECT_EQ(int{fn::cast<int4>(float8e4m3fn(-3.0f))}, -3);
  EXPECT_EQ(float(fn::cast<float4e2m1>(int4(-5))), -4.0f);
  EXPECT_EQ(float(fn::cast<float8e5m2>(float8e4m3fn(448.0f))), 448.0f);
  EXPECT_TRUE(fn::cast<bool>(float8e5m2fnuz(0.5f)));
  EXPECT_EQ((fn::cast<float8e5m2, Narrowing{.saturates = false}>(1e9)), infinity);
  EXPECT_EQ(fn::cast<float16>(float8e8m0(0.25f)), 0.25f);
  static_assert(std::is_same_v<compute_t<uint2>, std::uint8_t> && std::is_same_v<compute_t<float4e2m1>, float>);
  static_assert(float8e4m3fn(1.0f).bits == 0x38);
}

}  // namespace
