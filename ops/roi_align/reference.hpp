#pragma once

#include <cmath>

#include "ops/roi_align/roi_align.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

template <class T, class I>
void roi_align(const View<T>& out, const RoiAlign& how, const View<T>& x, const View<T>& rois, const View<I>& batches) {
  const auto height = static_cast<double>(x.extent(2)), width = static_cast<double>(x.extent(3));
  for (const Place& p : places(out.dims)) {
    const auto corner = [&](std::int64_t k) {
      return static_cast<double>(element(rois, {p[0], k})) * how.spatial_scale - (how.half_pixel ? 0.5 : 0);
    };
    double w = corner(2) - corner(0), h = corner(3) - corner(1);
    if (!how.half_pixel) w = std::fmax(w, 1), h = std::fmax(h, 1);
    w /= static_cast<double>(out.extent(3)), h /= static_cast<double>(out.extent(2));
    const auto ratio = static_cast<double>(how.sampling_ratio);
    const double nx = ratio > 0 ? ratio : std::ceil(w), ny = ratio > 0 ? ratio : std::ceil(h);
    double sum = 0, greatest = -INFINITY;
    for (double iy = 0; iy < ny; ++iy)
      for (double ix = 0; ix < nx; ++ix) {
        double y = corner(1) + static_cast<double>(p[2]) * h + (iy + 0.5) * h / ny;
        double z = corner(0) + static_cast<double>(p[3]) * w + (ix + 0.5) * w / nx;
        const bool outside = y < -1 || y > height || z < -1 || z > width;
        y = std::fmin(std::fmax(y, 0), height - 1), z = std::fmin(std::fmax(z, 0), width - 1);
        for (double dy = 0; dy < 2; ++dy)
          for (double dz = 0; dz < 2; ++dz) {
            const double ey = std::fmin(std::floor(y) + dy, height - 1), ez = std::fmin(std::floor(z) + dz, width - 1);
            const double wy = dy == 0 ? 1 - (y - std::floor(y)) : y - std::floor(y);
            const double wz = dz == 0 ? 1 - (z - std::floor(z)) : z - std::floor(z);
            const auto batch = static_cast<std::int64_t>(element(batches, {p[0]}));
            const Place at{batch, p[1], static_cast<std::int64_t>(ey), static_cast<std::int64_t>(ez)};
            const double v = outside ? 0 : wy * wz * static_cast<double>(element(x, at));
            sum += v, greatest = std::fmax(greatest, v);
          }
      }
    element(out, p) = narrow<T>(nx * ny == 0 ? 0 : how.maximum ? greatest : sum / (nx * ny));
  }
}

}  // namespace loam::reference
