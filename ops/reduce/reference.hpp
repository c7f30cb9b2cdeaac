#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "ops/reduce/reduce.hpp"
#include "runtime/cpu.hpp"

namespace loam::reference {

// Of elements as double, or as the integer they are (then sums wrap modulo 2^64, and so modulo the type's width).
template <class Reducer, class V>
V reduce_all(const std::vector<V>& x) {
  constexpr bool integer = std::is_integral_v<V>;
  using U = std::conditional_t<integer, std::uint64_t, double>;
  U sum = 0, square = 0, absolute = 0, product = 1;
  for (const V v : x) {
    sum += static_cast<U>(v);
    square += static_cast<U>(v) * static_cast<U>(v);
    absolute += static_cast<U>(v < V{0} ? -v : v);
    product *= static_cast<U>(v);
  }
  const auto n = static_cast<V>(x.size());
  if constexpr (std::is_same_v<Reducer, reducer::Sum>) return static_cast<V>(sum);
  else if constexpr (std::is_same_v<Reducer, reducer::Product>) return static_cast<V>(product);
  else if constexpr (std::is_same_v<Reducer, reducer::L1>) return static_cast<V>(absolute);
  else if constexpr (std::is_same_v<Reducer, reducer::SumSquare>) return static_cast<V>(square);
  else if constexpr (std::is_same_v<Reducer, reducer::Mean>) return integer && n == 0 ? V{0} : static_cast<V>(sum) / n;
  else if constexpr (std::is_same_v<Reducer, reducer::L2>)
    return static_cast<V>(std::sqrt(static_cast<double>(square)));
  else if constexpr (std::is_same_v<Reducer, reducer::LogSum>)
    return static_cast<V>(std::log(static_cast<double>(sum)));
  else if constexpr (std::is_same_v<Reducer, reducer::LogSumExp>) {
    double most = -std::numeric_limits<double>::infinity(), total = 0;
    for (const V v : x) most = std::max(most, static_cast<double>(v));
    if (std::isinf(most)) most = 0;
    for (const V v : x) total += std::exp(static_cast<double>(v) - most);
    return static_cast<V>(std::log(total) + most);
  } else {
    constexpr bool most = std::is_same_v<Reducer, reducer::Max>;
    using L = std::numeric_limits<V>;
    V found = most ? (integer ? L::lowest() : -L::infinity()) : (integer ? L::max() : L::infinity());
    for (const V v : x)
      if (v != v || (most ? v > found : v < found)) found = v == v || found == found ? v : found;
    return found;
  }
}

// `out` is dense, with a unit in place of each reduced axis.
template <class Reducer, class T, class TX>
void reduce(const View<T>& out, const View<TX>& x) {
  using V = std::conditional_t<std::is_integral_v<TX>, TX, double>;
  for (std::int64_t e = 0; e < out.elements(); ++e) {
    std::vector<V> elements;
    for (std::int64_t n = 0; n < x.elements(); ++n) {
      std::int64_t rest = n, from = 0, to = 0;
      for (int i = x.rank(); i-- > 0;) {
        const std::int64_t at = rest % x.extent(i);
        rest /= x.extent(i);
        from += at * x.stride(i);
        if (out.extent(i) != 1) to += at * out.stride(i);
      }
      if (to == e) elements.push_back(static_cast<V>(load(x.data[from])));
    }
    out.data[e] = static_cast<T>(reduce_all<Reducer>(elements));
  }
}

}  // namespace loam::reference
