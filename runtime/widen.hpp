// Stretches of contiguous elements as another type, in loops the compiler makes vectors of.
#pragma once

#include <cstdint>

#include "runtime/half.hpp"

namespace loam {

// to[i] = from[i], N of them.
template <int N, class T, class S>
void widen(const T* __restrict from, S* __restrict to) {
  for (int i = 0; i < N; ++i) to[i] = static_cast<S>(load(from[i]));
}
template <class T, class S>
void widen(const T* from, std::int64_t count, S* to) {
  std::int64_t i = 0;
  for (; i + 32 <= count; i += 32) widen<32>(from + i, to + i);
  for (; i < count; ++i) to[i] = static_cast<S>(load(from[i]));
}

}  // namespace loam
