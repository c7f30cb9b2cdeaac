#pragma once

#include <type_traits>

#include "ops/arg_reduce/arg_reduce.hpp"
#include "runtime/cpu.hpp"

namespace loam::reference {

// `out` is dense, with a unit in place of the axis.
template <class Which, class TX>
void arg_reduce(const View<std::int64_t>& out, int axis, bool select_last, const View<TX>& x) {
  for (std::int64_t e = 0; e < out.elements(); ++e) {
    std::int64_t rest = e, base = 0;
    for (int i = out.rank(); i-- > 0;) {
      base += rest % out.extent(i) * (i == axis ? 0 : x.stride(i));
      rest /= out.extent(i);
    }
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < x.extent(axis); ++i) {
      const auto a = load(x.data[base + i * x.stride(axis)]), b = load(x.data[base + best * x.stride(axis)]);
      const bool same = a == b || (a != a && b != b);
      const bool better = std::is_same_v<Which, ArgMax> ? a > b : a < b;
      if (same ? select_last : (a != a || (b == b && better))) best = i;
    }
    out.data[e] = best;
  }
}

}  // namespace loam::reference
