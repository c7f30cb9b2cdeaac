// What references share: a tensor read one place at a time. Only tests include it.
#pragma once

#include <type_traits>
#include <vector>

#include "runtime/cpu.hpp"

namespace loam::reference {

// A double rounded to an element; the 16-bit floats round by way of float.
template <class T>
T narrow(double v) {
  if constexpr (std::is_constructible_v<T, float> && !std::is_arithmetic_v<T>) return T(static_cast<float>(v));
  else return static_cast<T>(v);
}

using Place = std::vector<std::int64_t>;

template <class T>
T& element(const View<T>& view, const Place& place) {
  std::int64_t offset = 0;
  for (int i = 0; i < view.rank(); ++i) offset += place[static_cast<std::size_t>(i)] * view.stride(i);
  return view.data[offset];
}

// Every place of a tensor, row-major.
inline std::vector<Place> places(const Dims& dims) {
  std::vector<Place> all;
  for (std::int64_t n = 0; n < dims.elements(); ++n) {
    Place place(static_cast<std::size_t>(dims.rank));
    std::int64_t rest = n;
    for (int i = dims.rank; i-- > 0;) {
      place[static_cast<std::size_t>(i)] = rest % dims.extent(i);
      rest /= dims.extent(i);
    }
    all.push_back(place);
  }
  return all;
}

}  // namespace loam::reference
