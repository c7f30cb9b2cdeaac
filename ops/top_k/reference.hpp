#pragma once

#include <cmath>

#include "ops/strided_reference.hpp"
#include "ops/top_k/top_k.hpp"

namespace loam::reference {

// The element at rank r is the one that exactly r others stand before.
template <class T, class I>
void top_k(const View<T>& values, const View<I>& indices, int axis, bool largest, const View<T>& x) {
  const auto a = static_cast<std::size_t>(axis);
  for (const Place& p : places(x.dims)) {
    const auto v = static_cast<double>(element(x, p));
    std::int64_t before = 0;
    Place q = p;
    for (q[a] = 0; q[a] < x.extent(axis); ++q[a]) {
      const auto w = static_cast<double>(element(x, q));
      const bool equal = w == v || (std::isnan(w) && std::isnan(v));
      const bool greater = !equal && (std::isnan(w) || w > v);
      before += equal ? q[a] < p[a] : greater == largest;
    }
    if (before >= values.extent(axis)) continue;
    Place to = p;
    to[a] = before;
    element(values, to) = element(x, p);
    element(indices, to) = static_cast<I>(p[a]);
  }
}

}  // namespace loam::reference
