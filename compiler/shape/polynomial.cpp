#include "compiler/shape/polynomial.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/shape/integer.hpp"

namespace loam {
namespace {

constexpr std::size_t highest_degree = 63;
constexpr std::size_t longest_product = std::size_t{1} << 16;  // in pairs of terms

// Graded lexicographic, the greatest first: printing order, and an order division can follow.
bool precedes(const Monomial& a, const Monomial& b) { return a.size() != b.size() ? a.size() > b.size() : a < b; }

Monomial product(const Monomial& a, const Monomial& b) {
  Monomial result(a.size() + b.size());
  std::ranges::merge(a, b, result.begin());
  return result;
}

// The monomial that times `divisor` is `monomial`.
std::optional<Monomial> quotient(const Monomial& monomial, const Monomial& divisor) {
  if (!std::ranges::includes(monomial, divisor)) return std::nullopt;
  Monomial result;
  std::ranges::set_difference(monomial, divisor, std::back_inserter(result));
  return result;
}

std::optional<std::int64_t> quotient(std::int64_t value, std::int64_t divisor) {
  if (Wide{value} % divisor != 0) return std::nullopt;
  return narrow(Wide{value} / divisor);
}

// The first term, or the constant where there is none.
Polynomial::Term leading(const Polynomial& p) {
  return p.terms().empty() ? Polynomial::Term{{}, p.constant_term()} : p.terms().front();
}

}  // namespace

Polynomial Polynomial::symbol(SymbolId id) {
  Polynomial result;
  result.terms_.push_back({{id}, 1});
  return result;
}

Polynomial Polynomial::term(std::int64_t coefficient, Monomial monomial) {
  std::ranges::sort(monomial);
  std::vector<Term> terms;
  terms.push_back({std::move(monomial), coefficient});
  return collect(std::move(terms));
}

Polynomial Polynomial::overflow() {
  Polynomial result;
  result.overflowed_ = true;
  return result;
}

Polynomial Polynomial::collect(std::vector<Term> terms) {
  std::ranges::sort(terms, precedes, &Term::monomial);
  Polynomial result;
  for (auto first = terms.begin(); first != terms.end();) {
    Wide sum = 0;
    auto last = first;
    while (last != terms.end() && last->monomial == first->monomial) sum += (last++)->coefficient;
    const auto coefficient = narrow(sum);
    if (!coefficient || first->monomial.size() > highest_degree) return overflow();
    if (first->monomial.empty()) {
      result.constant_ = *coefficient;
    } else if (*coefficient != 0) {
      result.terms_.push_back({std::move(first->monomial), *coefficient});
    }
    first = last;
  }
  return result;
}

std::optional<SymbolId> Polynomial::as_symbol() const {
  if (overflowed_ || constant_ != 0 || terms_.size() != 1) return std::nullopt;
  const Term& only = terms_.front();
  return only.coefficient == 1 && only.monomial.size() == 1 ? std::optional(only.monomial.front()) : std::nullopt;
}

std::vector<SymbolId> Polynomial::symbols() const {
  std::vector<SymbolId> result;
  for (const Term& term : terms_) result.insert(result.end(), term.monomial.begin(), term.monomial.end());
  std::ranges::sort(result);
  const auto repeated = std::ranges::unique(result);
  result.erase(repeated.begin(), repeated.end());
  return result;
}

std::int64_t Polynomial::content() const {
  std::uint64_t divisor = 0;
  for (const Term& term : terms_) divisor = common_divisor(divisor, term.coefficient);
  return narrow(Wide{divisor}).value_or(1);  // 2^63, of -2^63 alone
}

Polynomial Polynomial::merged(const Polynomial& a, const Polynomial& b, int sign) {
  if (a.overflowed_ || b.overflowed_) return overflow();
  Polynomial result;
  result.terms_.reserve(a.terms_.size() + b.terms_.size());
  bool fits = true;
  const auto signed_sum = [&](std::int64_t x, std::int64_t y) {
    const auto sum = narrow(Wide{x} + Wide{y} * sign);
    fits = fits && sum.has_value();
    return sum.value_or(0);
  };
  auto left = a.terms_.begin();
  auto right = b.terms_.begin();
  while (right != b.terms_.end()) {
    if (left != a.terms_.end() && precedes(left->monomial, right->monomial)) {
      result.terms_.push_back(*left++);
    } else if (left == a.terms_.end() || left->monomial != right->monomial) {
      result.terms_.push_back({right->monomial, signed_sum(0, right->coefficient)});
      ++right;
    } else {
      const std::int64_t coefficient = signed_sum(left->coefficient, right->coefficient);
      if (coefficient != 0) result.terms_.push_back({left->monomial, coefficient});
      ++left;
      ++right;
    }
  }
  result.terms_.insert(result.terms_.end(), left, a.terms_.end());
  result.constant_ = signed_sum(a.constant_, b.constant_);
  return fits ? result : overflow();
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) { return Polynomial::merged(a, b, 1); }
Polynomial operator-(const Polynomial& a, const Polynomial& b) { return Polynomial::merged(a, b, -1); }
Polynomial operator-(const Polynomial& a) { return Polynomial() - a; }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  using Term = Polynomial::Term;
  if (a.overflowed_ || b.overflowed_) return Polynomial::overflow();
  if (a.is(0) || b.is(0)) return {};
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  if ((a.terms_.size() + 1) * (b.terms_.size() + 1) > longest_product) return Polynomial::overflow();
  std::vector<Term> terms;
  terms.reserve((a.terms_.size() + 1) * (b.terms_.size() + 1));
  const auto add = [&](const Monomial& left, std::int64_t x, const Monomial& right, std::int64_t y) {
    const auto coefficient = narrow(Wide{x} * y);
    if (coefficient && *coefficient != 0) terms.push_back({product(left, right), *coefficient});
    return coefficient.has_value();
  };
  const auto add_row = [&](const Monomial& left, std::int64_t x) {
    return std::ranges::all_of(b.terms_, [&](const Term& t) { return add(left, x, t.monomial, t.coefficient); }) &&
           add(left, x, {}, b.constant_);
  };
  const bool fits =
      std::ranges::all_of(a.terms_, [&](const Term& t) { return add_row(t.monomial, t.coefficient); }) &&
      add_row({}, a.constant_);
  return fits ? Polynomial::collect(std::move(terms)) : Polynomial::overflow();
}

std::optional<Polynomial> Polynomial::divided_by(const Polynomial& divisor) const {
  if (overflowed_ || divisor.overflowed_ || divisor.is(0)) return std::nullopt;
  if (divisor.is(1)) return *this;
  // Long division: each step takes the leading term away, and the first that cannot ends it.
  const Term head = leading(divisor);
  Polynomial result;
  Polynomial rest = *this;
  while (!rest.is(0)) {
    const Term term = leading(rest);
    auto monomial = quotient(term.monomial, head.monomial);
    const auto coefficient = quotient(term.coefficient, head.coefficient);
    if (!monomial || !coefficient) return std::nullopt;
    const Polynomial step = Polynomial::term(*coefficient, *std::move(monomial));
    result = result + step;
    rest = rest - step * divisor;
    if (result.overflowed_ || rest.overflowed_) return std::nullopt;
  }
  return result;
}

std::optional<Polynomial::Linear> Polynomial::linear_in(SymbolId id) const {
  if (overflowed_) return std::nullopt;
  std::vector<Term> with;
  Polynomial rest(constant_);
  for (const Term& term : terms_) {
    const auto count = std::ranges::count(term.monomial, id);
    if (count > 1) return std::nullopt;
    if (count == 0) {
      rest.terms_.push_back(term);
    } else {
      with.push_back({*quotient(term.monomial, {id}), term.coefficient});
    }
  }
  return Linear{collect(std::move(with)), std::move(rest)};
}

Polynomial Polynomial::substitute(SymbolId id, const Polynomial& value) const {
  if (overflowed_) return *this;
  Polynomial kept(constant_);
  Polynomial replaced;
  for (const Term& term : terms_) {
    if (!std::ranges::binary_search(term.monomial, id)) {
      kept.terms_.push_back(term);
      continue;
    }
    Monomial others;
    Polynomial power = 1;
    for (const SymbolId factor : term.monomial) {
      if (factor == id) {
        power = power * value;
      } else {
        others.push_back(factor);
      }
    }
    replaced = replaced + Polynomial::term(term.coefficient, std::move(others)) * power;
  }
  return kept + replaced;
}

std::optional<std::int64_t> Polynomial::evaluate(const std::function<std::int64_t(SymbolId)>& value) const {
  if (overflowed_) return std::nullopt;
  Wide sum = constant_;
  for (const Term& term : terms_) {
    std::optional<std::int64_t> product = term.coefficient;
    for (const SymbolId id : term.monomial) {
      const std::int64_t factor = value(id);
      if (factor == 0) product = 0;  // whatever the other factors come to
      if (product) product = narrow(Wide{*product} * factor);
    }
    if (!product) return std::nullopt;
    sum += *product;
  }
  return narrow(sum);
}

std::string Polynomial::text(const std::function<std::string(SymbolId)>& name) const {
  if (overflowed_) return "a number past 64 bits";
  if (terms_.empty()) return std::to_string(constant_);
  std::string result;
  for (const Term& term : terms_) {
    const bool negative = term.coefficient < 0;
    if (!result.empty()) {
      result += negative ? " - " : " + ";
    } else if (negative) {
      result += "-";
    }
    const std::uint64_t size = magnitude(term.coefficient);
    std::string factors = size == 1 ? "" : std::to_string(size);
    for (const SymbolId id : term.monomial) factors += (factors.empty() ? "" : "*") + name(id);
    result += factors;
  }
  if (constant_ > 0) result += " + " + std::to_string(constant_);
  if (constant_ < 0) result += " - " + std::to_string(magnitude(constant_));
  return result;
}

std::size_t Polynomial::hash() const {
  std::size_t result = overflowed_ ? 1 : 0;
  const auto mix = [&](std::uint64_t value) {
    result = (result ^ static_cast<std::size_t>(value)) * static_cast<std::size_t>(0x9e3779b97f4a7c15);
    result ^= result >> 29;
  };
  mix(static_cast<std::uint64_t>(constant_));
  for (const Term& term : terms_) {
    mix(static_cast<std::uint64_t>(term.coefficient));
    for (const SymbolId id : term.monomial) mix(id);
    mix(term.monomial.size());
  }
  return result;
}

}  // namespace loam
