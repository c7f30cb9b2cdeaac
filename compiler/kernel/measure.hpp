// What a kernel call moves and computes, as polynomials over the symbols.
#pragma once

#include <map>

#include "compiler/kernel/program.hpp"

namespace loam {

// A size where every length that inputs bring or the run computes is 100, or as near to that as it can be, and what
// derives from lengths follows them; of a size past 64 bits what `typical` makes of it.
double size_at_100(const Symbols& symbols, const Polynomial& size);

class Measure {
 public:
  Measure(const Program& program, const Symbols& symbols);

  // Bytes that are read, each once: of an operand that is repeated (an expanded axis) what is there, of a table no more
  // than is looked up in it.
  Polynomial read(const Call& call) const;
  Polynomial written(const Call& call) const;
  // Additions, multiplications and functions, each one operation; of kernels that have no row here, one for each
  // element of their largest operand or result.
  Polynomial operations(const Call& call) const;
  Polynomial bytes(TensorId t) const;
  // What a tensor is a view of; itself where it is none.
  TensorId root(TensorId t) const;

 private:
  Polynomial extent(TensorId t, std::size_t axis) const;
  Polynomial elements(TensorId t, std::size_t first = 0) const;

  const Program& program_;
  const Symbols& symbols_;
  std::map<TensorId, const ViewStep*> views_;  // by what they give
};

}  // namespace loam
