#include "compiler/shape/binding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace loam {
namespace {

class BindingTest : public ::testing::Test {
 protected:
  Symbols s;
  Polynomial n = s.input("N");
  Polynomial m = s.input("M");
  Polynomial k = s.input("K");

  Bindings bind(std::vector<Polynomial> axes) const { return bind_symbols(s, axes); }
  std::vector<std::string> bound(const Bindings& bindings) const {
    std::vector<std::string> result;
    for (const Binding& b : bindings.bound) result.push_back(s.text(b.symbol) + " from " + std::to_string(b.axis));
    return result;
  }
  static std::vector<std::size_t> checked(const Bindings& bindings) {
    std::vector<std::size_t> result;
    for (const AxisCheck& check : bindings.checks) result.push_back(check.axis);
    return result;
  }
};

using Texts = std::vector<std::string>;
using Axes = std::vector<std::size_t>;

TEST_F(BindingTest, ASymbolComesFromTheFirstAxisThatIsItAlone) {
  const Bindings b = bind({n, 64, m, n});
  EXPECT_EQ(bound(b), (Texts{"N from 0", "M from 2"}));
  EXPECT_EQ(checked(b), (Axes{1, 3}));
  EXPECT_TRUE(b.unbound.empty());
  EXPECT_TRUE(b.nonnegative.empty());
}

TEST_F(BindingTest, AloneComesBeforeLinear) {
  const Bindings b = bind({n + m, m, n});
  EXPECT_EQ(bound(b), (Texts{"M from 1", "N from 2"}));
  EXPECT_EQ(checked(b), Axes{0});
}

TEST_F(BindingTest, LinearInOneUnknown) {
  const Bindings b = bind({n, n + m});
  EXPECT_EQ(bound(b), (Texts{"N from 0", "M from 1"}));
  EXPECT_EQ(b.bound[1].coefficient, Polynomial(1));
  EXPECT_EQ(b.bound[1].rest, n);
  EXPECT_EQ(b.nonnegative, std::vector<SymbolId>{*m.as_symbol()});
  EXPECT_TRUE(b.checks.empty());
}

TEST_F(BindingTest, ADivisionIsChecked) {
  const Bindings b = bind({4 * n});
  EXPECT_EQ(bound(b), Texts{"N from 0"});
  EXPECT_EQ(b.bound[0].coefficient, Polynomial(4));
  EXPECT_EQ(checked(b), Axes{0});
  EXPECT_TRUE(b.nonnegative.empty());
}

TEST_F(BindingTest, ChainsAreFollowedBackward) {
  const Bindings b = bind({n + m + k, n + m, n});
  EXPECT_EQ(bound(b), (Texts{"N from 2", "M from 1", "K from 0"}));
  EXPECT_TRUE(b.unbound.empty());
}

TEST_F(BindingTest, ANumberAsCoefficientComesBeforeASymbol) {
  const Bindings b = bind({n, n * m, 2 * m});
  EXPECT_EQ(bound(b), (Texts{"N from 0", "M from 2"}));
  EXPECT_EQ(checked(b), (Axes{1, 2}));
  const Bindings over_symbol = bind({n, n * m});
  EXPECT_EQ(bound(over_symbol), (Texts{"N from 0", "M from 1"}));
  EXPECT_EQ(over_symbol.bound[1].coefficient, n);
  EXPECT_EQ(checked(over_symbol), Axes{1});
}

TEST_F(BindingTest, WhatNoAxisYieldsIsNamed) {
  const Bindings b = bind({n * n, m + k, s.floor_div(n, 2), s.min(m, 4) + m, 7});
  EXPECT_TRUE(b.bound.empty());
  EXPECT_EQ(b.unbound.size(), 3U);
  EXPECT_EQ(checked(b), Axes{4});
}

TEST_F(BindingTest, DerivedAxesAreChecked) {
  const Bindings b = bind({s.floor_div(n, 2), n, m + s.floor_div(n, 2)});
  EXPECT_EQ(bound(b), (Texts{"N from 1", "M from 2"}));
  EXPECT_EQ(b.bound[1].rest, s.floor_div(n, 2));
  EXPECT_EQ(checked(b), Axes{0});
}

// Lengths computed from values give these values back, and a length that disagrees fails a check.
TEST_F(BindingTest, RecipesGiveBackTheValues) {
  std::mt19937 random(5);
  const auto integer = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  int recovered = 0;
  int disagreements = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<Polynomial> axes;
    for (auto count = integer(1, 6); count > 0; --count) {
      Polynomial axis = integer(0, 3);
      for (const Polynomial& symbol : {n, m, k}) axis = axis + integer(0, 2) * integer(0, 1) * symbol;
      if (integer(0, 4) == 0) axis = axis + n * m;
      if (integer(0, 4) == 0) axis = axis + s.floor_div(k, 3);
      if (integer(0, 2) == 0) axis = std::vector{n, m, k}[static_cast<std::size_t>(integer(0, 2))];
      axes.push_back(axis);
    }
    const std::map<SymbolId, std::int64_t> values{
        {*n.as_symbol(), integer(1, 9)}, {*m.as_symbol(), integer(1, 9)}, {*k.as_symbol(), integer(1, 9)}};
    std::vector<std::int64_t> lengths;
    const auto given = [&](SymbolId id) { return values.at(id); };
    for (const Polynomial& axis : axes) lengths.push_back(*s.evaluate(axis, given));

    const Bindings bindings = bind_symbols(s, axes);
    std::map<SymbolId, std::int64_t> found;
    bool divides = true;
    const auto run = [&] {
      found.clear();
      divides = true;
      const auto at = [&](const Polynomial& p) {
        return s.evaluate(p, [&](SymbolId id) { return found.contains(id) ? found[id] : INT64_MIN; });
      };
      for (const Binding& b : bindings.bound) {
        const std::int64_t coefficient = *at(b.coefficient);
        const std::int64_t rest = lengths[b.axis] - *at(b.rest);
        found[b.symbol] = coefficient == 0 ? 0 : rest / coefficient;
      }
      return std::ranges::all_of(bindings.nonnegative, [&](SymbolId id) { return found[id] >= 0; }) &&
             std::ranges::all_of(bindings.checks, [&](const AxisCheck& check) {
               return at(check.length) == lengths[check.axis];
             });
    };
    ASSERT_TRUE(run());
    for (const auto& [id, value] : found) {
      ASSERT_EQ(value, values.at(id));
      ++recovered;
    }
    for (const SymbolId id : bindings.unbound) ASSERT_FALSE(found.contains(id));
    if (!bindings.unbound.empty()) continue;

    // Whatever lengths pass are lengths of some values.
    lengths[static_cast<std::size_t>(integer(0, std::ssize(lengths) - 1))] += integer(-2, 2);
    if (!run()) {
      ++disagreements;
      continue;
    }
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      ASSERT_EQ(s.evaluate(axes[axis], [&](SymbolId id) { return found.at(id); }), lengths[axis]);
    }
  }
  EXPECT_GT(recovered, 2000);
  EXPECT_GT(disagreements, 200);
}

}  // namespace
}  // namespace loam
