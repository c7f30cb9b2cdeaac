// Extents: polynomials over named symbols with 64-bit integer coefficients, in one canonical form.
//
// Terms are sorted and no coefficient is zero, so equal polynomials compare equal. A coefficient or product that leaves
// 64 bits poisons the polynomial (`overflowed`), and every polynomial computed from it; stage 0 turns that into a
// diagnostic where the value is used, so the arithmetic itself needs no error path. So does a degree past 63, whose
// value fits 64 bits only where its symbols are 0 and 1, and a product of very many terms: a hostile model's squares of
// squares end there rather than in memory.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace loam {

using SymbolId = std::uint32_t;

// A product of symbols, sorted, repeated for powers: N*N*M is {N, N, M}. Empty is the constant term's monomial.
using Monomial = std::vector<SymbolId>;

class Polynomial {
 public:
  struct Term {
    Monomial monomial;           // not empty
    std::int64_t coefficient;    // not zero
    friend auto operator<=>(const Term&, const Term&) = default;
    friend bool operator==(const Term&, const Term&) = default;
  };

  Polynomial(std::int64_t constant = 0) : constant_(constant) {}
  static Polynomial symbol(SymbolId id);
  static Polynomial term(std::int64_t coefficient, Monomial monomial);  // the monomial may be empty, and in any order
  static Polynomial overflow();

  bool overflowed() const { return overflowed_; }
  bool is_constant() const { return terms_.empty() && !overflowed_; }
  std::optional<std::int64_t> constant() const { return is_constant() ? std::optional(constant_) : std::nullopt; }
  std::int64_t constant_term() const { return constant_; }
  const std::vector<Term>& terms() const { return terms_; }
  bool is(std::int64_t value) const { return is_constant() && constant_ == value; }
  // The symbol where the polynomial is one symbol alone.
  std::optional<SymbolId> as_symbol() const;
  // Every symbol that occurs, each once, ascending.
  std::vector<SymbolId> symbols() const;
  // The greatest integer that divides the coefficients of every term, the constant left out; 0 where there is no term.
  std::int64_t content() const;

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a);
  friend bool operator==(const Polynomial&, const Polynomial&) = default;
  friend std::strong_ordering operator<=>(const Polynomial&, const Polynomial&) = default;

  // The quotient where the divisor divides every value exactly as polynomials (12*N*M / 4*N = 3*M); nullopt otherwise.
  std::optional<Polynomial> divided_by(const Polynomial& divisor) const;
  // coefficient*id + rest, neither of which mentions `id`; nullopt where `id` occurs in a power.
  struct Linear;
  std::optional<Linear> linear_in(SymbolId id) const;
  // Every occurrence of `id` replaced.
  Polynomial substitute(SymbolId id, const Polynomial& value) const;
  // The value where each symbol has the value given; nullopt where it or a term of it is past 64 bits.
  std::optional<std::int64_t> evaluate(const std::function<std::int64_t(SymbolId)>& value) const;
  // "2*N*M + 3": terms by degree, the constant last; `name` spells a symbol.
  std::string text(const std::function<std::string(SymbolId)>& name) const;
  std::size_t hash() const;

 private:
  // The polynomial of terms in any order, repeated or of no symbol.
  static Polynomial collect(std::vector<Term> terms);
  // a + sign*b, where the sign is 1 or -1.
  static Polynomial merged(const Polynomial& a, const Polynomial& b, int sign);

  std::int64_t constant_ = 0;
  std::vector<Term> terms_;  // by degree, the highest first; within one degree by symbols
  bool overflowed_ = false;
};

struct Polynomial::Linear {
  Polynomial coefficient;
  Polynomial rest;
};

}  // namespace loam
