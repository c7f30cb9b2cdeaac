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

// What a loop over a constant count is made of: a vector's elements, where the compiler makes such vectors by itself, so that
// they need not be held in memory on their way: an x / (1 + exp(-x)) in the cache takes 18 cycles a vector for 19.5, a copy 2
// for 4.5. Else several.
template <class T>
#if defined(__AVX512F__)
inline constexpr int fill_elements = sizeof(T) < 4 ? 32 : static_cast<int>(64 / sizeof(T));
#else
inline constexpr int fill_elements = 32;
#endif

// out[i] = f(i) for i in [0, n), where f reads out at i or not at all.
template <class T, class F>
void fill(T* out, std::int64_t n, const F& f) {
  std::int64_t i = detail::fill_chunks<fill_elements<T>>(out, 0, n, f);
  i = detail::fill_chunks<8>(out, i, n, f);
  // At most seven are left, for which clang would make vectors again: bytes of a WebAssembly module that never run.
#if defined(__wasm__)
#  pragma clang loop vectorize(disable) interleave(disable) unroll(disable)
#endif
  for (; i < n; ++i) out[i] = f(i);
}

namespace detail {

// out[i, i + N) = f, each joined to its own of N.
template <int N, class T, class F, class Join>
inline void fill_and_join(T* out, std::int64_t i, T* joined, const F& f, const Join& join) {
  T held[N];
  for (int k = 0; k < N; ++k) held[k] = f(i + k);
  for (int k = 0; k < N; ++k) joined[k] = join(joined[k], held[k]);
  std::copy_n(held, N, out + i);
}

// The second half of `2 * Half` joined to the first, and so on: loops of constant counts, which become vectors.
template <int Half, class T, class Join>
T join_halves(T* joined, const Join& join) {
  for (int k = 0; k < Half; ++k) joined[k] = join(joined[k], joined[k + Half]);
  if constexpr (Half > 1) return join_halves<Half / 2>(joined, join);
  else return joined[0];
}

}  // namespace detail

// The same, and all that is written joined into one, beginning with `initial`: every 32nd element apart, and then these.
template <class T, class F, class Join>
T fill_joined(T* out, std::int64_t n, T initial, const F& f, const Join& join) {
  constexpr int lanes = 32, piece = fill_elements<T>;
  static_assert(lanes % piece == 0);
  T joined[lanes];
  std::fill_n(joined, lanes, initial);
  std::int64_t i = 0;
  while (i + lanes <= n)
    for (int lane = 0; lane < lanes; lane += piece, i += piece) detail::fill_and_join<piece>(out, i, joined + lane, f, join);
  int lane = 0;
  for (; i + 8 <= n; i += 8, lane += 8) detail::fill_and_join<8>(out, i, joined + lane, f, join);
  for (; i < n; ++i, ++lane) joined[lane] = join(joined[lane], out[i] = f(i));
  return detail::join_halves<lanes / 2>(joined, join);
}

}  // namespace loam
