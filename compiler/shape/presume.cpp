#include <algorithm>
#include <limits>
#include <optional>
#include <map>
#include <utility>

#include "compiler/shape/integer.hpp"
#include "compiler/shape/prover.hpp"

namespace loam {
namespace {

// How one operation reads: as `operand`, where each of `owed` is nonnegative.
struct Reading {
  Polynomial operand;
  std::vector<Polynomial> owed;
};

// a reads where b does not win: `sign` is 1 for a min (b - a >= 0) and -1 for a max.
Reading clamp_reading(const Symbol& symbol, SymbolId id, const Polynomial& p, int sign) {
  const auto reading = [&](const Polynomial& taken, const Polynomial& other) {
    return Reading{taken, {sign > 0 ? other - taken : taken - other}};
  };
  const Reading first = reading(symbol.a, symbol.b);
  const Reading second = reading(symbol.b, symbol.a);
  const bool second_cancels = p.substitute(id, second.operand).is(0) && !p.substitute(id, first.operand).is(0);
  return second_cancels && !second.operand.is_constant() ? second : first;  // a constant is never the first
}

std::optional<Reading> read_unchanged(const Symbol& symbol, SymbolId id, const Polynomial& p) {
  const Polynomial& a = symbol.a;
  const auto within = [&](std::int64_t low, std::int64_t high) {
    return Reading{a, {a - Polynomial(low), Polynomial(high) - a}};
  };
  switch (symbol.derivation) {
    case Derivation::min: return clamp_reading(symbol, id, p, 1);
    case Derivation::max: return clamp_reading(symbol, id, p, -1);
    case Derivation::from_end: return Reading{a, {a}};
    case Derivation::wrap32:
      return within(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max());
    case Derivation::half: return within(-exact_half, exact_half);
    default: return std::nullopt;
  }
}

class Reader {
 public:
  explicit Reader(Symbols& symbols) : symbols_(symbols) {}

  Polynomial read(Polynomial p, int depth = 0);
  std::vector<Polynomial> owed;

 private:
  Polynomial with_operands_read(const Symbol& symbol, int depth);

  Symbols& symbols_;
  std::map<SymbolId, Polynomial> rounded_;  // what takes no operand unchanged, and itself with its operands read
};

// Deeper operands are left as they are; reading more is a convenience, and reading a chain of quotients no reason to
// go as deep as it.
constexpr int deepest = 16;

Polynomial Reader::read(Polynomial p, int depth) {
  p = symbols_.simplify(p);
  for (;;) {
    // The newest first: an operand is older, and is read in its turn.
    const std::vector<SymbolId> ids = p.symbols();
    const auto next = std::find_if(ids.rbegin(), ids.rend(), [&](SymbolId id) {
      const auto rounded = rounded_.find(id);
      return symbols_[id].origin == Symbol::Origin::derived &&
             (rounded == rounded_.end() || rounded->second != Polynomial::symbol(id));
    });
    if (next == ids.rend()) return p;
    if (const auto rounded = rounded_.find(*next); rounded != rounded_.end()) {
      p = p.substitute(*next, rounded->second);
      continue;
    }
    const Symbol symbol = symbols_[*next];  // a copy: reading makes symbols
    if (auto reading = read_unchanged(symbol, *next, p)) {
      for (Polynomial& condition : reading->owed) {
        if (std::ranges::find(owed, condition) == owed.end()) owed.push_back(std::move(condition));
      }
      p = p.substitute(*next, reading->operand);
      continue;
    }
    const Polynomial again = depth < deepest ? with_operands_read(symbol, depth + 1) : Polynomial::symbol(*next);
    for (const SymbolId id : again.symbols()) {
      if (!read_unchanged(symbols_[id], id, again)) rounded_.emplace(id, Polynomial::symbol(id));
    }
    rounded_.emplace(*next, again);
  }
}

Polynomial Reader::with_operands_read(const Symbol& symbol, int depth) {
  const Polynomial a = read(symbol.a, depth);
  const Polynomial b = read(symbol.b, depth);
  const Polynomial c = read(symbol.c, depth);
  switch (symbol.derivation) {
    case Derivation::floor_div: return symbols_.floor_div(a, b);
    case Derivation::ceil_div: return symbols_.ceil_div(a, b);
    case Derivation::truncated_div: return symbols_.truncated_div(a, b);
    case Derivation::floor_mod: return symbols_.floor_mod(a, b);
    case Derivation::select: return symbols_.select(a, b, c);
    case Derivation::compare_ge: return symbols_.ge(a, 0);
    default: return symbols_.eq(a, 0);
  }
}

}  // namespace

Presumption presume_unchanged(Symbols& symbols, const Polynomial& p) {
  Reader reader(symbols);
  Polynomial value = reader.read(p);
  return {std::move(value), std::move(reader.owed)};
}

}  // namespace loam
