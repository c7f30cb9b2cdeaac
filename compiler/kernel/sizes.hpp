// What keeps forward's arithmetic within 64 bits.
//
// Extents are polynomials, and lengths up to 2^31 - 1 can carry a product of three of them past 64 bits. A graph is not
// refused for that: [Batch, Heads, Seq, Seq] overflows for no input anybody has. Instead forward tests a few products
// of the lengths it is given before it computes anything with them, and refuses lengths that are too large.
#pragma once

#include <vector>

#include "compiler/kernel/plan.hpp"
#include "compiler/kernel/program.hpp"
#include "compiler/shape/symbol.hpp"

namespace loam {

// coefficient * the product of the lengths, each taken as 1 where it is 0 and without its sign.
struct SizeBound {
  double coefficient;
  Monomial lengths;
};

// Where each of these is less than 2^62, every extent, slack, element count, byte count and argument that the program
// computes from its symbols fits 64 bits, and so does every step of computing it. What holds for all lengths is left
// out, and what another bound implies.
std::vector<SizeBound> size_bounds(const Program& program, const Plan& plan, const Symbols& symbols);

}  // namespace loam
