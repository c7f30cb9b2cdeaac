#pragma once

#include "ops/lookup/lookup.hpp"

namespace loam::reference {

// One element's value.
template <class T, class Key, std::size_t N>
T lookup(const std::array<Key, N>& keys, const std::array<T, N>& values, const T& otherwise, const Key& x) {
  for (std::size_t k = 0; k < N; ++k)
    if (keys[k] == x || (keys[k] != keys[k] && x != x)) return values[k];
  return otherwise;
}

}  // namespace loam::reference
