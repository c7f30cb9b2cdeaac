#pragma once

#include <cmath>
#include <utility>

#include "ops/couple_pairs/couple_pairs.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

// The least place itself: (Q p)(i) is one number b for all i, and p sums to 1, which are linear equations of p and b.
template <class T>
void couple_pairs(const View<T>& out, const View<T>& x) {
  const std::int64_t classes = out.extent(1);
  const auto n = static_cast<std::size_t>(classes);
  for (std::int64_t row = 0; row < out.extent(0); ++row) {
    std::vector<std::vector<double>> r(n, std::vector<double>(n, 0)), m(n + 1, std::vector<double>(n + 2, 0));
    std::int64_t pair = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) {
        r[i][j] = static_cast<double>(element(x, {row, pair++}));
        r[j][i] = 1 - r[i][j];
      }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        m[i][i] += r[j][i] * r[j][i];
        if (j != i) m[i][j] = -r[j][i] * r[i][j];
      }
      m[i][n] = -1;
      m[n][i] = 1;
    }
    m[n][n + 1] = 1;
    for (std::size_t k = 0; k <= n; ++k) {  // Gauss and Jordan, by the greatest pivot
      for (std::size_t i = k + 1; i <= n; ++i)
        if (std::abs(m[i][k]) > std::abs(m[k][k])) std::swap(m[i], m[k]);
      for (std::size_t i = 0; i <= n; ++i) {
        if (i == k) continue;
        const double by = m[i][k] / m[k][k];
        for (std::size_t j = k; j < n + 2; ++j) m[i][j] -= by * m[k][j];
      }
    }
    for (std::size_t i = 0; i < n; ++i)
      element(out, {row, static_cast<std::int64_t>(i)}) = narrow<T>(m[i][n + 1] / m[i][i]);
  }
}

}  // namespace loam::reference
