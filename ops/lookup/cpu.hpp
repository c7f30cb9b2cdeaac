#pragma once

#include <algorithm>

#include "ops/lookup/lookup.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

// The place of a key among ascending ones, or -1.
template <class Key, std::size_t N>
std::int64_t place_of_key(const std::array<Key, N>& keys, const Key& key) {
  const auto below = [](const Key& a, const Key& b) { return a < b || (a == a && b != b); };
  const auto found = std::lower_bound(keys.begin(), keys.end(), key, below);
  return found == keys.end() || below(key, *found) ? -1 : found - keys.begin();
}

}  // namespace detail

template <class T, class Key, std::size_t N>
void run(kernels::Lookup, Cpu&, const View<T>& out, const std::array<Key, N>& keys, const std::array<T, N>& values,
         const T& otherwise, const View<Key>& x) {
  detail::walk(
      [&](std::int64_t i, std::int64_t from) {
        const std::int64_t place = detail::place_of_key(keys, x.data[from]);
        out.data[i] = place < 0 ? otherwise : values[static_cast<std::size_t>(place)];
      },
      x.dims);
}

template <class T, class Key, std::size_t N>
void run(kernels::Lookup, Cpu& cpu, const Site& site, const View<T>& out, const std::array<Key, N>& keys,
         const std::array<T, N>& values, const View<Key>& x) {
  std::int64_t strange = -1, at = 0;  // the first element that is no key
  detail::walk(
      [&](std::int64_t i, std::int64_t from) {
        const std::int64_t place = detail::place_of_key(keys, x.data[from]);
        out.data[i] = place < 0 ? T{} : values[static_cast<std::size_t>(place)];
        if (place < 0 && strange < 0) strange = i, at = from;
      },
      x.dims);
  if (strange < 0) return;
  std::string text;
  if constexpr (std::is_same_v<Key, std::string_view>) text = '"' + std::string(x.data[at].substr(0, 64)) + '"';
  else text = std::to_string(x.data[at]);
  cpu.fail(site, "element " + detail::place_text(x.dims, strange) + " is " + text + ", which is none of the " +
                     std::to_string(N) + " keys");
}

}  // namespace loam
