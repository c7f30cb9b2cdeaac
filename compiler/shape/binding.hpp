// Where `forward` takes each input symbol's value from, and what the inputs' lengths must then agree with.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compiler/shape/symbol.hpp"

namespace loam {

// symbol = (length of the axis - rest) / coefficient. Nothing in `rest` or `coefficient` is bound later than this, and
// neither mentions the symbol. Where the coefficient is 0 the length does not tell, and the symbol is taken as 0.
struct Binding {
  SymbolId symbol;
  std::size_t axis;  // into the axes given
  Polynomial coefficient = 1;
  Polynomial rest;
};

// The length of the axis must be `length`.
struct AxisCheck {
  std::size_t axis;
  Polynomial length;
};

struct Bindings {
  std::vector<Binding> bound;  // in the order they are evaluated in
  // Values a binding may leave below 0 for what is no length: a symbol minus a number, say. Each must be >= 0.
  std::vector<SymbolId> nonnegative;
  std::vector<AxisCheck> checks;   // of every axis that a binding does not satisfy by itself, in order
  std::vector<SymbolId> unbound;   // what occurs and no axis yields, ascending
};

// `axes` are the lengths of all inputs' axes in order, over input symbols. A symbol comes from the first axis that is
// the symbol alone; else from the first axis linear in it whose other symbols are bound, those with a number as
// coefficient before any other. An axis that mentions an unbound symbol is neither used nor checked.
Bindings bind_symbols(const Symbols& symbols, std::span<const Polynomial> axes);

}  // namespace loam
