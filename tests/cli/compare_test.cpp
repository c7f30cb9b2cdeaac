#include "cli/compare.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "runtime/half.hpp"

namespace loam::cli {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

template <class T>
HostTensor tensor(DType dtype, const std::vector<T>& elements) {
  return make_tensor<T>({static_cast<std::int64_t>(elements.size())}, dtype, std::span<const T>(elements));
}
HostTensor floats(const std::vector<float>& elements) { return tensor(DType::float32, elements); }

bool equal(const HostTensor& actual, const HostTensor& expected, const Tolerance& tolerance = {}) {
  return !difference(actual.raw(), expected, tolerance).has_value();
}

TEST(Compare, OneOperatorHasOnnxsOwnTolerance) {
  EXPECT_TRUE(equal(floats({1000}), floats({1000.9F})));
  EXPECT_FALSE(equal(floats({1000}), floats({1001.1F})));
  EXPECT_TRUE(equal(floats({0.9e-7F}), floats({0})));
  EXPECT_FALSE(equal(floats({2e-7F}), floats({0})));
}

TEST(Compare, ALargerGraphIsAllowedAFractionOfItsLargestMagnitude) {
  const Tolerance larger{false, {}, {}};
  EXPECT_TRUE(equal(floats({0.9e-3F, -100}), floats({0, -100}), larger));
  EXPECT_FALSE(equal(floats({1.1e-3F, -100}), floats({0, -100}), larger));
  EXPECT_FALSE(equal(floats({0.9e-3F, 100}), floats({0, 100})));
  EXPECT_TRUE(equal(floats({0.9e-7F, 1e-4F}), floats({0, 1e-4F}), larger));
  // The largest finite magnitude: an infinity allows nothing.
  EXPECT_FALSE(equal(floats({0.9e-3F, infinity}), floats({0, infinity}), larger));
}

TEST(Compare, TheCommandLinesTolerancesWin) {
  EXPECT_TRUE(equal(floats({1.4F}), floats({1}), {true, 0.5, {}}));
  EXPECT_FALSE(equal(floats({1 + 1e-6F}), floats({1}), {true, 0.0, 0.0}));
  EXPECT_TRUE(equal(floats({1.4F}), floats({1}), {false, 0.0, 0.5}));
}

TEST(Compare, NanMeetsNanAndInfinityItsOwn) {
  EXPECT_TRUE(equal(floats({nan, infinity, -infinity}), floats({nan, infinity, -infinity})));
  EXPECT_FALSE(equal(floats({1}), floats({nan})));
  EXPECT_FALSE(equal(floats({nan}), floats({1})));
  EXPECT_FALSE(equal(floats({infinity}), floats({-infinity})));
  EXPECT_FALSE(equal(floats({3e38F}), floats({infinity})));
  EXPECT_FALSE(equal(floats({infinity}), floats({3e38F})));
}

TEST(Compare, IntegersAreExactInAllTheirBits) {
  const auto of = [](std::int64_t value) { return tensor<std::int64_t>(DType::int64, {value}); };
  EXPECT_TRUE(equal(of(9007199254740993), of(9007199254740993)));
  EXPECT_FALSE(equal(of(9007199254740993), of(9007199254740992)));
  EXPECT_FALSE(equal(of(1000), of(1001), {false, 1.0, 1.0}));
}

TEST(Compare, HalvesAreAllowedTwoUnits) {
  const auto half = [](float value) { return tensor<float16>(DType::float16, {float16(value)}); };
  EXPECT_TRUE(equal(half(1 + 0x1p-9F), half(1)));
  EXPECT_FALSE(equal(half(1 + 0x1.8p-8F), half(1)));
  const auto bfloat = [](float value) { return tensor<bfloat16>(DType::bfloat16, {bfloat16(value)}); };
  EXPECT_TRUE(equal(bfloat(1 + 0x1p-6F), bfloat(1)));
  EXPECT_FALSE(equal(bfloat(1 + 0x1.8p-5F), bfloat(1)));
}

TEST(Compare, SmallFloatsAreExactAndTheirNansAreOne) {
  const auto of = [](std::uint8_t bits) { return tensor<std::uint8_t>(DType::float8e5m2, {bits}); };
  EXPECT_TRUE(equal(of(0x7d), of(0x7f)));
  EXPECT_TRUE(equal(of(0x00), of(0x80)));  // 0 and -0
  EXPECT_FALSE(equal(of(0x3c), of(0x3d)));
  EXPECT_EQ(element_as_double(DType::float8e5m2, of(0x3c).data.data(), 0), 1.0);
  const std::uint8_t packed = 0x2f;  // int4: -1 and 2; float4e2m1: -6 and 1
  const auto two = [&](DType type) { return unpacked(type, std::as_bytes(std::span(&packed, 1)), 2); };
  EXPECT_EQ(element_as_double(DType::int4, two(DType::int4).data(), 0), -1);
  EXPECT_EQ(element_as_double(DType::int4, two(DType::int4).data(), 1), 2);
  EXPECT_EQ(element_as_double(DType::float4e2m1, two(DType::float4e2m1).data(), 0), -6);
  EXPECT_EQ(element_as_double(DType::float4e2m1, two(DType::float4e2m1).data(), 1), 1);
}

TEST(Compare, TypesAndExtentsMustBeEqual) {
  EXPECT_EQ(difference(floats({1}).raw(), tensor<double>(DType::float64, {1}), {}),
            "is float32[1] and should be float64[1]");
  EXPECT_EQ(difference(floats({1}).raw(), make_tensor<float>({1, 1}, DType::float32, std::vector<float>{1}), {}),
            "is float32[1] and should be float32[1, 1]");
}

TEST(Compare, ADifferenceNamesThePlaceAndHowManyThereAre) {
  const HostTensor expected = make_tensor<float>({2, 2}, DType::float32, std::vector<float>{1, 2, 3, 4});
  const HostTensor actual = make_tensor<float>({2, 2}, DType::float32, std::vector<float>{1, 2, 3.5, 5});
  EXPECT_EQ(difference(actual.raw(), expected, {}),
            "element [1, 0] is 3.5 and should be 3; 2 of 4 differ, by 1 at most");
}

}  // namespace
}  // namespace loam::cli
