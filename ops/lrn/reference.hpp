#pragma once

#include <cmath>

#include "ops/lrn/lrn.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

template <class T>
void lrn(const View<T>& out, std::int64_t size, double alpha, double beta, double bias, const View<T>& x) {
  const auto n = static_cast<double>(size);
  for (const Place& p : places(out.dims)) {
    double sum = 0;
    Place q = p;
    for (q[1] = 0; q[1] < x.extent(1); ++q[1]) {
      const auto d = static_cast<double>(q[1] - p[1]);
      const auto v = static_cast<double>(element(x, q));
      if (d >= -std::floor((n - 1) / 2) && d <= std::ceil((n - 1) / 2)) sum += v * v;
    }
    element(out, p) = narrow<T>(static_cast<double>(element(x, p)) / std::pow(bias + alpha / n * sum, beta));
  }
}

}  // namespace loam::reference
