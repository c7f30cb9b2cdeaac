#include "compiler/shape/prover.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/shape/random_extents.hpp"

namespace loam {
namespace {

constexpr std::int64_t most = INT64_MAX;

class ProverTest : public ::testing::Test {
 protected:
  Symbols s;
  Polynomial n = s.input("N");
  Polynomial m = s.input("M");
  Polynomial k = s.input("K");

  Proof prove(const Polynomial& p, const std::vector<Polynomial>& relations = {}) const {
    return prove_nonnegative(s, p, relations);
  }
  Proof equal(const Polynomial& a, const Polynomial& b, const std::vector<Polynomial>& relations = {}) const {
    return prove_equal(s, a, b, relations);
  }
};

TEST_F(ProverTest, BoundsDecideEachTermApart) {
  EXPECT_EQ(prove(n), Proof::always);
  EXPECT_EQ(prove(n * m + 3 * k), Proof::always);
  EXPECT_EQ(prove(-n - 1), Proof::never);
  EXPECT_EQ(prove(n - 1), Proof::unknown);
  EXPECT_EQ(prove(n - m), Proof::unknown);
  EXPECT_EQ(prove(longest_length - n), Proof::always);
  EXPECT_EQ(prove(longest_length - 2 * n), Proof::unknown);
  EXPECT_EQ(prove(Polynomial::overflow()), Proof::unknown);
}

TEST_F(ProverTest, IntegersTighten) {
  EXPECT_EQ(tightened(4 * n - 7), n - 2);
  EXPECT_EQ(tightened(4 * n + 7), n + 1);
  EXPECT_EQ(tightened(Polynomial(7)), Polynomial(7));
  EXPECT_EQ(prove(2 * n - 2 * m - 1, {n - m - 1}), Proof::always);
  EXPECT_EQ(prove(2 * m - 2 * n + 1, {m - n}), Proof::always);
}

TEST_F(ProverTest, ClampsAreTakenApart) {
  const Polynomial clamp = s.min(n, 8);
  EXPECT_EQ(prove(n - clamp), Proof::always);
  EXPECT_EQ(prove(8 - clamp), Proof::always);
  EXPECT_EQ(prove(clamp - n - 1), Proof::never);
  EXPECT_EQ(prove(clamp - n), Proof::unknown);
  EXPECT_EQ(prove(s.max(n, m) - n), Proof::always);
  EXPECT_EQ(prove(s.max(n, m) - s.min(n, m)), Proof::always);
  EXPECT_EQ(prove(n + m - s.max(n, m)), Proof::always);
  EXPECT_EQ(prove(m * n - m * clamp), Proof::always);
  EXPECT_EQ(prove(s.max(n - 4, 0) + s.min(n, 4) - n), Proof::always);
  EXPECT_EQ(prove(s.from_end(n - m, m)), Proof::always);
}

TEST_F(ProverTest, QuotientsAreBoundedByTheirOperands) {
  EXPECT_EQ(prove(n - s.floor_div(n, 2)), Proof::always);
  EXPECT_EQ(prove(n - 2 * s.floor_div(n, 2)), Proof::always);
  EXPECT_EQ(prove(1 - n + 2 * s.floor_div(n, 2)), Proof::always);
  EXPECT_EQ(prove(2 * s.ceil_div(n, 2) - n), Proof::always);
  EXPECT_EQ(prove(s.ceil_div(n, 2) - s.floor_div(n, 2)), Proof::always);
  EXPECT_EQ(prove(s.floor_div(n + m, 2) - s.floor_div(n, 2)), Proof::always);
  EXPECT_EQ(prove(n - m * s.floor_div(n, m)), Proof::always);
  EXPECT_EQ(prove(s.floor_div(n, 2) - s.ceil_div(n, 2) - 1), Proof::never);
  EXPECT_EQ(prove(s.floor_div(n, 2) - s.ceil_div(n, 2)), Proof::unknown);
  EXPECT_EQ(prove(m - 1 - s.floor_mod(n, m)), Proof::always);
  EXPECT_EQ(prove(n - s.floor_mod(n, 8)), Proof::always);
  const Polynomial truncated = s.truncated_div(n - m, 3);
  EXPECT_EQ(prove(n - m + 2 - 3 * truncated), Proof::always);
}

TEST_F(ProverTest, ComparisonsAreCases) {
  EXPECT_EQ(prove(n - m * s.ge(n, m)), Proof::always);
  EXPECT_EQ(prove(s.select(s.ge(n, m), n - m, m - n)), Proof::always);
  EXPECT_EQ(prove(s.select(s.eq(n, m), n - m, 0)), Proof::always);
}

TEST_F(ProverTest, RelationsAreUsed) {
  // The elements of an input [N, M, 3] fit a list, so four times as many bytes fit int64.
  const std::vector<Polynomial> fits{longest_length - 3 * n * m};
  EXPECT_EQ(prove(most - 12 * n * m, fits), Proof::always);
  EXPECT_EQ(prove(longest_length - 2 * n * m, fits), Proof::always);
  EXPECT_EQ(prove(longest_length - 4 * n * m, fits), Proof::unknown);
  EXPECT_EQ(prove(n * m - 1, {n - 1, m - 1}), Proof::always);
  EXPECT_EQ(prove(n * m - n, {m - 1}), Proof::always);
  EXPECT_EQ(prove(n - m, {n - k, k - m}), Proof::always);
  EXPECT_EQ(prove(m - n - 1, {n - m}), Proof::never);
  EXPECT_EQ(prove(1024 - s.min(n, m), {1024 - n}), Proof::always);
  EXPECT_EQ(prove(s.min(n, 8) - 1, {n - 1}), Proof::always);
  EXPECT_EQ(prove(2 * n - s.wrap32(2 * n), {1000 - n}), Proof::always);
  EXPECT_EQ(prove(s.floor_div(n, 4) - 2, {n - 8}), Proof::always);
}

TEST_F(ProverTest, RelationsSpeakOfFixedSymbolsToo) {
  s.fix(*k.as_symbol(), 10);
  EXPECT_EQ(prove(10 - n, {k - n}), Proof::always);
  EXPECT_EQ(prove(k - 10), Proof::always);
  EXPECT_EQ(equal(k * n, 10 * n), Proof::always);
}

TEST_F(ProverTest, Equalities) {
  EXPECT_EQ(equal(n * (m + 1), n * m + n), Proof::always);
  EXPECT_EQ(equal(n, m), Proof::unknown);
  EXPECT_EQ(equal(n, n + 1), Proof::never);
  EXPECT_EQ(equal(n, -1), Proof::never);
  EXPECT_EQ(equal(2 * n, 2 * m + 1), Proof::never);
  EXPECT_EQ(equal(7, 7), Proof::always);
  EXPECT_EQ(equal(7, 8), Proof::never);
  EXPECT_EQ(equal(s.min(n, m) + s.max(n, m), n + m), Proof::always);
  EXPECT_EQ(equal(s.floor_div(n, 2) + s.ceil_div(n, 2), n), Proof::always);
  EXPECT_EQ(equal(s.floor_div(n, 3) + s.ceil_div(n, 3), n), Proof::unknown);
  EXPECT_EQ(equal(s.floor_mod(n, 2), n - 2 * s.floor_div(n, 2)), Proof::unknown);
  EXPECT_EQ(equal(s.min(n, 8), 9), Proof::never);
  EXPECT_EQ(equal(s.min(n, 8), n, {8 - n}), Proof::always);
  EXPECT_EQ(equal(n, m, {n - m - 1}), Proof::never);
  EXPECT_EQ(equal(Polynomial::overflow(), Polynomial::overflow()), Proof::unknown);
}

TEST_F(ProverTest, BudgetEndsASearch) {
  Polynomial p = -1;
  for (int i = 0; i < 24; ++i) p = p + s.min(n + i * m, m + i * k) - s.max(k - i * n, m - i * k);
  EXPECT_EQ(prove(p), Proof::unknown);
  EXPECT_EQ(prove_nonnegative(s, s.max(n, m) - s.min(n, m), {}, 0), Proof::unknown);
}

// Random claims over random derived symbols, most of them near the edge of being true.
TEST(ProverPropertyTest, NothingFalseIsProved) {
  int always = 0;
  int never = 0;
  int equal = 0;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    testing::RandomExtents random(seed);
    const testing::Extent a = random.any(static_cast<int>(random.integer(1, 3)));
    const testing::Extent b = random.any(static_cast<int>(random.integer(1, 3)));
    testing::Extent claim;
    switch (random.integer(0, 4)) {
      case 0: claim = random.difference(a, random.min(a, b)); break;
      case 1: claim = random.difference(random.max(a, random.divisor()), b); break;
      case 2: claim = random.difference(a, random.product(random.quotient(a, b), b)); break;
      case 3: claim = random.sum(random.difference(a, b), random.constant(random.integer(-3, 30))); break;
      default: claim = a; break;
    }
    const Polynomial& p = claim.polynomial;
    if (p.overflowed()) continue;
    const bool trivial = random.symbols.range(p).low >= 0 || random.symbols.range(p).high < 0;
    const Proof proof = prove_nonnegative(random.symbols, p);
    const Proof equality = prove_equal(random.symbols, p, 0);
    always += proof == Proof::always && !trivial ? 1 : 0;
    never += proof == Proof::never && !trivial ? 1 : 0;
    equal += equality == Proof::always && !p.is(0) ? 1 : 0;
    for (int i = 0; i < 40; ++i) {
      const testing::Inputs inputs = i % 2 == 0 ? random.small_sample() : random.sample();
      const testing::Value value = claim.function(inputs);
      if (!value) continue;
      ASSERT_FALSE(proof == Proof::always && *value < 0) << "seed " << seed << ": " << random.symbols.text(p);
      ASSERT_FALSE(proof == Proof::never && *value >= 0) << "seed " << seed << ": " << random.symbols.text(p);
      ASSERT_FALSE(equality == Proof::always && *value != 0) << "seed " << seed << ": " << random.symbols.text(p);
      ASSERT_FALSE(equality == Proof::never && *value == 0) << "seed " << seed << ": " << random.symbols.text(p);
    }
  }
  EXPECT_GT(always, 100);
  EXPECT_GT(never, 2);
  RecordProperty("proved_beyond_bounds", always + never);
  RecordProperty("proved_equal", equal);
}

TEST(ProverPropertyTest, NothingFalseIsProvedUnderRelations) {
  int proved = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    testing::RandomExtents random(seed);
    std::vector<testing::Extent> given;
    std::vector<Polynomial> relations;
    for (auto count = random.integer(1, 3); count > 0; --count) {
      const testing::Extent relation =
          random.difference(random.any(static_cast<int>(random.integer(0, 2))), random.any(1));
      if (relation.polynomial.overflowed()) continue;
      given.push_back(relation);
      relations.push_back(relation.polynomial);
    }
    testing::Extent claim = random.any(static_cast<int>(random.integer(0, 2)));
    if (!given.empty() && random.integer(0, 1) != 0) {
      claim = random.sum(random.product(given.front(), random.leaf()), random.difference(claim, random.leaf()));
    } else {
      claim = random.difference(claim, random.any(1));
    }
    const Polynomial& p = claim.polynomial;
    if (p.overflowed()) continue;
    const Proof proof = prove_nonnegative(random.symbols, p, relations);
    const Proof equality = prove_equal(random.symbols, p, 0, relations);
    if (proof != Proof::unknown && prove_nonnegative(random.symbols, p) == Proof::unknown) ++proved;
    for (int i = 0; i < 60; ++i) {
      const testing::Inputs inputs = i % 4 != 0 ? random.small_sample() : random.sample();
      const bool meets = std::ranges::all_of(given, [&](const testing::Extent& relation) {
        const testing::Value value = relation.function(inputs);
        return value && *value >= 0;
      });
      const testing::Value value = claim.function(inputs);
      if (!meets || !value) continue;
      ASSERT_FALSE(proof == Proof::always && *value < 0) << "seed " << seed << ": " << random.symbols.text(p);
      ASSERT_FALSE(proof == Proof::never && *value >= 0) << "seed " << seed << ": " << random.symbols.text(p);
      ASSERT_FALSE(equality == Proof::always && *value != 0) << "seed " << seed << ": " << random.symbols.text(p);
      ASSERT_FALSE(equality == Proof::never && *value == 0) << "seed " << seed << ": " << random.symbols.text(p);
    }
  }
  EXPECT_GT(proved, 100);
}

}  // namespace
}  // namespace loam
