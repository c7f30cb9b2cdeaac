#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "ops/reduce/reduce.hpp"
#include "ops/reduce/rows.hpp"
#include "runtime/convert.hpp"
#include "runtime/threads.hpp"
#include "runtime/walk.hpp"

namespace loam {

namespace detail {

// x's axes, those walked by the greatest steps first, so that the innermost loops run along memory. The order of the
// terms of one output follows from x's strides alone.
inline std::array<int, max_rank> by_stride(const Dims& dims) {
  std::array<int, max_rank> order{};
  const auto weight = [&](int axis) {  // a repeated axis is best outermost
    const std::int64_t s = std::abs(dims.stride(axis));
    return s == 0 ? std::numeric_limits<std::int64_t>::max() : s;
  };
  for (int i = 0; i < dims.rank; ++i) {
    auto to = static_cast<std::size_t>(i);
    for (; to > 0 && weight(order[to - 1]) < weight(i); --to) order[to] = order[to - 1];
    order[to] = i;
  }
  return order;
}

// What LogSumExp subtracts, of a greatest element: nothing where that is infinite, so that no infinities cancel.
template <class S>
S finite_shift(S greatest) { return std::isinf(greatest) ? S{0} : greatest; }

template <class Reducer, class T, class TX>
void reduce_axes(Cpu& cpu, const View<T>& out, const View<TX>& x, unsigned reduced_axes) {
  using R = Rule<Reducer>;
  using S = typename R::template Terms<compute_t<TX>>;
  using W = total_t<S>;
  if (out.elements() == 0) return;

  const bool units = out.rank() == x.rank();
  std::array<std::int64_t, max_rank> out_stride{};
  for (int i = 0, o = 0; i < x.rank(); ++i) {
    const bool gone = reduced_axes >> i & 1u;
    if (!gone) out_stride[static_cast<std::size_t>(i)] = out.stride(o);
    o += units || !gone;
  }
  Walk<2> kept;
  Walk<1> reduced;
  const auto order = by_stride(x.dims);
  for (int n = 0; n < x.rank(); ++n) {
    const int i = order[static_cast<std::size_t>(n)];
    if (reduced_axes >> i & 1u) reduced.add(x.extent(i), {x.stride(i)});
    else kept.add(x.extent(i), {x.stride(i), out_stride[static_cast<std::size_t>(i)]});
  }
  const std::int64_t terms = reduced.count();
  const auto put = [&](std::int64_t offset, W total, W shift) {
    out.data[offset] = store<T>(convert<compute_t<T>>(R::finish(total, terms, shift)));
  };

  const auto last = [](const auto& walk) { return std::abs(walk.strides(walk.rank() - 1)[0]); };
  if (kept.rank() == 0 || (reduced.rank() > 0 && terms > 0 && last(reduced) < last(kept))) {
    Walk<1>::Offsets step;
    const std::int64_t length = reduced.split_inner(step);
    cpu.parallel(kept.count(), grain_of(terms), [&](std::int64_t begin, std::int64_t end) {
      kept.each(begin, end, [&](const auto& place) {
        const auto total = [&]<class Part>(Part, S shift) {
          W sum = Part::template initial<W>();
          reduced.each([&](const auto& row) {
            sum = Part::join(sum, reduce_row<Part, S>(x.data + place[0] + row[0], length, step[0], shift));
          });
          return sum;
        };
        S shift{};
        if constexpr (R::shifted) shift = finite_shift(static_cast<S>(total(Rule<reducer::Max>{}, S{})));
        put(place[1], total(R{}, shift), static_cast<W>(shift));
      });
    });
    return;
  }
  Walk<2>::Offsets step;
  const std::int64_t columns = kept.split_inner(step), tiles = (columns + column_tile - 1) / column_tile;
  cpu.parallel(kept.count() * tiles, grain_of(terms * std::min(column_tile, columns)), [&](std::int64_t begin, std::int64_t end) {
    W totals[column_tile];
    S shift[column_tile] = {};
    for (std::int64_t i = begin; i < end; ++i) {
      const auto place = kept.offsets(i / tiles);
      const std::int64_t first = i % tiles * column_tile, count = std::min(column_tile, columns - first);
      const TX* const from = x.data + place[0] + first * step[0];
      if constexpr (R::shifted) {
        reduce_columns<Rule<reducer::Max>, S>(from, count, step[0], reduced, shift, totals);
        for (std::int64_t j = 0; j < count; ++j) shift[j] = finite_shift(static_cast<S>(totals[j]));
      }
      reduce_columns<R, S>(from, count, step[0], reduced, shift, totals);
      for (std::int64_t j = 0; j < count; ++j)
        put(place[1] + (first + j) * step[1], totals[j], static_cast<W>(shift[j]));
    }
  });
}

}  // namespace detail

template <class Reducer, int... Axes, class T, class TX>
void run(kernels::Reduce<Reducer, Over<Axes...>>, Cpu& cpu, const View<T>& out, const View<TX>& x) {
  detail::reduce_axes<Reducer>(cpu, out, x, (0u | ... | (1u << Axes)));
}

template <class Reducer, class T, class TX>
void run(kernels::ReduceChosen<Reducer>, Cpu& cpu, const View<T>& out, std::int64_t axes, const View<TX>& x) {
  detail::reduce_axes<Reducer>(cpu, out, x, static_cast<unsigned>(axes));
}

}  // namespace loam
