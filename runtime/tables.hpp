// Moving elements by a table per axis: out[i, j, ..] = x[table0[i], table1[j], ..], what Pad and nearest Resize are.
#pragma once

#include <limits>

#include "runtime/strided.hpp"

namespace loam {

namespace detail {

// An entry for a coordinate that no element of x stands at.
inline constexpr std::int64_t outside = std::numeric_limits<std::int64_t>::min();

// tables[axis][coordinate] is an offset in x, or `outside`, which gives `otherwise`. out is dense.
template <class T>
void gather_by_tables(Cpu& cpu, const View<T>& out, const T* x,
                      const std::array<const std::int64_t*, max_rank>& tables, T otherwise) {
  if (out.elements() == 0) return;
  if (out.rank() == 0) {
    out.data[0] = x[0];
    return;
  }
  const int inner = out.rank() - 1;
  const std::int64_t length = out.extent(inner);
  const std::int64_t* const table = tables[at(inner)];
  bool all_inside = true;
  for (std::int64_t i = 0; i < length; ++i) all_inside = all_inside && table[i] != outside;
  const auto row = [&](std::int64_t index) {
    T* const to = out.data + index * length;
    std::int64_t base = 0;
    for (int axis = inner - 1; axis >= 0; --axis) {
      const std::int64_t offset = tables[at(axis)][index % out.extent(axis)];
      if (offset == outside) {
        std::fill_n(to, length, otherwise);
        return;
      }
      base += offset;
      index /= out.extent(axis);
    }
    const T* const from = x + base;
    if (all_inside) {
      for (std::int64_t i = 0; i < length; ++i) to[i] = from[table[i]];
    } else {
      for (std::int64_t i = 0; i < length; ++i) to[i] = table[i] == outside ? otherwise : from[table[i]];
    }
  };
  cpu.parallel(out.elements() / length, grain_of(length), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) row(i);
  });
}

}  // namespace detail

}  // namespace loam
