#pragma once

#include "ops/det/det.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

// Laplace's expansion along the first row.
inline double expand(const std::vector<std::vector<double>>& a) {
  if (a.empty()) return 1;
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    std::vector<std::vector<double>> minor(a.begin() + 1, a.end());
    for (auto& row : minor) row.erase(row.begin() + static_cast<std::ptrdiff_t>(j));
    sum += (j % 2 == 0 ? 1 : -1) * a[0][j] * expand(minor);
  }
  return sum;
}

template <class T>
void det(const View<T>& out, const View<T>& x) {
  const std::int64_t n = x.extent(out.rank());
  for (const Place& p : places(out.dims)) {
    std::vector<std::vector<double>> a;
    for (std::int64_t i = 0; i < n; ++i) {
      a.emplace_back();
      for (std::int64_t j = 0; j < n; ++j) {
        Place q = p;
        q.push_back(i), q.push_back(j);
        a.back().push_back(static_cast<double>(element(x, q)));
      }
    }
    element(out, p) = narrow<T>(expand(a));
  }
}

}  // namespace loam::reference
