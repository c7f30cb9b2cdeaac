// The elements of a value on any strides under other axes: what reshape is of one that is not dense.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/value.hpp"

namespace loam {

// The dims of the same elements under other extents, each axis of `from` kept or split; axes of one element come and go.
inline Dims split_axes(const Dims& from, std::span<const std::int64_t> extents) {
  Dims to(extents);
  to.offset = from.offset;
  int j = 0;
  for (int i = 0; i < from.rank; ++i) {
    if (from.extent(i) == 1) continue;
    int end = j;
    for (std::int64_t product = 1; end < to.rank && product != from.extent(i); ++end) product *= to.extent(end);
    std::int64_t stride = from.stride(i);
    for (int k = end; k-- > j; stride *= to.extent(k)) to.strides[static_cast<std::size_t>(k)] = stride;
    j = end;
  }
  return to;
}

// The call spells both axis lists, as reshape's does. The build has proved that axes are only split.
template <class From, class... To, class B, class T, class... Axes>
  requires same_axes<From, List<Axes...>>
Value<B, T, To...> regroup(const Value<B, T, Axes...>& x, const std::array<std::int64_t, sizeof...(To)>& extents) {
  Value<B, T, To...> y;
  y.storage = x.storage;
  y.dims = split_axes(x.dims, {extents.data(), extents.size()});
  return y;
}

}  // namespace loam
