// Elements moved between the lanes of vectors.
#pragma once

#include <cstddef>
#include <utility>

#include "ops/matmul/tile.hpp"

namespace loam {

namespace detail {

// a's and b's lanes in turn: those of the lower halves, or of the upper.
template <class S, bool Upper>
typename Vector<S>::type interleaved(const typename Vector<S>::type& a, const typename Vector<S>::type& b) {
  constexpr std::size_t lanes = static_cast<std::size_t>(Vector<S>::lanes), from = Upper ? lanes / 2 : 0;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, (from + I / 2 + I % 2 * lanes)...);
  }(std::make_index_sequence<lanes>{});
}

// Row i of a square becomes its column i.
template <class S>
void transpose(typename Vector<S>::type (&v)[Vector<S>::lanes]) {
  using V = typename Vector<S>::type;
  constexpr int n = Vector<S>::lanes;
#pragma GCC unroll 4
  for (int half = 1; half < n; half *= 2) {
    V t[n];
#pragma GCC unroll 8
    for (int i = 0; i < n / 2; ++i) {
      t[2 * i] = interleaved<S, false>(v[i], v[i + n / 2]);
      t[2 * i + 1] = interleaved<S, true>(v[i], v[i + n / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) v[i] = t[i];
  }
}

}  // namespace detail

}  // namespace loam
