#pragma once

#include <algorithm>

#include "ops/lookup/lookup.hpp"
#include "runtime/strided.hpp"

namespace loam {

template <class T, class Key, std::size_t N>
void run(kernels::Lookup, Cpu&, const View<T>& out, const std::array<Key, N>& keys, const std::array<T, N>& values,
         const T& otherwise, const View<Key>& x) {
  const auto below = [](const Key& a, const Key& b) { return a < b || (a == a && b != b); };
  detail::walk(
      [&](std::int64_t i, std::int64_t from) {
        const Key& key = x.data[from];
        const auto found = std::lower_bound(keys.begin(), keys.end(), key, below);
        out.data[i] = found == keys.end() || below(key, *found)
                          ? otherwise
                          : values[static_cast<std::size_t>(found - keys.begin())];
      },
      x.dims);
}

}  // namespace loam
