#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "ops/reduce/rows.hpp"
#include "ops/softmax/softmax.hpp"
#include "runtime/threads.hpp"
#include "runtime/walk.hpp"

namespace loam {

namespace detail {

// A row, or a column, of softmax's function given what was reduced from it: its greatest element, and of Softmax the
// reciprocal of the sum, of LogSoftmax its logarithm.
template <class Kind, class S>
constexpr S softmax_element(S x, S greatest, S of_sum) {
  if constexpr (std::is_same_v<Kind, Softmax>) return fn::exp(x - greatest) * of_sum;
  else return (x - greatest) - of_sum;
}
template <class Kind, class S>
S softmax_of_sum(double sum) {
  return static_cast<S>(std::is_same_v<Kind, Softmax> ? 1.0 / sum : std::log(sum));
}

template <class Kind, class T, class TX>
void softmax_row(T* out, const TX* x, std::int64_t n, std::int64_t stride) {
  using S = compute_t<T>;
  const S greatest = static_cast<S>(reduce_row<Rule<reducer::Max>, S>(x, n, stride));
  if constexpr (std::is_same_v<Kind, Hardmax>) {
    std::fill_n(out, n, store<T>(S{0}));
    std::int64_t i = 0;
    while (static_cast<S>(load(x[i * stride])) != greatest && greatest == greatest) ++i;
    if (greatest != greatest)
      while (!fn::is_nan(load(x[i * stride]))) ++i;
    out[i] = store<T>(S{1});
  } else if constexpr (std::is_same_v<Kind, Softmax> && std::is_same_v<T, S>) {
    // The exponentials are kept where the result will be, and computed once.
    if (stride == 1) {
      fill(out, n, [=](std::int64_t i) { return fn::exp(static_cast<S>(load(x[i])) - greatest); });
    } else {
      fill(out, n, [=](std::int64_t i) { return fn::exp(static_cast<S>(load(x[i * stride])) - greatest); });
    }
    const S scale = softmax_of_sum<Kind, S>(reduce_row<Rule<reducer::Sum>, S>(out, n, 1));
    fill(out, n, [=](std::int64_t i) { return out[i] * scale; });
  } else {
    const S of_sum = softmax_of_sum<Kind, S>(reduce_row<Rule<reducer::LogSumExp>, S>(x, n, stride, greatest));
    const auto element = [=](S e) { return store<T>(softmax_element<Kind>(e, greatest, of_sum)); };
    if (stride == 1) fill(out, n, [=](std::int64_t i) { return element(static_cast<S>(load(x[i]))); });
    else fill(out, n, [=](std::int64_t i) { return element(static_cast<S>(load(x[i * stride]))); });
  }
}

// At most column_tile columns side by side; out's elements of a row are contiguous, x's `step` apart.
template <class Kind, class T, class TX>
void softmax_columns(T* out, std::int64_t out_stride, const TX* x, std::int64_t x_stride, std::int64_t n,
                     std::int64_t columns, std::int64_t step) {
  using S = compute_t<T>;
  Walk<1> rows;
  rows.add(n, {x_stride});
  total_t<S> totals[column_tile];
  S greatest[column_tile] = {}, of_sum[column_tile];
  reduce_columns<Rule<reducer::Max>, S>(x, columns, step, rows, greatest, totals);
  for (std::int64_t j = 0; j < columns; ++j) greatest[j] = static_cast<S>(totals[j]);
  if constexpr (std::is_same_v<Kind, Hardmax>) {
    bool found[column_tile] = {};
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        const S e = static_cast<S>(load(x[i * x_stride + j * step]));
        const bool hit = !found[j] && (e == greatest[j] || e != e);
        out[i * out_stride + j] = store<T>(hit ? S{1} : S{0});
        found[j] = found[j] || hit;
      }
  } else {
    reduce_columns<Rule<reducer::LogSumExp>, S>(x, columns, step, rows, greatest, totals);
    for (std::int64_t j = 0; j < columns; ++j) of_sum[j] = softmax_of_sum<Kind, S>(totals[j]);
    for (std::int64_t i = 0; i < n; ++i) {
      const TX* const from = x + i * x_stride;
      const S *const most = greatest, *const sums = of_sum;
      const auto element = [=](std::int64_t j, S e) { return store<T>(softmax_element<Kind>(e, most[j], sums[j])); };
      T* const to = out + i * out_stride;
      if (step == 1) fill(to, columns, [=](std::int64_t j) { return element(j, static_cast<S>(load(from[j]))); });
      else fill(to, columns, [=](std::int64_t j) { return element(j, static_cast<S>(load(from[j * step]))); });
    }
  }
}

}  // namespace detail

template <class Kind, class T, class TX>
void run(kernels::Softmax<Kind>, Cpu& cpu, const View<T>& out, int axis, const View<TX>& x) {
  if (out.elements() == 0) return;
  Walk<2> outer;
  for (int i = 0; i < x.rank(); ++i)
    if (i != axis) outer.add(x.extent(i), {x.stride(i), out.stride(i)});
  const std::int64_t n = x.extent(axis), x_stride = x.stride(axis), out_stride = out.stride(axis);
  if (out_stride == 1) {
    cpu.parallel(outer.count(), detail::grain_of(4 * n), [&](std::int64_t begin, std::int64_t end) {
      outer.each(begin, end, [&](const auto& at) {
        detail::softmax_row<Kind>(out.data + at[1], x.data + at[0], n, x_stride);
      });
    });
    return;
  }
  // An axis after this one has more than one element, so the last of them is contiguous in out.
  Walk<2>::Offsets step;
  const std::int64_t columns = outer.split_inner(step);
  const std::int64_t tiles = (columns + detail::column_tile - 1) / detail::column_tile;
  cpu.parallel(outer.count() * tiles, detail::grain_of(4 * n * std::min(detail::column_tile, columns)), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto at = outer.offsets(i / tiles);
      const std::int64_t first = i % tiles * detail::column_tile;
      detail::softmax_columns<Kind>(out.data + at[1] + first, out_stride, x.data + at[0] + first * step[0], x_stride, n,
                                    std::min(detail::column_tile, columns - first), step[0]);
    }
  });
}

}  // namespace loam
