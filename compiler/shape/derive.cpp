// The operations that leave the polynomials: what the build can decide of each, and the one form it writes the rest in.
#include <algorithm>
#include <utility>

#include "compiler/shape/prover.hpp"
#include "compiler/shape/symbol.hpp"

namespace loam {
namespace {

// Enough for a clamp of a clamp; what it misses stays a derived symbol and is proved where a proof is asked for.
constexpr int budget = 16;

// More operands than this are left as they are nested: each is compared with every other.
constexpr std::size_t most_operands = 8;

bool at_least(const Symbols& symbols, const Polynomial& a, const Polynomial& b) {
  // Bounds alone first. They also decide a clamp at +-2^63, whose difference overflows: no int64 lies beyond it.
  if (symbols.range(a).low >= symbols.range(b).high) return true;
  return proved_nonnegative(symbols, a - b, {}, budget);
}

bool positive_where_defined(const Symbols& symbols, const Polynomial& divisor) {
  return symbols.range(divisor).low >= 0;
}

// floor(p / divisor) where it is one number for every value.
std::optional<std::int64_t> single_quotient(const Symbols& symbols, const Polynomial& p, std::int64_t divisor) {
  const Range range = symbols.range(p);
  if (range.low == Range::no_low || range.high == Range::no_high) return std::nullopt;
  const Wide least = floor_quotient(range.low, divisor);
  return least == floor_quotient(range.high, divisor) ? narrow(least) : std::nullopt;
}

// p with each coefficient, and the constant, replaced.
template <typename Function>
Polynomial map_coefficients(const Polynomial& p, Function function, std::int64_t constant) {
  Polynomial result = constant;
  for (const Polynomial::Term& t : p.terms()) result = result + Polynomial::term(function(t.coefficient), t.monomial);
  return result;
}

// The greatest monomial of lengths, with its coefficient, that divides both.
Polynomial common_factor(const Symbols& symbols, const Polynomial& a, const Polynomial& b) {
  std::uint64_t coefficient = 0;
  std::optional<Monomial> shared;
  const auto take = [&](const Monomial& monomial, std::int64_t of) {
    coefficient = common_divisor(coefficient, of);
    if (!shared) {
      shared = monomial;
    } else {
      Monomial both;
      std::ranges::set_intersection(*shared, monomial, std::back_inserter(both));
      shared = std::move(both);
    }
  };
  for (const Polynomial* p : {&a, &b}) {
    for (const Polynomial::Term& term : p->terms()) take(term.monomial, term.coefficient);
    if (p->constant_term() != 0) take({}, p->constant_term());
  }
  std::erase_if(*shared, [&](SymbolId id) { return symbols[id].range.low < 0; });
  return Polynomial::term(narrow(Wide{coefficient}).value_or(1), *std::move(shared));
}

// The polynomial as the symbol of one operation plus a constant.
const Symbol* as_derived(const Symbols& symbols, const Polynomial& p, Derivation op) {
  const auto id = (p - p.constant_term()).as_symbol();
  if (!id || symbols[*id].origin != Symbol::Origin::derived || symbols[*id].derivation != op) return nullptr;
  return &symbols[*id];
}

void flatten(const Symbols& symbols, Derivation op, const Polynomial& p, std::vector<Polynomial>& operands) {
  const Symbol* nested = p.constant_term() == 0 ? as_derived(symbols, p, op) : nullptr;
  if (nested == nullptr || operands.size() > most_operands) {
    operands.push_back(p);
  } else {
    flatten(symbols, op, nested->a, operands);
    flatten(symbols, op, nested->b, operands);
  }
}

}  // namespace

Polynomial Symbols::min(const Polynomial& a, const Polynomial& b) { return extremum(Derivation::min, a, b); }
Polynomial Symbols::max(const Polynomial& a, const Polynomial& b) { return extremum(Derivation::max, a, b); }

Polynomial Symbols::extremum(Derivation op, const Polynomial& first, const Polynomial& second) {
  const Polynomial a = simplify(first);
  const Polynomial b = simplify(second);
  if (a.overflowed() || b.overflowed()) return Polynomial::overflow();
  std::vector<Polynomial> operands;
  flatten(*this, op, a, operands);
  flatten(*this, op, b, operands);
  if (operands.size() > most_operands) operands = {a, b};

  const auto wins = [&](const Polynomial& x, const Polynomial& y) {
    return op == Derivation::min ? at_least(*this, y, x) : at_least(*this, x, y);
  };
  std::vector<Polynomial> kept;
  for (Polynomial& operand : operands) {
    if (std::ranges::any_of(kept, [&](const Polynomial& other) { return wins(other, operand); })) continue;
    std::erase_if(kept, [&](const Polynomial& other) { return wins(operand, other); });
    kept.push_back(std::move(operand));
  }
  // Two are read in the order given, more in one order, since they are nested in it; the constant, of which one at most
  // is left, last.
  if (kept.size() > 2) std::ranges::sort(kept);
  const auto constant = std::ranges::find_if(kept, &Polynomial::is_constant);
  if (constant != kept.end()) std::rotate(constant, constant + 1, kept.end());
  Polynomial result = kept.front();
  for (std::size_t i = 1; i < kept.size(); ++i) result = derive(op, result, kept[i]);
  return result;
}

Polynomial Symbols::floor_div(const Polynomial& a, const Polynomial& b) {
  return quotient(Derivation::floor_div, simplify(a), simplify(b));
}

Polynomial Symbols::ceil_div(const Polynomial& a, const Polynomial& b) {
  return quotient(Derivation::ceil_div, simplify(a), simplify(b));
}

Polynomial Symbols::quotient(Derivation op, Polynomial a, Polynomial b) {
  if (a.overflowed() || b.overflowed() || b.is(0)) return Polynomial::overflow();
  if (a.is(0)) return a;
  if (!b.is_constant()) {
    // b > 0, so a factor of it that is a product of lengths is no 0 either, and cancels.
    const Polynomial factor = common_factor(*this, a, b);
    a = a.divided_by(factor).value_or(a);
    b = b.divided_by(factor).value_or(b);
  }
  if (const auto exact = a.divided_by(b)) return *exact;
  if (const auto divisor = b.constant()) {
    if (*divisor < 0) return quotient(op, -a, -b);
    return floor_by(op == Derivation::ceil_div ? a + (*divisor - 1) : a, *divisor);
  }
  if (op == Derivation::floor_div && at_least(*this, a, 0) && at_least(*this, b - 1, a)) return 0;
  if (op == Derivation::ceil_div && at_least(*this, a, 1) && at_least(*this, b, a)) return 1;
  return derive(op, a, b);
}

// Over a number, both roundings are written from one form: whole + floor(part / divisor), where no coefficient of the
// part and not its constant reaches the divisor, and its first coefficient is positive. So ceil(N / 2),
// (N - 1) // 2 + 1 and -(-N // 2) are one symbol.
Polynomial Symbols::floor_by(const Polynomial& a, std::int64_t divisor) {
  if (a.overflowed() || divisor == 1) return a;
  const auto down = [&](std::int64_t value) { return *narrow(floor_quotient(value, divisor)); };
  const Polynomial whole = map_coefficients(a, [&](std::int64_t c) { return c / divisor; }, down(a.constant_term()));
  const Polynomial part = a - whole * divisor;
  if (part.overflowed()) return part;
  if (const auto single = single_quotient(*this, part, divisor)) return whole + *single;
  if (const auto common = static_cast<std::int64_t>(common_divisor(magnitude(part.content()), divisor)); common > 1) {
    const std::int64_t constant = part.constant_term() / common;
    return whole + floor_by(map_coefficients(part, [&](std::int64_t c) { return c / common; }, constant),
                            divisor / common);
  }
  if (at_least(*this, part, 0) && at_least(*this, divisor - 1, part)) return whole;
  if (part.terms().front().coefficient < 0) return whole - floor_by(divisor - 1 - part, divisor);
  // A quotient of a quotient is one by the product, the sum between them carried into the numerator.
  for (const Derivation op : {Derivation::floor_div, Derivation::ceil_div}) {
    const Symbol* inner = as_derived(*this, part, op);
    if (inner == nullptr) continue;
    const Polynomial rounding = op == Derivation::ceil_div ? inner->b - 1 : 0;
    const Polynomial numerator = inner->a + rounding + inner->b * part.constant_term();
    const Polynomial product = inner->b * divisor;
    if (numerator.overflowed() || product.overflowed()) continue;
    return whole + quotient(Derivation::floor_div, numerator, product);
  }
  if (part.constant_term() == divisor - 1) return whole + derive(Derivation::ceil_div, part - (divisor - 1), divisor);
  return whole + derive(Derivation::floor_div, part, divisor);
}

Polynomial Symbols::truncated_div(const Polynomial& first, const Polynomial& second) {
  const Polynomial a = simplify(first);
  const Polynomial b = simplify(second);
  if (a.overflowed() || b.overflowed() || b.is(0)) return Polynomial::overflow();
  if (const auto exact = a.divided_by(b)) return *exact;
  if (a.is_constant() && b.is_constant()) {
    const auto value = narrow(Wide{*a.constant()} / *b.constant());
    return value ? Polynomial(*value) : Polynomial::overflow();
  }
  if (!positive_where_defined(*this, b)) {
    // Turned round only where that is sure to make it positive.
    return range(b).high <= 0 ? truncated_div(-a, -b) : derive(Derivation::truncated_div, a, b);
  }
  if (at_least(*this, a, 0)) return quotient(Derivation::floor_div, a, b);
  if (at_least(*this, 0, a)) return -quotient(Derivation::floor_div, -a, b);
  return derive(Derivation::truncated_div, a, b);
}

Polynomial Symbols::floor_mod(const Polynomial& first, const Polynomial& second) {
  const Polynomial a = simplify(first);
  const Polynomial b = simplify(second);
  if (a.overflowed() || b.overflowed() || (b.is_constant() && *b.constant() <= 0)) return Polynomial::overflow();
  if (a.divided_by(b)) return 0;
  if (at_least(*this, a, 0) && at_least(*this, b - 1, a)) return a;
  if (const auto divisor = b.constant()) return remainder_by(a, *divisor);
  return derive(Derivation::floor_mod, a, b);
}

Polynomial Symbols::remainder_by(const Polynomial& a, std::int64_t divisor) {
  const auto rest = [&](std::int64_t value) { return *narrow(floor_remainder(value, divisor)); };
  const Polynomial part = map_coefficients(a, rest, rest(a.constant_term()));
  if (const auto single = single_quotient(*this, part, divisor)) return part - Polynomial(divisor) * *single;
  const std::uint64_t shared = common_divisor(magnitude(part.content()), part.constant_term());
  if (const auto common = static_cast<std::int64_t>(common_divisor(shared, divisor)); common > 1) {
    const std::int64_t constant = part.constant_term() / common;
    const auto reduced = map_coefficients(part, [&](std::int64_t c) { return c / common; }, constant);
    return Polynomial(common) * floor_mod(reduced, divisor / common);
  }
  return derive(Derivation::floor_mod, part, divisor);
}

Polynomial Symbols::from_end(const Polynomial& first, const Polynomial& second) {
  const Polynomial index = simplify(first);
  const Polynomial extent = simplify(second);
  if (index.overflowed() || extent.overflowed()) return Polynomial::overflow();
  if (extent.is(0) || at_least(*this, index, 0)) return index;
  if (at_least(*this, -1, index)) return index + extent;
  return derive(Derivation::from_end, index, extent);
}

Polynomial Symbols::wrap32(const Polynomial& first) {
  constexpr std::int64_t half_turn = std::int64_t{1} << 31;
  const Polynomial a = simplify(first);
  if (a.overflowed()) return a;
  if (const auto constant = a.constant()) return wrapped32(*constant);
  if (const auto turns = single_quotient(*this, a + half_turn, 2 * half_turn)) {
    return a - Polynomial(*turns) * (2 * half_turn);
  }
  if (at_least(*this, a, -half_turn) && at_least(*this, half_turn - 1, a)) return a;
  // Wrapping again what was wrapped before: only the last counts, where what it then wraps still fits 64 bits.
  Polynomial unwrapped = a;
  for (const SymbolId id : a.symbols()) {
    const Symbol& symbol = symbols_[id];
    const bool wraps = symbol.origin == Symbol::Origin::derived && symbol.derivation == Derivation::wrap32;
    if (wraps) unwrapped = unwrapped.substitute(id, symbol.a);
  }
  const Range bounds = range(unwrapped);
  const bool fits = bounds.low != Range::no_low && bounds.high != Range::no_high;
  return derive(Derivation::wrap32, fits ? unwrapped : a);
}

Polynomial Symbols::half(const Polynomial& first) {
  const Polynomial a = simplify(first);
  if (a.overflowed()) return a;
  if (const auto constant = a.constant()) {
    const auto nearest = nearest_half(*constant);
    return nearest ? Polynomial(*nearest) : Polynomial::overflow();
  }
  if (at_least(*this, a, -exact_half) && at_least(*this, exact_half, a)) return a;
  if (as_derived(*this, a, Derivation::half) != nullptr && a.constant_term() == 0) return a;
  return derive(Derivation::half, a);
}

Polynomial Symbols::select(const Polynomial& first, const Polynomial& then, const Polynomial& otherwise) {
  const Polynomial condition = simplify(first);
  const Polynomial b = simplify(then);
  const Polynomial c = simplify(otherwise);
  if (condition.overflowed()) return condition;
  if (condition.is(0)) return c;
  if (b == c || condition.is_constant() || at_least(*this, condition, 1) || at_least(*this, -1, condition)) return b;
  if (b.overflowed() || c.overflowed()) return Polynomial::overflow();
  return derive(Derivation::select, condition, b, c);
}

Polynomial Symbols::ge(const Polynomial& a, const Polynomial& b) {
  const Polynomial difference = simplify(a) - simplify(b);
  if (difference.overflowed()) return difference;
  if (at_least(*this, difference, 0)) return 1;
  if (at_least(*this, -1, difference)) return 0;
  return derive(Derivation::compare_ge, tightened(difference));
}

Polynomial Symbols::eq(const Polynomial& a, const Polynomial& b) {
  const Polynomial difference = simplify(a) - simplify(b);
  if (difference.overflowed()) return difference;
  switch (prove_equal(*this, difference, 0)) {
    case Proof::always: return 1;
    case Proof::never: return 0;
    case Proof::unknown: break;
  }
  const Polynomial whole = difference.divided_by(difference.content()).value_or(difference);
  return derive(Derivation::compare_eq, whole.terms().front().coefficient < 0 ? -whole : whole);
}

}  // namespace loam
