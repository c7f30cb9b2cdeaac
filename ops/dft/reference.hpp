#pragma once

#include <cmath>
#include <complex>
#include <numbers>

#include "ops/dft/dft.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

template <class T>
void dft(const View<T>& out, std::size_t axis, std::int64_t length, bool inverse, bool onesided, const View<T>& x) {
  const auto last = static_cast<std::size_t>(out.rank()) - 1;
  for (const Place& p : places(out.dims)) {
    const auto term = [&](std::int64_t j) -> std::complex<double> {
      const bool mirrored = inverse && onesided && j > length / 2;
      Place q = p;
      q[axis] = mirrored ? length - j : j;
      if (q[axis] >= x.extent(static_cast<int>(axis))) return 0;
      q[last] = 0;
      const auto re = static_cast<double>(element(x, q));
      if (x.extent(static_cast<int>(last)) == 1) return re;
      q[last] = 1;
      const auto im = static_cast<double>(element(x, q));
      return {re, mirrored ? -im : im};
    };
    std::complex<double> sum = 0;
    for (std::int64_t j = 0; j < length; ++j) {
      const double turns = static_cast<double>(j * p[axis] % length) / static_cast<double>(length);
      sum += term(j) * std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * turns);
    }
    if (inverse) sum /= static_cast<double>(length);
    element(out, p) = narrow<T>(p[last] == 0 ? sum.real() : sum.imag());
  }
}

}  // namespace loam::reference
