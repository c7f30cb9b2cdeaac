// Inequalities over symbols: proved, refuted, or owed by whoever brings the inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/shape/symbol.hpp"

namespace loam {

enum class Proof : std::uint8_t { always, never, unknown };

// Whether p >= 0 for every value its symbols can have. Bounds each term apart, then isolates a derived term with a unit
// coefficient and recurses through its operation (floor(a/d) >= x iff a >= d*x; min >= x needs both; max either), and
// uses the relations given (each >= 0). `budget` failures end it with unknown: never a wrong answer.
Proof prove_nonnegative(const Symbols& symbols, const Polynomial& p, const std::vector<Polynomial>& relations = {},
                        int budget = 256);

// `always` alone, for whoever would do nothing else with a refutation: half the work.
bool proved_nonnegative(const Symbols& symbols, const Polynomial& p, const std::vector<Polynomial>& relations = {},
                        int budget = 256);

// Whether a == b always, never, or for some inputs only. Always: their difference is zero, or neither negative nor
// positive. Never: it is one of these, or divides by nothing that divides its every term (2*N + 1).
Proof prove_equal(const Symbols& symbols, const Polynomial& a, const Polynomial& b,
                  const std::vector<Polynomial>& relations = {});

// The smallest polynomial that is nonnegative where p is, for integers: 4*N - 7 as N - 2.
Polynomial tightened(const Polynomial& p);

// slack >= 0, which `reason` relies on: what `forward` checks before any kernel runs.
struct Condition {
  Polynomial slack;
  std::string site;    // "output = Operator" of the node that relies on it
  std::string reason;  // "axis Seq is N on the left and min(N, 1024) on the right"
};

// The derived symbols of `p` read each as the operand it takes unchanged (a clamp as its bound, an index from the end
// as counted from the start, a wrap or a half as the value it rounds): the resulting polynomial, and what each reading
// needs to hold (each >= 0). Empty `owed` and an equal polynomial where there is nothing to presume.
//
// Of a clamp's operands the one taken is the one that is no number; of two of these the one that makes the polynomial
// zero; else the first as it was written, which for a Slice is the bound and not the axis it is clamped to. A quotient,
// a remainder, a comparison and a selection take no operand unchanged, so only their operands are read.
struct Presumption {
  Polynomial value;
  std::vector<Polynomial> owed;
};
Presumption presume_unchanged(Symbols& symbols, const Polynomial& p);

}  // namespace loam
