#include "compiler/shape/prover.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <ranges>
#include <utility>

#include "compiler/shape/integer.hpp"

namespace loam {
namespace {

using Relations = std::vector<Polynomial>;  // each >= 0

constexpr int equality_budget = 64;
constexpr int most_eliminations = 4;  // relations used one after another
constexpr std::size_t most_relations = 12;  // with those of the cases it is in, past which a case adds none

std::vector<Polynomial::Term> with_constant(const Polynomial& p) {
  std::vector<Polynomial::Term> terms = p.terms();
  if (p.constant_term() != 0) terms.push_back({{}, p.constant_term()});
  return terms;
}

// One search for a proof of p >= 0. Every step goes from a claim to claims that imply it, so running out of steps, of
// budget or of 64 bits only ever loses a proof.
class Search {
 public:
  Search(const Symbols& symbols, int budget) : symbols_(symbols), budget_(budget) {}

  bool holds(const Polynomial& claim, const Relations& relations, int eliminations = most_eliminations);

 private:
  // What an operation can be: the symbol's value in one case, and what is known there besides. No value: no such case.
  struct Case {
    Polynomial value;
    Relations known;
  };
  std::vector<Case> cases(const Symbol& symbol) const;
  bool holds_in_each(const std::vector<Case>& cases, SymbolId id, const Polynomial& p, const Relations& relations,
                     int eliminations);
  bool by_relations(const Polynomial& p, const Relations& relations, int eliminations);
  bool by_bounds_of(SymbolId id, const Polynomial& p, const Relations& relations, int eliminations);

  const Symbols& symbols_;
  int budget_;
};

bool Search::holds(const Polynomial& claim, const Relations& relations, int eliminations) {
  if (claim.overflowed() || budget_-- <= 0) return false;
  const Polynomial p = tightened(claim);
  const Range range = symbols_.range(p);
  if (range.low >= 0) return true;
  if (range.high < 0) return false;

  // The newest derived symbols first: what replaces one is written in older symbols, so this ends. Splitting into
  // cases loses nothing, and so what it decides is decided.
  const std::vector<SymbolId> ids = p.symbols();
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    if (symbols_[*id].origin != Symbol::Origin::derived) continue;
    const std::vector<Case> split = cases(symbols_[*id]);
    if (!split.empty()) return holds_in_each(split, *id, p, relations, eliminations);
  }
  if (eliminations > 0 && by_relations(p, relations, eliminations)) return true;
  return std::any_of(ids.rbegin(), ids.rend(), [&](SymbolId id) {
    return symbols_[id].origin == Symbol::Origin::derived && by_bounds_of(id, p, relations, eliminations);
  });
}

std::vector<Search::Case> Search::cases(const Symbol& symbol) const {
  const auto& [a, b, c] = std::tie(symbol.a, symbol.b, symbol.c);
  switch (symbol.derivation) {
    case Derivation::min: return {{a, {b - a}}, {b, {a - b}}};
    case Derivation::max: return {{a, {a - b}}, {b, {b - a}}};
    case Derivation::from_end: return {{a, {a}}, {a + b, {-1 - a}}};
    case Derivation::select: {
      // What a comparison says it says of its operand: the comparison itself may occur nowhere else.
      const auto id = a.as_symbol();
      if (id && symbols_[*id].origin == Symbol::Origin::derived) {
        const Polynomial& compared = symbols_[*id].a;
        if (symbols_[*id].derivation == Derivation::compare_ge) return {{b, {compared}}, {c, {-1 - compared}}};
        if (symbols_[*id].derivation == Derivation::compare_eq) return {{b, {compared, -compared}}, {c, {}}};
      }
      return {{b, {}}, {c, {a, -a}}};
    }
    case Derivation::compare_ge: return {{1, {a}}, {0, {-1 - a}}};
    case Derivation::compare_eq: return {{1, {a, -a}}, {0, {}}};
    default: return {};
  }
}

bool Search::holds_in_each(const std::vector<Case>& cases, SymbolId id, const Polynomial& p, const Relations& relations,
                           int eliminations) {
  return std::ranges::all_of(cases, [&](const Case& one) {
    Relations known;
    for (const Polynomial& relation : relations) known.push_back(relation.substitute(id, one.value));
    const std::size_t room = most_relations - std::min(most_relations, known.size());
    std::ranges::copy(one.known | std::views::take(room), std::back_inserter(known));
    // A case that never arises needs no proof.
    const auto never = [&](const Polynomial& relation) { return symbols_.range(relation).high < 0; };
    const bool arises = std::ranges::none_of(one.known, never);
    std::erase_if(known, [](const Polynomial& relation) { return relation.overflowed() || relation.is_constant(); });
    return !arises || holds(p.substitute(id, one.value), known, eliminations);
  });
}

// With r >= 0 and m >= 0, p >= 0 follows from scale*p - m*r >= 0: choose m so that a term that could pull p below zero
// is taken away. The term that pulls furthest, of those some relation meets, has to go sooner or later, and the order
// of the steps hardly matters, so it alone is tried.
bool Search::by_relations(const Polynomial& p, const Relations& relations, int eliminations) {
  if (relations.empty()) return false;
  std::vector<std::pair<std::int64_t, Polynomial::Term>> pulls;
  for (Polynomial::Term& term : with_constant(p)) {
    const std::int64_t low = symbols_.range(Polynomial::term(term.coefficient, term.monomial)).low;
    if (low < 0) pulls.emplace_back(low, std::move(term));
  }
  std::ranges::sort(pulls);
  for (const auto& [low, pull] : pulls) {
    bool met = false;
    for (const Polynomial& relation : relations) {
      for (const Polynomial::Term& term : with_constant(relation)) {
        if ((term.coefficient < 0) != (pull.coefficient < 0)) continue;
        if (!std::ranges::includes(pull.monomial, term.monomial)) continue;
        Monomial others;
        std::ranges::set_difference(pull.monomial, term.monomial, std::back_inserter(others));
        const auto common = common_divisor(magnitude(pull.coefficient), term.coefficient);
        const auto multiple = narrow(Wide{magnitude(pull.coefficient) / common});
        const auto scale = narrow(Wide{magnitude(term.coefficient) / common});
        if (!multiple || !scale) continue;
        const Polynomial factor = Polynomial::term(*multiple, std::move(others));
        if (symbols_.range(factor).low < 0) continue;
        if (holds(Polynomial(*scale) * p - factor * relation, relations, eliminations - 1)) return true;
        met = true;
      }
    }
    if (met) return false;
  }
  return false;
}

// p = q*d + rest where the sign of q is known, d bounded by its operands.
bool Search::by_bounds_of(SymbolId id, const Polynomial& p, const Relations& relations, int eliminations) {
  const auto linear = p.linear_in(id);
  if (!linear) return false;
  const auto& [q, rest] = *linear;
  const Range sign = symbols_.range(q);
  const bool rises = sign.low >= 0;
  if (!rises && sign.high > 0) return false;
  const Symbol& symbol = symbols_[id];
  const Polynomial& a = symbol.a;
  const Polynomial& b = symbol.b;
  const auto follows_from = [&](const Polynomial& claim) { return holds(claim, relations, eliminations); };

  // The least and the greatest that b*d can be. As b > 0 and p is an integer, p >= 0 where b*p > -b.
  const auto quotient = [&](const Polynomial& least, const Polynomial& greatest) {
    const Polynomial claim = q * (rises ? least : greatest) + b * rest + (b - 1);
    if (b.is_constant() || b.overflowed()) return follows_from(claim);
    Relations known = relations;
    known.push_back(b - 1);
    return holds(claim, known, eliminations);
  };
  switch (symbol.derivation) {
    case Derivation::floor_div: return quotient(a - (b - 1), a);
    case Derivation::ceil_div: return quotient(a, a + (b - 1));
    case Derivation::truncated_div: return symbols_.range(b).low >= 0 && quotient(a - (b - 1), a + (b - 1));
    case Derivation::floor_mod:
      if (rises) return follows_from(rest);
      return follows_from(q * (b - 1) + rest) || (follows_from(a) && follows_from(q * a + rest));
    case Derivation::wrap32: {
      // A wrap that always fits was no derived symbol: only a relation can show it.
      if (relations.empty()) return false;
      const Polynomial low = a - Polynomial(std::numeric_limits<std::int32_t>::min());
      const Polynomial high = Polynomial(std::numeric_limits<std::int32_t>::max()) - a;
      return follows_from(q * a + rest) && follows_from(low) && follows_from(high);
    }
    default: return false;
  }
}

Relations simplified(const Symbols& symbols, const Relations& relations) {
  Relations result;
  for (const Polynomial& relation : relations) {
    Polynomial simple = symbols.simplify(relation);
    if (!simple.overflowed() && !simple.is_constant()) result.push_back(std::move(simple));
  }
  return result;
}

}  // namespace

Polynomial tightened(const Polynomial& p) {
  const std::int64_t divisor = p.content();
  if (p.overflowed() || divisor <= 1) return p;
  const std::int64_t constant = *narrow(floor_quotient(p.constant_term(), divisor));
  const Polynomial terms = p - p.constant_term();
  return terms.divided_by(divisor).value_or(terms) + constant;
}

bool proved_nonnegative(const Symbols& symbols, const Polynomial& claim, const Relations& relations, int budget) {
  const Polynomial p = symbols.simplify(claim);
  if (p.overflowed()) return false;
  const Range range = symbols.range(p);
  if (range.low >= 0 || range.high < 0) return range.low >= 0;
  const Relations known = simplified(symbols, relations);
  // Most that is asked again is what one relation says by itself.
  if (std::ranges::any_of(known, [&](const Polynomial& relation) { return symbols.range(p - relation).low >= 0; })) return true;
  return Search(symbols, budget).holds(p, known);
}

Proof prove_nonnegative(const Symbols& symbols, const Polynomial& claim, const Relations& relations, int budget) {
  const Polynomial p = symbols.simplify(claim);
  if (proved_nonnegative(symbols, p, relations, budget)) return Proof::always;
  if (proved_nonnegative(symbols, -1 - p, relations, budget)) return Proof::never;
  return Proof::unknown;
}

Proof prove_equal(const Symbols& symbols, const Polynomial& a, const Polynomial& b, const Relations& relations) {
  const Polynomial difference = symbols.simplify(a) - symbols.simplify(b);
  if (difference.overflowed()) return Proof::unknown;
  if (difference.is_constant()) return difference.is(0) ? Proof::always : Proof::never;
  if (difference.constant_term() % difference.content() != 0) return Proof::never;
  const auto proved = [&](const Polynomial& p) {
    return proved_nonnegative(symbols, p, relations, equality_budget);
  };
  if (proved(difference - 1) || proved(-1 - difference)) return Proof::never;
  return proved(difference) && proved(-difference) ? Proof::always : Proof::unknown;
}

}  // namespace loam
