#pragma once

#include <cmath>

#include "ops/deform_conv/deform_conv.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

// bias and mask given.
template <class T>
void deform_conv(const View<T>& out, const DeformConv& how, const View<T>& x, const View<T>& w, const View<T>& offset,
                 const View<T>& bias, const View<T>& mask) {
  const auto get = [](const View<T>& v, const Place& p) { return static_cast<double>(element(v, p)); };
  const std::int64_t per_group = w.extent(1), filters = w.extent(0) / how.group;
  const std::int64_t per_offset_group = x.extent(1) / how.offset_group;
  for (const Place& p : places(out.dims)) {
    double sum = get(bias, {p[1]});
    for (std::int64_t k = 0; k < per_group; ++k)
      for (std::int64_t r = 0; r < w.extent(2); ++r)
        for (std::int64_t s = 0; s < w.extent(3); ++s) {
          const std::int64_t c = p[1] / filters * per_group + k;
          const std::int64_t tap = (c / per_offset_group * w.extent(2) + r) * w.extent(3) + s;
          const double y = static_cast<double>(p[2] * how.strides[0] + r * how.dilations[0] - how.begins[0]) +
                           get(offset, {p[0], 2 * tap, p[2], p[3]});
          const double z = static_cast<double>(p[3] * how.strides[1] + s * how.dilations[1] - how.begins[1]) +
                           get(offset, {p[0], 2 * tap + 1, p[2], p[3]});
          double read = 0;  // every element within one of the place
          for (std::int64_t i = 0; i < x.extent(2); ++i)
            for (std::int64_t j = 0; j < x.extent(3); ++j) {
              const double wy = 1 - std::abs(y - static_cast<double>(i)), wz = 1 - std::abs(z - static_cast<double>(j));
              if (wy > 0 && wz > 0) read += wy * wz * get(x, {p[0], c, i, j});
            }
          sum += get(w, {p[1], k, r, s}) * get(mask, {p[0], tap, p[2], p[3]}) * read;
        }
    element(out, p) = narrow<T>(sum);
  }
}

}  // namespace loam::reference
