#pragma once

#include <cmath>

#include "ops/layer_norm/layer_norm.hpp"
#include "runtime/cpu.hpp"

namespace loam::reference {

namespace detail {
template <class T>
double affine_element(const View<T>& view, const Dims& dims, std::int64_t place) {
  std::int64_t offset = 0;
  for (int i = dims.rank; i-- > 0;) {
    const int own = i - dims.rank + view.rank();
    if (own >= 0 && view.extent(own) != 1) offset += place % dims.extent(i) * view.stride(own);
    place /= dims.extent(i);
  }
  return static_cast<double>(load(view.data[offset]));
}
inline double affine_element(const None&, const Dims&, std::int64_t) { return 0; }

template <class T>
double element_at(const View<T>& x, std::int64_t place) { return affine_element(x, x.dims, place); }
}  // namespace detail

// `centred` for layer_norm; without it the mean is taken as 0, which is rms_norm.
template <class T, class TX, class TS, class Bias>
void normalize(bool centred, const View<T>& out, int axis, double epsilon, const View<TX>& x, const View<TS>& scale,
               const Bias& bias) {
  std::int64_t size = 1;
  for (int i = axis; i < x.rank(); ++i) size *= x.extent(i);
  for (std::int64_t e = 0; e < out.elements(); ++e) {
    const std::int64_t row = e / size * size;
    double mean = 0, variance = 0;
    for (std::int64_t i = 0; centred && i < size; ++i)
      mean += detail::element_at(x, row + i) / static_cast<double>(size);
    for (std::int64_t i = 0; i < size; ++i) {
      const double d = detail::element_at(x, row + i) - mean;
      variance += d * d / static_cast<double>(size);
    }
    out.data[e] = static_cast<T>((detail::element_at(x, e) - mean) / std::sqrt(variance + epsilon) *
                                     detail::affine_element(scale, x.dims, e) +
                                 detail::affine_element(bias, x.dims, e));
  }
}

}  // namespace loam::reference
