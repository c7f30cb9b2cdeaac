#include <gtest/gtest.h>

#include <vector>

#include "compiler/shape/prover.hpp"
#include "tests/shape/random_extents.hpp"

namespace loam {
namespace {

class PresumeTest : public ::testing::Test {
 protected:
  Symbols s;
  Polynomial n = s.input("sequence_length");
  Polynomial m = s.input("past");

  void expect(const Polynomial& p, const Polynomial& value, const std::vector<Polynomial>& owed) {
    const Presumption presumption = presume_unchanged(s, p);
    EXPECT_EQ(presumption.value, value) << s.text(presumption.value);
    EXPECT_EQ(presumption.owed, owed);
  }
};

TEST_F(PresumeTest, APolynomialIsItself) {
  expect(n * m + 3, n * m + 3, {});
  expect(7, 7, {});
}

TEST_F(PresumeTest, AClampReadsAsItsBound) {
  expect(s.min(n, 1024), n, {1024 - n});
  expect(n - s.min(n, 1024), 0, {1024 - n});
  expect(s.max(n - m, 0), n - m, {n - m});
  expect(s.max(n - 5, 3), n - 5, {n - 8});
}

TEST_F(PresumeTest, OfTwoLengthsTheOneThatMakesTheDifferenceZero) {
  const Polynomial clamp = s.min(n, m);
  expect(clamp, n, {m - n});
  expect(clamp - n, 0, {m - n});
  expect(clamp - m, 0, {n - m});
  expect(s.max(m, n), m, {m - n});
}

TEST_F(PresumeTest, AnIndexReadsFromTheStartAndAWrapAsWhatItWraps) {
  expect(s.from_end(n - m, m), n - m, {n - m});
  const std::int64_t turn = std::int64_t{1} << 31;
  expect(s.wrap32(2 * n), 2 * n, {2 * n + turn, turn - 1 - 2 * n});
  expect(s.half(n), n, {n + 2048, 2048 - n});
}

TEST_F(PresumeTest, AQuotientHasItsOperandsRead) {
  expect(s.floor_div(s.min(n, 9), 2), s.floor_div(n, 2), {9 - n});
  expect(s.ceil_div(n, 2), s.ceil_div(n, 2), {});
  expect(s.floor_div(2 * s.min(n, 9) + s.max(m - 1, 0), 2), n + s.floor_div(m - 1, 2), {m - 1, 9 - n});
}

TEST_F(PresumeTest, NestedClampsReadOneByOne) {
  const Polynomial inner = s.from_end(n - m, m);
  expect(s.min(inner, 8), n - m, {8 - inner, n - m});
}

// Where what a reading owes holds, the reading has the value of what it reads.
TEST(PresumePropertyTest, AReadingHoldsWhereItsConditionsDo) {
  int compared = 0;
  int readings = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    testing::RandomExtents random(seed);
    const testing::Extent extent = random.any(static_cast<int>(random.integer(1, 3)));
    if (extent.polynomial.overflowed()) continue;
    const Presumption presumption = presume_unchanged(random.symbols, extent.polynomial);
    if (presumption.value.overflowed()) continue;
    if (!presumption.owed.empty()) ++readings;
    for (int i = 0; i < 30; ++i) {
      const testing::Inputs inputs = random.small_sample();
      const bool meets = std::ranges::all_of(presumption.owed, [&](const Polynomial& condition) {
        const testing::Value value = random.evaluate(condition, inputs);
        return value && *value >= 0;
      });
      const testing::Value expected = extent.function(inputs);
      const testing::Value actual = random.evaluate(presumption.value, inputs);
      if (!meets || !expected || !actual) continue;
      ASSERT_EQ(actual, expected) << "seed " << seed << ": " << random.symbols.text(extent.polynomial) << " read as "
                                  << random.symbols.text(presumption.value);
      if (!presumption.owed.empty()) ++compared;
    }
  }
  EXPECT_GT(readings, 500);
  EXPECT_GT(compared, 2000);
}

}  // namespace
}  // namespace loam
