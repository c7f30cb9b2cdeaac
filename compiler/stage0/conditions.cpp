// What nodes rely on and the build cannot decide: owed, equated, and what follows from it.
#include <algorithm>

#include "compiler/stage0/stage0.hpp"

namespace loam {

std::vector<Polynomial> StageZero::relations() const {
  // What enclosing blocks already owe holds where this is read. The newest say most; more would only slow the prover.
  constexpr std::size_t most = 24, most_read = 64;
  std::vector<Polynomial> all;
  std::size_t read = 0;
  for (const Scope* s = scope_; s; s = s->outer)
    for (auto it = s->block->owed.rbegin(); it != s->block->owed.rend() && all.size() < most && read < most_read; ++it, ++read) {
      // Of L - 2 and L - 4, which a chain of windows owes, the lesser says all.
      const auto like = std::ranges::find_if(all, [&](const Polynomial& p) { return p.terms() == it->slack.terms(); });
      if (like == all.end()) all.push_back(it->slack);
      else if (it->slack.constant_term() < like->constant_term()) *like = it->slack;
    }
  return all;
}

bool StageZero::owe(const Polynomial& slack, const std::string& site, const std::string& reason) {
  if (slack.overflowed()) {
    diagnostics_.error(Code::overflow, site, reason + ": a length does not fit in 64 bits");
    return false;
  }
  if (const auto c = slack.constant()) {
    if (*c >= 0) return true;
    diagnostics_.error(Code::condition_never_holds, site, reason + ", and it never does");
    return false;
  }
  for (const Scope* s = scope_; s; s = s->outer)
    if (s->owed.contains(slack)) return true;
  switch (prove_nonnegative(graph_.symbols, slack, relations())) {
    case Proof::always: ++proved_; return true;
    case Proof::never:
      diagnostics_.error(Code::condition_never_holds, site, reason + ", and it never does");
      return false;
    case Proof::unknown: break;
  }
  scope_->block->owed.push_back({slack, site, reason});
  scope_->owed.insert(slack);
  if (!scope_->outer) settle_quotients();
  return true;
}

// A quotient toward zero is one rounded down where the dividend is not negative, which often only what a later node owes
// shows: an exporter computes a convolution's length as Div does, before the convolution asks for it. The two lengths
// are one symbol then, and not two that are owed to be equal and that no Reshape takes apart.
void StageZero::settle_quotients() {
  const auto of_inputs = [&](const Polynomial& p) {
    return std::ranges::all_of(graph_.symbols.leaves(p), [&](SymbolId id) { return graph_.symbols[id].origin == Symbol::Origin::input; });
  };
  for (; quotients_read_ < graph_.symbols.size(); ++quotients_read_) {
    const Symbol& symbol = graph_.symbols[quotients_read_];
    if (symbol.origin == Symbol::Origin::derived && symbol.derivation == Derivation::truncated_div && of_inputs(symbol.a) && symbol.b.constant() > 0)
      quotients_.push_back({quotients_read_, 0});
  }
  if (quotients_.empty()) return;
  // What is checked when the inputs arrive holds wherever these are computed.
  std::vector<Polynomial> checked = relations();
  std::erase_if(checked, [&](const Polynomial& p) { return !of_inputs(p); });
  constexpr int most_tries = 64;  // of one quotient, in a graph that owes thousands of conditions
  std::erase_if(quotients_, [&](Quotient& q) {
    const Polynomial id = Polynomial::symbol(q.id);
    if (!(graph_.symbols.simplify(id) == id) || ++q.tries > most_tries) return true;
    const Symbol symbol = graph_.symbols[q.id];
    if (!proved_nonnegative(graph_.symbols, symbol.a, checked)) return false;
    graph_.symbols.fix(q.id, graph_.symbols.floor_div(symbol.a, symbol.b));
    return true;
  });
}

bool StageZero::equate(const Polynomial& a, const Polynomial& b, const std::string& site, const std::string& reason) {
  if (a == b) return true;
  const Polynomial difference = a - b;
  const auto mismatch = [&] {
    diagnostics_.error(Code::extent_mismatch, site, reason);
    return false;
  };
  if (difference.is_constant()) return difference.is(0) || mismatch();
  const auto owed = relations();
  switch (prove_equal(graph_.symbols, a, b, owed)) {
    case Proof::always: ++proved_; return true;
    case Proof::never: return mismatch();
    case Proof::unknown: break;
  }
  // B*L and L are one length for a B of 1 alone, unless L is 0.
  for (const auto& [whole, part] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const auto times = part->is_constant() ? std::nullopt : whole->divided_by(*part);
    if (times && proved_nonnegative(graph_.symbols, *part - 1, owed)) return equate(*times, 1, site, reason);
  }
  const Presumption presumed = presume_unchanged(graph_.symbols, difference);
  if (presumed.value.is(0) && !presumed.owed.empty()) {
    bool held = true;
    for (const Polynomial& slack : presumed.owed) held = owe(slack, site, reason) && held;
    return held;
  }
  if (presumed.value.is_constant() && !presumed.value.is(0) && presumed.owed.empty()) return mismatch();
  const bool first = owe(difference, site, reason);
  const bool both = owe(-difference, site, reason) && first;
  if (both && !scope_->outer) settle_number(difference);
  return both;
}

// A length of an input that is owed to be a number is that number in all that follows.
void StageZero::settle_number(const Polynomial& zero) {
  const auto symbols = zero.symbols();
  if (symbols.size() != 1 || graph_.symbols[symbols[0]].origin != Symbol::Origin::input) return;
  const auto linear = zero.linear_in(symbols[0]);
  if (!linear || !(linear->coefficient.is(1) || linear->coefficient.is(-1))) return;
  graph_.symbols.fix(symbols[0], linear->coefficient.is(1) ? -linear->rest : linear->rest);
}

}  // namespace loam
