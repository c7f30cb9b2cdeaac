#pragma once

#include <cmath>

#include "ops/max_roi_pool/max_roi_pool.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

template <class T, class TR>
void max_roi_pool(const View<T>& out, double spatial_scale, const View<T>& x, const View<TR>& rois) {
  for (const Place& p : places(out.dims)) {
    const auto corner = [&](std::int64_t k) {
      return std::round(static_cast<double>(element(rois, {p[0], k})) * spatial_scale);
    };
    // Whether element `at` of the map, from corner `low` to `high`, lies in bin `bin` of `bins`.
    const auto in_bin = [](std::int64_t at, double low, double high, std::int64_t bin, std::int64_t bins) {
      const double each = std::fmax(high - low + 1, 1) / static_cast<double>(bins);
      const double place = static_cast<double>(at) - low;
      return place >= std::floor(static_cast<double>(bin) * each) &&
             place < std::ceil(static_cast<double>(bin + 1) * each);
    };
    double greatest = -INFINITY;
    for (std::int64_t h = 0; h < x.extent(2); ++h)
      for (std::int64_t w = 0; w < x.extent(3); ++w) {
        const auto batch = static_cast<std::int64_t>(static_cast<double>(element(rois, {p[0], 0})));
        if (in_bin(h, corner(2), corner(4), p[2], out.extent(2)) &&
            in_bin(w, corner(1), corner(3), p[3], out.extent(3)))
          greatest = std::fmax(greatest, static_cast<double>(element(x, {batch, p[1], h, w})));
      }
    element(out, p) = narrow<T>(greatest == -INFINITY ? 0 : greatest);
  }
}

}  // namespace loam::reference
