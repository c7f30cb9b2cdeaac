#pragma once

#include "ops/squared_distance/squared_distance.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

template <class T>
void squared_distance(const View<T>& out, const View<T>& x, const View<T>& points) {
  for (const Place& p : places(out.dims)) {
    double sum = 0;
    for (std::int64_t f = 0; f < x.extent(1); ++f) {
      const double d = static_cast<double>(element(x, {p[0], f})) - static_cast<double>(element(points, {f, p[1]}));
      sum += d * d;
    }
    element(out, p) = narrow<T>(sum);
  }
}

}  // namespace loam::reference
