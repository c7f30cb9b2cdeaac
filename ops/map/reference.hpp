#pragma once

#include <array>
#include <vector>

#include "ops/map/map.hpp"
#include "runtime/cpu.hpp"

namespace loam::reference {

// The element of `view` at the output coordinates given, aligned at the last axis.
template <class T>
compute_t<T> broadcast_element(const View<T>& view, const std::vector<std::int64_t>& at) {
  std::int64_t offset = 0;
  const std::size_t lead = at.size() - static_cast<std::size_t>(view.rank());
  for (int i = 0; i < view.rank(); ++i)
    if (view.extent(i) != 1) offset += at[lead + static_cast<std::size_t>(i)] * view.stride(i);
  return load(view.data[offset]);
}
inline std::int64_t broadcast_element(const Coordinate& c, const std::vector<std::int64_t>& at) {
  return at[static_cast<std::size_t>(c.axis)];
}
template <class T>
T broadcast_element(const Scalar<T>& s, const std::vector<std::int64_t>&) { return s.value; }

template <class Expression, class T, class... In>
void map(const View<T>& out, const In&... in) {
  std::vector<std::int64_t> at(static_cast<std::size_t>(out.rank()));
  for (std::int64_t n = 0; n < out.elements(); ++n) {
    std::int64_t rest = n, offset = 0;
    for (int i = out.rank(); i-- > 0;) {
      at[static_cast<std::size_t>(i)] = rest % out.extent(i);
      rest /= out.extent(i);
      offset += at[static_cast<std::size_t>(i)] * out.stride(i);
    }
    out.data[offset] = store<T>(Expression{}(broadcast_element(in, at)...));
  }
}

}  // namespace loam::reference
