#pragma once

#include "ops/pair_scores/pair_scores.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

template <class T>
void pair_scores(const View<T>& out, const View<T>& values, const View<T>& coefficients,
                 const View<std::int64_t>& starts, const View<T>& offsets) {
  for (const Place& p : places(out.dims)) {
    std::int64_t i = 0, j = 1;  // the pair of number p[1]
    for (std::int64_t pair = 0; pair < p[1]; ++pair)
      if (++j == starts.extent(0) - 1) j = ++i + 1;
    auto sum = static_cast<double>(element(offsets, {p[1]}));
    for (std::int64_t v = 0; v < values.extent(1); ++v) {
      const auto is_of = [&](std::int64_t c) { return v >= element(starts, {c}) && v < element(starts, {c + 1}); };
      const auto by = [&](std::int64_t row) { return static_cast<double>(element(coefficients, {row, v})); };
      sum += static_cast<double>(element(values, {p[0], v})) * (is_of(i) ? by(j - 1) : is_of(j) ? by(i) : 0);
    }
    element(out, p) = narrow<T>(sum);
  }
}

}  // namespace loam::reference
