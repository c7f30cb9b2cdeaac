#include "compiler/shape/polynomial.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace loam {
namespace {

const Polynomial n = Polynomial::symbol(0);
const Polynomial m = Polynomial::symbol(1);
const Polynomial k = Polynomial::symbol(2);

constexpr std::int64_t most = INT64_MAX;
constexpr std::int64_t least = INT64_MIN;

std::string text(const Polynomial& p) {
  return p.text([](SymbolId id) { return std::string(1, "NMK"[id]); });
}

TEST(PolynomialTest, EqualValuesHaveOneForm) {
  EXPECT_EQ((n + m) * (n - m), n * n - m * m);
  EXPECT_EQ(2 * n + 3 - n - n, Polynomial(3));
  EXPECT_EQ(n * m * k, k * n * m);
  EXPECT_EQ((n * m - m * n).constant(), 0);
  EXPECT_EQ((n + m).hash(), (m + n).hash());
  EXPECT_NE((n + m).hash(), (n + k).hash());
  EXPECT_NE(n, n + 1);
}

TEST(PolynomialTest, KnowsConstantsAndSymbols) {
  EXPECT_TRUE(Polynomial(7).is(7));
  EXPECT_FALSE(n.is(0));
  EXPECT_FALSE(n.constant());
  EXPECT_EQ((n + 4).constant_term(), 4);
  EXPECT_EQ(n.as_symbol(), 0U);
  EXPECT_FALSE((n + 1).as_symbol());
  EXPECT_FALSE((2 * n).as_symbol());
  EXPECT_FALSE((n * n).as_symbol());
  EXPECT_FALSE(Polynomial(1).as_symbol());
  EXPECT_EQ((n * k * k + n).symbols(), (std::vector<SymbolId>{0, 2}));
  EXPECT_EQ((6 * n - 4 * m + 3).content(), 2);
  EXPECT_EQ(Polynomial(6).content(), 0);
  EXPECT_EQ(Polynomial::term(3, {2, 0, 2}), 3 * n * k * k);
}

TEST(PolynomialTest, ReadsByDegree) {
  EXPECT_EQ(text(3 + 2 * n * m), "2*N*M + 3");
  EXPECT_EQ(text(Polynomial()), "0");
  EXPECT_EQ(text(1 - n), "-N + 1");
  EXPECT_EQ(text(m + n - n * n - 2), "-N*N + N + M - 2");
  EXPECT_EQ(text(Polynomial(least) + least / -2 * n), "4611686018427387904*N - 9223372036854775808");
  EXPECT_EQ(text(Polynomial::overflow()), "a number past 64 bits");
}

TEST(PolynomialTest, OverflowSpreads) {
  EXPECT_TRUE((Polynomial(most) + 1).overflowed());
  EXPECT_TRUE((Polynomial(least) - 1).overflowed());
  EXPECT_TRUE((-Polynomial(least)).overflowed());
  EXPECT_TRUE((Polynomial(most) * n + n).overflowed());
  EXPECT_TRUE((Polynomial(most) * n * 2).overflowed());
  const Polynomial past = Polynomial::overflow();
  for (const Polynomial& p : {past + 1, 1 - past, past * 0, past - past, past * n, (n * m).substitute(0, past)}) {
    EXPECT_TRUE(p.overflowed());
    EXPECT_FALSE(p.is_constant());
    EXPECT_EQ(p, past);
  }
  EXPECT_FALSE(past.evaluate([](SymbolId) { return 0; }));
  EXPECT_FALSE(past.divided_by(2));
  EXPECT_FALSE(Polynomial(2).divided_by(past));
}

TEST(PolynomialTest, TheEdgesOf64BitsFit) {
  EXPECT_TRUE((Polynomial(most) + 1 - 1).overflowed());
  EXPECT_TRUE((Polynomial(-1) - Polynomial(least)).is(most));
  EXPECT_TRUE((n + least - n).is(least));
  EXPECT_TRUE((Polynomial(least) * 1).is(least));
  EXPECT_EQ(Polynomial(least).divided_by(-1), std::nullopt);
  EXPECT_EQ(Polynomial(least).divided_by(2), Polynomial(least / 2));
}

TEST(PolynomialTest, GrowthEndsInOverflow) {
  Polynomial square = n;
  for (int i = 0; i < 40; ++i) square = square * square;
  EXPECT_TRUE(square.overflowed());
  Polynomial sum = 0;
  for (SymbolId id = 0; id < 60; ++id) sum = sum + Polynomial::symbol(id);
  for (int i = 0; i < 10; ++i) sum = sum * sum;
  EXPECT_TRUE(sum.overflowed());
}

TEST(PolynomialTest, DividesWhereTheQuotientIsAPolynomial) {
  EXPECT_EQ((12 * n * m).divided_by(4 * n), 3 * m);
  EXPECT_EQ((n * n - m * m).divided_by(n + m), n - m);
  EXPECT_EQ((n * m + n).divided_by(n), m + 1);
  EXPECT_EQ(Polynomial().divided_by(n), Polynomial());
  EXPECT_EQ((4 * n + 8).divided_by(4), n + 2);
  EXPECT_FALSE((4 * n + 8).divided_by(8));
  EXPECT_FALSE((n * m + 1).divided_by(n));
  EXPECT_FALSE(n.divided_by(n * n));
  EXPECT_FALSE(n.divided_by(0));
  EXPECT_FALSE((3 * n).divided_by(2 * n));
}

TEST(PolynomialTest, SubstitutesPowers) {
  EXPECT_EQ((n * n * m + n + 1).substitute(0, m + 2), (m + 2) * (m + 2) * m + m + 3);
  EXPECT_EQ((n * m).substitute(2, 7), n * m);
  EXPECT_EQ((n - m).substitute(0, m), Polynomial());
}

TEST(PolynomialTest, IsLinearOrNot) {
  const auto linear = (3 * n * m - 2 * n + m * m + 5).linear_in(0);
  ASSERT_TRUE(linear);
  EXPECT_EQ(linear->coefficient, 3 * m - 2);
  EXPECT_EQ(linear->rest, m * m + 5);
  EXPECT_FALSE((n * n).linear_in(0));
  EXPECT_TRUE((m * m).linear_in(0)->coefficient.is(0));
}

TEST(PolynomialTest, EvaluatesPast64BitsAsNothing) {
  const auto at = [](std::int64_t value) { return [value](SymbolId) { return value; }; };
  EXPECT_EQ((n * m + 3 * k - 4).evaluate(at(5)), 36);
  EXPECT_FALSE((n * m * k).evaluate(at(most)));
  EXPECT_EQ((n * m * k).evaluate([](SymbolId id) { return id == 2 ? 0 : most; }), 0);
  EXPECT_FALSE((n + m).evaluate(at(most)));
  EXPECT_EQ((n - m + k).evaluate(at(most)), most);
}

class RandomPolynomials {
 public:
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  Polynomial any() {
    Polynomial result = integer(-5, 5);
    for (auto terms = integer(0, 4); terms > 0; --terms) {
      Monomial monomial;
      for (auto degree = integer(0, 3); degree > 0; --degree) monomial.push_back(static_cast<SymbolId>(integer(0, 2)));
      result = result + Polynomial::term(integer(-6, 6), monomial);
    }
    return result;
  }

 private:
  std::mt19937 random_{1};
};

TEST(PolynomialTest, ArithmeticAgreesWithEvaluation) {
  RandomPolynomials random;
  for (int round = 0; round < 3000; ++round) {
    const Polynomial a = random.any();
    const Polynomial b = random.any();
    const Polynomial c = random.any();
    const std::vector<std::int64_t> values{random.integer(-9, 9), random.integer(-9, 9), random.integer(-9, 9)};
    const auto at = [&](const Polynomial& p) { return *p.evaluate([&](SymbolId id) { return values[id]; }); };
    EXPECT_EQ(at(a + b), at(a) + at(b));
    EXPECT_EQ(at(a - b), at(a) - at(b));
    EXPECT_EQ(at(a * b), at(a) * at(b));
    EXPECT_EQ(at(a.substitute(1, b)), *a.evaluate([&](SymbolId id) { return id == 1 ? at(b) : values[id]; }));
    EXPECT_EQ((a + b) * c, a * c + b * c);
    EXPECT_EQ(a * b, b * a);
    EXPECT_EQ((a * b) * c, a * (b * c));
    EXPECT_EQ((a - b) + b, a);
    EXPECT_EQ(a == b, (a - b).is(0));
    EXPECT_EQ(a <=> b == std::strong_ordering::equal, a == b);
    if (!b.is(0)) {
      EXPECT_EQ((a * b).divided_by(b), a);
      if (const auto quotient = a.divided_by(b)) {
        EXPECT_EQ(*quotient * b, a);
      }
    }
    if (const auto linear = a.linear_in(0)) {
      EXPECT_EQ(linear->coefficient * n + linear->rest, a);
    }
  }
}

}  // namespace
}  // namespace loam
