#pragma once

#include "ops/linear_attention/linear_attention.hpp"
#include "runtime/functions.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

// The element of a view at a place; an axis of one element repeats.
template <class T, class... I>
auto at_place(const View<T>& x, I... index) {
  std::int64_t offset = 0;
  int axis = 0;
  ((offset += x.extent(axis) == 1 ? 0 : static_cast<std::int64_t>(index) * x.stride(axis), ++axis), ...);
  return load(x.data[offset]);
}

}  // namespace detail

template <class T, class TS, class TQ, class TK, class TV, class Past, class Decay, class Beta>
void run(kernels::LinearAttention, Cpu& cpu, const View<T>& out, const View<TS>& state, double scale, bool delta,
         const View<TQ>& q, const View<TK>& k, const View<TV>& v, const Past& past, const Decay& decay,
         const Beta& beta) {
  using C = compute_t<T>;
  const std::int64_t batches = q.extent(0), length = q.extent(1), heads = q.extent(2), keys = q.extent(3);
  const std::int64_t kv_heads = k.extent(2), width = v.extent(3), group = kv_heads > 0 ? heads / kv_heads : 0;
  const std::int64_t each = keys * width + 2 * width;  // the state, a value to write and a row read
  detail::Scratch scratch(cpu, detail::Scratch::bytes<C>(batches * kv_heads * each));
  if (!scratch) return;
  C* const all = scratch.take<C>(batches * kv_heads * each);
  const C factor = static_cast<C>(scale);
  const auto head = [&](std::int64_t b, std::int64_t h) {
    C* const s = all + (b * kv_heads + h) * each;
    C* const value = s + keys * width;
    C* const row = value + width;
    for (std::int64_t d = 0; d < keys; ++d)
      for (std::int64_t e = 0; e < width; ++e) {
        C before = 0;
        if constexpr (detail::present<Past>) before = static_cast<C>(detail::at_place(past, b, h, d, e));
        s[d * width + e] = before;
      }
    for (std::int64_t t = 0; t < length; ++t) {
      for (std::int64_t e = 0; e < width; ++e) value[e] = static_cast<C>(detail::at_place(v, b, t, h, e));
      if constexpr (detail::present<Decay>)
        for (std::int64_t d = 0; d < keys; ++d) {
          const C kept = fn::exp(static_cast<C>(detail::at_place(decay, b, t, h, d)));
          for (std::int64_t e = 0; e < width; ++e) s[d * width + e] *= kept;
        }
      if (delta) {
        for (std::int64_t d = 0; d < keys; ++d) {
          const C key = static_cast<C>(detail::at_place(k, b, t, h, d));
          for (std::int64_t e = 0; e < width; ++e) value[e] -= s[d * width + e] * key;
        }
        if constexpr (detail::present<Beta>) {
          const C rate = static_cast<C>(detail::at_place(beta, b, t, h));
          for (std::int64_t e = 0; e < width; ++e) value[e] *= rate;
        }
      }
      for (std::int64_t d = 0; d < keys; ++d) {
        const C key = static_cast<C>(detail::at_place(k, b, t, h, d));
        for (std::int64_t e = 0; e < width; ++e) s[d * width + e] += key * value[e];
      }
      for (std::int64_t g = h * group; g < (h + 1) * group; ++g) {
        std::fill_n(row, width, C{});
        for (std::int64_t d = 0; d < keys; ++d) {
          const C query = static_cast<C>(detail::at_place(q, b, t, g, d)) * factor;
          for (std::int64_t e = 0; e < width; ++e) row[e] += s[d * width + e] * query;
        }
        T* const to = out.data + b * out.stride(0) + t * out.stride(1) + g * out.stride(2);
        for (std::int64_t e = 0; e < width; ++e) to[e * out.stride(3)] = store<T>(row[e]);
      }
    }
    TS* const to = state.data + b * state.stride(0) + h * state.stride(1);
    for (std::int64_t d = 0; d < keys; ++d)
      for (std::int64_t e = 0; e < width; ++e)
        to[d * state.stride(2) + e * state.stride(3)] = store<TS>(static_cast<compute_t<TS>>(s[d * width + e]));
  };
  cpu.parallel(batches * kv_heads, detail::grain_of(length * keys * width / detail::products_an_element), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) head(i / kv_heads, i % kv_heads);
  });
}

}  // namespace loam
