#pragma once

#include "ops/cumulative/cumulative.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

template <class Kind, class T>
void cumulative(const View<T>& out, Kind, int axis, bool exclusive, bool reverse, const View<T>& x) {
  const auto a = static_cast<std::size_t>(axis);
  for (const Place& p : places(out.dims)) {
    double total = std::is_same_v<Kind, CumSum> ? 0 : 1;
    Place q = p;
    for (q[a] = 0; q[a] < out.extent(axis); ++q[a]) {
      const bool before = reverse ? q[a] > p[a] : q[a] < p[a];
      if (!before && (exclusive || q[a] != p[a])) continue;
      const auto term = static_cast<double>(element(x, q));
      total = std::is_same_v<Kind, CumSum> ? total + term : total * term;
    }
    element(out, p) = narrow<T>(total);
  }
}

}  // namespace loam::reference
