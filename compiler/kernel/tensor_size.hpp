// How large a tensor is, in elements and in bytes of a module's memory.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/kernel/element_bytes.hpp"
#include "compiler/kernel/program.hpp"

namespace loam {

inline std::vector<Polynomial> extents_of(const VirtualTensor& tensor, const Symbols& symbols) {
  std::vector<Polynomial> extents;
  for (const Axis& axis : tensor.axes) extents.push_back(symbols.simplify(axis.extent()));
  return extents;
}

// Of the axes from `first` on.
inline Polynomial elements_of(const VirtualTensor& tensor, const Symbols& symbols, std::size_t first = 0) {
  Polynomial n = 1;
  for (std::size_t i = first; i < tensor.axes.size(); ++i) n = n * symbols.simplify(tensor.axes[i].extent());
  return n;
}

inline Polynomial bytes_of(const VirtualTensor& tensor, const Symbols& symbols) {
  return elements_of(tensor, symbols) * Polynomial(element_bytes(tensor.dtype));
}

}  // namespace loam
