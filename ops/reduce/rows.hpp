// The inner loops of reductions, which the norms and softmax share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/reduce/rules.hpp"
#include "runtime/loops.hpp"
#include "runtime/widen.hpp"

namespace loam {

namespace detail {

inline constexpr std::int64_t row_lanes = 32;    // independent partial results: two AVX-512 vectors of floats
inline constexpr std::int64_t row_block = 2048;  // 64 terms in each

// The terms of at most row_block contiguous elements, joined.
template <class Rule, class S, class T>
S reduce_block(const T* x, std::int64_t n, S shift) {
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
