// The float functions of runtime/math.hpp against the library's in double, over floats spread evenly by their bits.
#include "runtime/math.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using namespace loam;

double unit_in_the_last_place(double value) {
  int exponent = 0;
  std::frexp(std::abs(value), &exponent);
  return std::ldexp(1.0, (value == 0 || exponent < -125 ? -125 : exponent) - 24);
}

template <class F, class G>
void expect_within(double bound, F function, G exact) {
  double worst = 0;
  float at = 0;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4999) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const float y = function(x);
    const double r = exact(static_cast<double>(x));
    const auto rounded = static_cast<float>(r);
    if (std::isnan(r) || std::isinf(rounded) || std::isinf(y)) {
      ASSERT_TRUE(std::isnan(r) ? std::isnan(y) : y == rounded) << x << " gives " << y << ", not " << r;
      continue;
    }
    ASSERT_FALSE(std::isnan(y)) << x;
    ASSERT_EQ(std::signbit(y), std::signbit(r)) << x;
    const double error = std::abs(y - r) / unit_in_the_last_place(r);
    if (error > worst) worst = error, at = x;
  }
  EXPECT_LE(worst, bound) << "at " << at;
}

TEST(Math, Exp) {
  expect_within(1.0, [](float x) { return math::exp(x); }, [](double x) { return std::exp(x); });
  EXPECT_EQ(math::exp(0.0f), 1.0f);
  EXPECT_EQ(math::exp(-std::numeric_limits<float>::infinity()), 0.0f);
  EXPECT_EQ(math::exp(std::numeric_limits<float>::infinity()), std::numeric_limits<float>::infinity());
}
TEST(Math, Log) {
  expect_within(0.9, [](float x) { return math::log(x); }, [](double x) { return std::log(x); });
  EXPECT_EQ(math::log(1.0f), 0.0f);
  EXPECT_EQ(math::log(-0.0f), -std::numeric_limits<float>::infinity());
}
TEST(Math, Tanh) {
  expect_within(1.4, [](float x) { return math::tanh(x); }, [](double x) { return std::tanh(x); });
}
TEST(Math, Erf) {
  expect_within(1.3, [](float x) { return math::erf(x); }, [](double x) { return std::erf(x); });
}
// Down to where they are 2^-126, and from there on within that.
TEST(Math, Sigmoid) {
  const auto exact = [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); };
  const auto held = [](auto x) { return x < -87.3f ? decltype(x){-87.3f} : x; };
  expect_within(2.4, [&](float x) { return math::sigmoid(held(x)); }, [&](double x) { return exact(held(x)); });
  for (const float x : {-87.4f, -88.3f, -88.4f, -89.5f, -1e4f, -3e38f, -std::numeric_limits<float>::infinity()})
    EXPECT_NEAR(math::sigmoid(x), exact(x), 0x1p-126) << x;
}
TEST(Math, Silu) {
  const auto exact = [](double x) { return x < 0 ? x * std::exp(x) / (1 + std::exp(x)) : x / (1 + std::exp(-x)); };
  const auto held = [](auto x) { return x < -87.3f ? decltype(x){-87.3f} : x; };
  expect_within(2.4, [&](float x) { return math::silu(held(x)); }, [&](double x) { return exact(held(x)); });
  for (const float x : {-87.4f, -88.3f, -88.4f, -89.5f, -1e4f, -3e38f}) EXPECT_NEAR(math::silu(x), exact(x), 100 * 0x1p-126) << x;
}
TEST(Math, RoundsToIntegers) {
  expect_within(0, [](float x) { return math::round(x); }, [](double x) { return std::nearbyint(x); });
  expect_within(0, [](float x) { return math::floor(x); }, [](double x) { return std::floor(x); });
  expect_within(0, [](float x) { return math::ceil(x); }, [](double x) { return std::ceil(x); });
}

}  // namespace
