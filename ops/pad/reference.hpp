#pragma once

#include "ops/pad/pad.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

// One step back into [low, high), until it is there.
inline std::int64_t step_back(pad_mode::Edge, std::int64_t i, std::int64_t low, std::int64_t high) {
  return i < low ? low : high - 1;
}
inline std::int64_t step_back(pad_mode::Wrap, std::int64_t i, std::int64_t low, std::int64_t high) {
  return i < low ? i + (high - low) : i - (high - low);
}
inline std::int64_t step_back(pad_mode::Reflect, std::int64_t i, std::int64_t low, std::int64_t high) {
  if (high - low == 1) return low;
  return i < low ? low + (low - i) : (high - 1) - (i - (high - 1));
}

template <class Mode, class T, std::size_t N>
void pad(const View<T>& out, Mode, const std::array<std::int64_t, N>& begins, const View<T>& x) {
  for (const Place& p : places(out.dims)) {
    Place from = p;
    for (std::size_t a = 0; a < N; ++a) {
      const int axis = static_cast<int>(a);
      const std::int64_t end = out.extent(axis) - x.extent(axis) - begins[a];
      const std::int64_t low = begins[a] < 0 ? -begins[a] : 0, high = x.extent(axis) + (end < 0 ? end : 0);
      from[a] -= begins[a];
      while (from[a] < low || from[a] >= high) from[a] = step_back(Mode{}, from[a], low, high);
    }
    element(out, p) = element(x, from);
  }
}

}  // namespace loam::reference
