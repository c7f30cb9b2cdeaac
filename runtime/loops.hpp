// Loops that become vector code even where a compiler must not look far, which is g++ at -O2: of a trip count that is
// not a constant, or of operands that may overlap what is written, it makes no vectors there.
#pragma once

#include <algorithm>
#include <cstdint>

namespace loam {

namespace detail {

template <int N, class T, class F>
std::int64_t fill_chunks(T* out, std::int64_t begin, std::int64_t end, const F& f) {
  for (; begin + N <= end; begin += N) {
    T held[N];
    for (int i = 0; i < N; ++i) held[i] = f(begin + i);
    std::copy_n(held, N, out + begin);
  }
  return begin;
}

}  // namespace detail

// out[i] = f(i) for i in [0, n), where f reads out at i or not at all.
template <class T, class F>
void fill(T* out, std::int64_t n, const F& f) {
  std::int64_t i = detail::fill_chunks<32>(out, 0, n, f);
  i = detail::fill_chunks<8>(out, i, n, f);
  for (; i < n; ++i) out[i] = f(i);
}

}  // namespace loam
