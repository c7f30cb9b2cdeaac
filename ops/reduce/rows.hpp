// The inner loops of reductions, which the norms and softmax share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "ops/matmul/tile.hpp"
#include "ops/reduce/rules.hpp"
#include "runtime/loops.hpp"
#include "runtime/widen.hpp"

namespace loam {

namespace detail {

inline constexpr std::int64_t row_lanes = 32;    // independent partial results: two AVX-512 vectors of floats
inline constexpr std::int64_t row_block = 2048;  // 64 terms in each

// The lanes of a vector added up, half onto half.
template <class S, int Half = Vector<S>::lanes / 2>
S sum_of_lanes(const typename Vector<S>::type& v) {
  if constexpr (Half == 0) {
    return v[0];
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return sum_of_lanes<S, Half / 2>(v + __builtin_shufflevector(v, v, (I + Half) % sizeof...(I)...));
    }(std::make_index_sequence<static_cast<std::size_t>(Vector<S>::lanes)>{});
  }
}

// Plain sums, in vectors that stay in registers: lanes in memory took 36 ns for a channel of 7 x 7, and 38 for 14 x 14; so they take 17 and 22.
template <class S>
S sum_block(const S* x, std::int64_t n) {
  using V = typename Vector<S>::type;
  using U = typename Vector<S>::unaligned;
  constexpr std::int64_t lanes = Vector<S>::lanes, vectors = row_lanes / lanes;
  V sums[vectors] = {};
  S rest{};
  std::int64_t i = 0;
  for (; i + row_lanes <= n; i += row_lanes)
#pragma GCC unroll 8
    for (std::int64_t k = 0; k < vectors; ++k) sums[k] += *reinterpret_cast<const U*>(x + i + k * lanes);
  for (; i + lanes <= n; i += lanes) sums[0] += *reinterpret_cast<const U*>(x + i);
  for (; i < n; ++i) rest += x[i];
#pragma GCC unroll 8
  for (std::int64_t k = 1; k < vectors; ++k) sums[0] += sums[k];
  return sum_of_lanes<S>(sums[0]) + rest;
}
template <class Rule, class S, class T>
inline constexpr bool sums_plainly = std::is_floating_point_v<S> && std::is_same_v<T, S> &&
                                     (std::is_same_v<Rule, detail::Rule<reducer::Sum>> || std::is_same_v<Rule, detail::Rule<reducer::Mean>>);

// The terms of at most row_block contiguous elements, joined.
template <class Rule, class S, class T>
S reduce_block(const T* x, std::int64_t n, [[maybe_unused]] S shift) {
  if constexpr (sums_plainly<Rule, S, std::remove_const_t<T>>) return sum_block<S>(x, n);
  S lanes[row_lanes];
  for (S& lane : lanes) lane = Rule::template initial<S>();
  std::int64_t i = 0;
  for (; i + row_lanes <= n; i += row_lanes)
    for (std::int64_t l = 0; l < row_lanes; ++l)
      lanes[l] = Rule::join(lanes[l], Rule::term(static_cast<S>(load(x[i + l])), shift));
  for (std::int64_t l = 0; i < n; ++i, ++l)
    lanes[l] = Rule::join(lanes[l], Rule::term(static_cast<S>(load(x[i])), shift));
  for (std::int64_t half = row_lanes / 2; half > 0; half /= 2)
    for (std::int64_t l = 0; l < half; ++l) lanes[l] = Rule::join(lanes[l], lanes[l + half]);
  return lanes[0];
}

// The terms of n elements `stride` apart, joined.
template <class Rule, class S, class T>
total_t<S> reduce_row(const T* x, std::int64_t n, std::int64_t stride, S shift = {}) {
  using W = total_t<S>;
  W total = Rule::template initial<W>();
  if (stride == 1 && n >= row_lanes) {
    for (std::int64_t i = 0; i < n; i += row_block)
      total = Rule::join(total, static_cast<W>(reduce_block<Rule>(x + i, std::min(row_block, n - i), shift)));
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      total = Rule::join(total, static_cast<W>(Rule::term(static_cast<S>(load(x[i * stride])), shift)));
  }
  return total;
}

inline constexpr std::int64_t column_tile = 256;

// Side by side, for at most column_tile columns whose elements lie `stride` apart: the terms at `positions`, a walk of
// rows, joined into totals.
template <class Rule, class S, class T, class Positions>
void reduce_columns(const T* x, std::int64_t columns, std::int64_t stride, const Positions& positions, const S* shift,
                    total_t<S>* totals) {
  using W = total_t<S>;
  S partial[column_tile];
  std::int64_t held = 0;
  std::fill_n(totals, columns, Rule::template initial<W>());
  std::fill_n(partial, columns, Rule::template initial<S>());
  const auto flush = [&] {
    for (std::int64_t j = 0; j < columns; ++j) {
      totals[j] = Rule::join(totals[j], static_cast<W>(partial[j]));
      partial[j] = Rule::template initial<S>();
    }
    held = 0;
  };
  positions.each([&](const auto& offsets) {
    const T* const row = x + offsets[0];
    const S* const held_now = partial;
    const auto joined = [=](std::int64_t j, S e) { return Rule::join(held_now[j], Rule::term(e, shift[j])); };
    if (stride == 1) {
      fill(partial, columns, [=](std::int64_t j) { return joined(j, static_cast<S>(load(row[j]))); });
    } else {
      fill(partial, columns, [=](std::int64_t j) { return joined(j, static_cast<S>(load(row[j * stride]))); });
    }
    if (++held == 64) flush();
  });
  if (held > 0) flush();
}

}  // namespace detail

}  // namespace loam
