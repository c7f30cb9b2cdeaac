// Indices that may be out of range: found before anything is read, and read as zeros.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "runtime/convert.hpp"
#include "runtime/cpu.hpp"
#include "runtime/walk.hpp"
#include "runtime/widen.hpp"

namespace loam {

namespace detail {

// The place an index names among `extent`, or -1 where there is none. An unsigned one, into which an operator that counts
// from 0 alone casts its indices, does not count from the end.
template <class TI>
constexpr std::int64_t place_of(TI index, std::int64_t extent) {
  const std::int64_t i = static_cast<std::int64_t>(index);
  if (i < (std::is_unsigned_v<TI> ? 0 : -extent) || i >= extent) return -1;
  return i < 0 ? i + extent : i;
}

template <class T>
Walk<1> walk_of(const View<T>& view) {
  Walk<1> walk;
  for (int i = 0; i < view.rank(); ++i) walk.add(view.extent(i), {view.stride(i)});
  return walk;
}

// Reports the first index out of range, if there is one.
template <class TI>
void check_indices(Cpu& cpu, const Site& site, const View<TI>& indices, int axis, std::int64_t extent) {
  std::int64_t position = 0, bad = -1, value = 0;
  walk_of(indices).each([&](const auto& at) {
    const TI index = indices.data[at[0]];
    if (bad < 0 && place_of(index, extent) < 0) bad = position, value = static_cast<std::int64_t>(index);
    ++position;
  });
  if (bad >= 0)
    cpu.fail(site, "position " + std::to_string(bad) + " holds index " + std::to_string(value) + ", and axis " +
                       std::to_string(axis) + " has " + std::to_string(extent) + " elements");
}

// to[i] = from[i * stride] as another stored type.
template <class T, class TX>
void copy_row(T* to, const TX* from, std::int64_t n, std::int64_t stride) {
  if constexpr (std::is_same_v<T, TX>) {
    if (stride == 1) {
      std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
      return;
    }
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
  } else if constexpr (std::is_same_v<T, compute_t<T>>) {
    if (stride == 1) return widen(from, n, to);
    for (std::int64_t i = 0; i < n; ++i) to[i] = store<T>(load(from[i * stride]));
  } else {
    for (std::int64_t i = 0; i < n; ++i) to[i] = store<T>(load(from[i * stride]));
  }
}

}  // namespace detail

}  // namespace loam
