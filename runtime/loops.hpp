// Loops whose trip count the compiler knows: g++ at -O2 makes vectors only of those.
#pragma once

#include <cstdint>
#include <type_traits>

namespace loam {

// Calls f(begin, count) over [0, n): first with count the constant N, then once with what is left.
template <int N, class F>
void in_chunks(std::int64_t n, F&& f) {
  std::int64_t i = 0;
  for (; i + N <= n; i += N) f(i, std::integral_constant<std::int64_t, N>{});
  if (i < n) f(i, n - i);
}

}  // namespace loam
