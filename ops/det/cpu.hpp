#pragma once

#include <cmath>

#include "ops/det/det.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

// Of the n x n matrix at a, which is overwritten.
inline double determinant(double* a, std::int64_t n) {
  double product = 1;
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      product = -product;
    }
    const double head = a[k * n + k];
    product *= head;
    if (head == 0) return 0;
    for (std::int64_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / head;
      for (std::int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return product;
}

}  // namespace detail

template <class T>
void run(kernels::Det, Cpu& cpu, const View<T>& out, const View<T>& x) {
  const std::int64_t n = x.extent(out.rank());
  detail::Scratch scratch(cpu, detail::Scratch::bytes<double>(n * n));
  if (!scratch) return;
  double* const a = scratch.take<double>(n * n);
  View<T> matrix = x;
  matrix.dims = detail::trailing(x.dims, 2);
  detail::walk(
      [&](std::int64_t, std::int64_t to, std::int64_t from) {
        matrix.data = x.data + from;
        detail::copy_to(a, matrix);
        out.data[to] = store<T>(static_cast<compute_t<T>>(detail::determinant(a, n)));
      },
      out.dims, detail::leading(x.dims, out.rank()));
}

}  // namespace loam
