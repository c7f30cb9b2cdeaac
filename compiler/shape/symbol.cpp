#include "compiler/shape/symbol.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace loam {
namespace {

// What a derived symbol's values lie within, given what its operands' do.
Range derived_range(Derivation op, Range a, Range b, Range c) {
  const auto lowest = [](std::int64_t x, std::int64_t y) { return std::min(x, y); };
  const auto highest = [](std::int64_t x, std::int64_t y) { return std::max(x, y); };
  switch (op) {
    case Derivation::min: return {lowest(a.low, b.low), lowest(a.high, b.high)};
    case Derivation::max: return {highest(a.low, b.low), highest(a.high, b.high)};
    case Derivation::floor_div: return floor_quotient(a, b);
    case Derivation::ceil_div: return ceil_quotient(a, b);
    case Derivation::truncated_div: return truncated_quotient(a, b);
    case Derivation::floor_mod: {
      const std::int64_t most = b.high == Range::no_high ? Range::no_high : highest(b.high, 1) - 1;
      return {0, a.low >= 0 ? lowest(a.high, most) : most};
    }
    case Derivation::from_end: {
      const Range counted = (WideRange(Range{a.low, lowest(a.high, -1)}) + WideRange(b)).range();
      return a.high < 0 ? counted : hull({highest(a.low, 0), a.high}, counted);
    }
    case Derivation::wrap32: return {INT32_MIN, INT32_MAX};
    case Derivation::half: {
      const auto held = [](std::int64_t x) { return *nearest_half(std::clamp(x, -largest_half, largest_half)); };
      return {held(a.low), held(a.high)};
    }
    case Derivation::select: return hull(b, c);
    case Derivation::compare_ge:
    case Derivation::compare_eq: return {0, 1};
  }
  return Range::any();
}

std::optional<std::int64_t> derived_value(Derivation op, std::int64_t a, std::int64_t b, std::int64_t c) {
  switch (op) {
    case Derivation::min: return std::min(a, b);
    case Derivation::max: return std::max(a, b);
    case Derivation::floor_div: return b > 0 ? narrow(floor_quotient(a, b)) : std::nullopt;
    case Derivation::ceil_div: return b > 0 ? narrow(ceil_quotient(a, b)) : std::nullopt;
    case Derivation::truncated_div: return b != 0 ? narrow(Wide{a} / b) : std::nullopt;
    case Derivation::floor_mod: return b > 0 ? narrow(floor_remainder(a, b)) : std::nullopt;
    case Derivation::from_end: return a >= 0 ? a : narrow(Wide{a} + b);
    case Derivation::wrap32: return wrapped32(a);
    case Derivation::half: return nearest_half(a);
    case Derivation::select: return a != 0 ? b : c;
    case Derivation::compare_ge: return a >= 0 ? 1 : 0;
    case Derivation::compare_eq: return a == 0 ? 1 : 0;
  }
  return std::nullopt;
}

bool commutes(Derivation op) { return op == Derivation::min || op == Derivation::max; }

std::size_t summands(const Polynomial& p) { return p.terms().size() + (p.constant_term() != 0 ? 1 : 0); }

// A derivation nested past this many is spelled by its number: text doubles with each symbol met twice.
constexpr int longest_nesting = 64;

}  // namespace

SymbolId Symbols::add(Symbol symbol) {
  const auto id = static_cast<SymbolId>(symbols_.size());
  if (symbol.origin != Symbol::Origin::derived) by_name_.insert_or_assign(symbol.name, id);
  symbols_.push_back(std::move(symbol));
  return id;
}

std::string Symbols::unique_name(std::string_view hint) const {
  std::string name(hint);
  for (int count = 2; by_name_.contains(name); ++count) name = std::string(hint) + "_" + std::to_string(count);
  return name;
}

std::optional<SymbolId> Symbols::find_input(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end() || symbols_[found->second].origin != Symbol::Origin::input) return std::nullopt;
  return found->second;
}

Polynomial Symbols::input(std::string_view name) {
  if (const auto id = find_input(name)) return Polynomial::symbol(*id);
  if (const auto taken = by_name_.find(name); taken != by_name_.end()) {
    // A bound symbol's name is ours to choose, an input's is the graph's.
    const SymbolId id = taken->second;
    symbols_[id].name = unique_name(name);
    by_name_.emplace(symbols_[id].name, id);
  }
  return Polynomial::symbol(add({Symbol::Origin::input, std::string(name), {0, longest_length}, {}, {}, {}, {}}));
}

Polynomial Symbols::bound(std::string_view hint, Range range) {
  return Polynomial::symbol(add({Symbol::Origin::bound, unique_name(hint), range, {}, {}, {}, {}}));
}

Polynomial Symbols::derive(Derivation op, const Polynomial& a, const Polynomial& b, const Polynomial& c) {
  // One symbol whichever way round commuting operands come; it keeps the order it was first written in.
  const bool swapped = commutes(op) && b < a;
  Key key = swapped ? Key{op, b, a, c} : Key{op, a, b, c};
  if (const auto found = derived_.find(key); found != derived_.end()) return Polynomial::symbol(found->second);
  const Range bounds = derived_range(op, range(a), range(b), range(c));
  const SymbolId id = add({Symbol::Origin::derived, {}, bounds, op, a, b, c});
  derived_.emplace(std::move(key), id);
  return Polynomial::symbol(id);
}

Polynomial Symbols::derive_again(const Symbol& symbol) {
  const auto& [a, b, c] = std::tie(symbol.a, symbol.b, symbol.c);
  switch (symbol.derivation) {
    case Derivation::min: return min(a, b);
    case Derivation::max: return max(a, b);
    case Derivation::floor_div: return floor_div(a, b);
    case Derivation::ceil_div: return ceil_div(a, b);
    case Derivation::truncated_div: return truncated_div(a, b);
    case Derivation::floor_mod: return floor_mod(a, b);
    case Derivation::from_end: return from_end(a, b);
    case Derivation::wrap32: return wrap32(a);
    case Derivation::half: return half(a);
    case Derivation::select: return select(a, b, c);
    case Derivation::compare_ge: return ge(a, 0);
    case Derivation::compare_eq: return eq(a, 0);
  }
  return Polynomial::overflow();
}

std::string Symbols::text(SymbolId id) const {
  int budget = longest_nesting;
  return text(id, budget);
}

std::string Symbols::text(const Polynomial& p) const {
  int budget = longest_nesting;
  return text(p, budget);
}

std::string Symbols::text(const Polynomial& p, int& budget) const {
  return p.text([&](SymbolId id) { return text(id, budget); });
}

std::string Symbols::text(SymbolId id, int& budget) const {
  const Symbol& symbol = symbols_[id];
  if (symbol.origin != Symbol::Origin::derived) return symbol.name;
  if (budget-- <= 0) return "derived_" + std::to_string(id);
  const std::string a = text(symbol.a, budget);
  const auto b = [&] { return text(symbol.b, budget); };
  const auto quotient = [&](const char* rounding) {
    const auto in_parentheses = [](const std::string& operand) { return "(" + operand + ")"; };
    const std::string dividend = summands(symbol.a) > 1 ? in_parentheses(a) : a;
    const bool atom = symbol.b.is_constant() || symbol.b.as_symbol();
    return rounding + dividend + " / " + (atom ? b() : in_parentheses(b())) + ")";
  };
  switch (symbol.derivation) {
    case Derivation::min: return "min(" + a + ", " + b() + ")";
    case Derivation::max: return "max(" + a + ", " + b() + ")";
    case Derivation::floor_div: return quotient("floor(");
    case Derivation::ceil_div: return quotient("ceil(");
    case Derivation::truncated_div: return quotient("trunc(");
    case Derivation::floor_mod: return "mod(" + a + ", " + b() + ")";
    case Derivation::from_end: return "from_end(" + a + ", " + b() + ")";
    case Derivation::wrap32: return "int32(" + a + ")";
    case Derivation::half: return "float16(" + a + ")";
    case Derivation::select: return "select(" + a + ", " + b() + ", " + text(symbol.c, budget) + ")";
    case Derivation::compare_ge: return "(" + a + " >= 0)";
    case Derivation::compare_eq: return "(" + a + " == 0)";
  }
  return {};
}

Range Symbols::range(const Polynomial& p) const {
  if (p.overflowed()) return Range::any();
  WideRange sum(Range{p.constant_term(), p.constant_term()});
  for (const Polynomial::Term& term : p.terms()) {
    WideRange product(Range{term.coefficient, term.coefficient});
    const Monomial& factors = term.monomial;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const WideRange factor(symbols_[factors[i]].range);
      const bool square = i + 1 < factors.size() && factors[i + 1] == factors[i];
      product = product * (square ? factor.squared() : factor);
      if (square) ++i;
    }
    sum = sum + product;
  }
  return sum.range();
}

std::vector<SymbolId> Symbols::closure(const Polynomial& p) const {
  const std::vector<SymbolId> direct = p.symbols();
  std::set<SymbolId> open(direct.begin(), direct.end());
  std::vector<SymbolId> result;
  // Operands are older than what is derived from them, so the newest left is needed by none still to come.
  while (!open.empty()) {
    const SymbolId id = *open.rbegin();
    open.erase(id);
    result.push_back(id);
    if (symbols_[id].origin != Symbol::Origin::derived) continue;
    for (const Polynomial* operand : {&symbols_[id].a, &symbols_[id].b, &symbols_[id].c}) {
      for (const Polynomial::Term& term : operand->terms()) open.insert(term.monomial.begin(), term.monomial.end());
    }
  }
  std::ranges::reverse(result);
  return result;
}

std::vector<SymbolId> Symbols::leaves(const Polynomial& p) const {
  std::vector<SymbolId> result = closure(p);
  std::erase_if(result, [&](SymbolId id) { return symbols_[id].origin == Symbol::Origin::derived; });
  return result;
}

std::optional<std::int64_t> Symbols::evaluate(const Polynomial& p,
                                              const std::function<std::int64_t(SymbolId)>& leaf) const {
  std::unordered_map<SymbolId, std::optional<std::int64_t>> values;
  // The operand of a select that is not taken need not have a value, so a missing one spreads only where it is used.
  const auto value_of = [&](const Polynomial& operand) -> std::optional<std::int64_t> {
    for (const SymbolId id : operand.symbols()) {
      if (!values[id]) return std::nullopt;
    }
    return operand.evaluate([&](SymbolId id) { return *values[id]; });
  };
  for (const SymbolId id : closure(p)) {
    const Symbol& symbol = symbols_[id];
    if (symbol.origin != Symbol::Origin::derived) {
      values[id] = leaf(id);
      continue;
    }
    const auto a = value_of(symbol.a);
    const auto b = value_of(symbol.b);
    const auto c = value_of(symbol.c);
    const bool select = symbol.derivation == Derivation::select;
    const bool known = a && (select ? (*a != 0 ? b : c).has_value() : b.has_value());
    values[id] = known ? derived_value(symbol.derivation, *a, b.value_or(0), c.value_or(0)) : std::nullopt;
  }
  return value_of(p);
}

void Symbols::fix(SymbolId id, const Polynomial& value) {
  Polynomial settled = simplify(value);
  Polynomial target = simplify(Polynomial::symbol(id));
  if (!target.as_symbol()) std::swap(target, settled);  // it was N = M + 1, and is told N = K: K = M + 1
  const auto symbol = target.as_symbol();
  if (!symbol || settled.overflowed() || std::ranges::binary_search(closure(settled), *symbol)) return;
  fixed_.emplace(*symbol, settled);

  // Older symbols first, so every operand is settled before what is derived from it. What this makes is settled too.
  const std::size_t count = symbols_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto derived = static_cast<SymbolId>(i);
    if (symbols_[i].origin != Symbol::Origin::derived || fixed_.contains(derived)) continue;
    const Symbol before = symbols_[i];
    const auto changes = [&](const Polynomial& operand) {
      return std::ranges::any_of(operand.symbols(), [&](SymbolId of) { return fixed_.contains(of); });
    };
    if (!changes(before.a) && !changes(before.b) && !changes(before.c)) continue;
    const Polynomial after = derive_again(before);
    if (!std::ranges::binary_search(closure(after), derived)) fixed_.emplace(derived, after);
  }
  for (auto& [fixed, of] : fixed_) of = simplify(of);
}

Polynomial Symbols::simplify(const Polynomial& p) const {
  if (fixed_.empty() || p.is_constant()) return p;
  Polynomial result = p;
  for (const SymbolId id : p.symbols()) {
    if (const auto found = fixed_.find(id); found != fixed_.end()) result = result.substitute(id, found->second);
  }
  return result;
}

}  // namespace loam
