#pragma once

#include <algorithm>
#include <cmath>

#include "ops/grid_sample/grid_sample.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

// Mirrored at either end until it is within.
inline double grid_mirror(double v, double low, double high) {
  if (low == high) return low;
  while (v < low || v > high) v = v < low ? 2 * low - v : 2 * high - v;
  return v;
}

inline double grid_weight(GridMode mode, double d) {
  d = std::abs(d);
  if (mode != GridMode::Cubic) return d < 1 ? 1 - d : 0;
  if (d <= 1) return 1.25 * d * d * d - 2.25 * d * d + 1;
  return d < 2 ? -0.75 * d * d * d + 3.75 * d * d - 6 * d + 3 : 0;
}

template <class T, class G>
void grid_sample(const View<T>& out, GridMode mode, GridPadding padding, bool align_corners, const View<T>& x,
                 const View<G>& grid) {
  const auto axes = static_cast<std::size_t>(out.rank()) - 2;
  for (const Place& p : places(out.dims)) {
    std::vector<double> at(axes);
    for (std::size_t a = 0; a < axes; ++a) {
      Place g{p[0]};
      g.insert(g.end(), p.begin() + 2, p.end());
      g.push_back(static_cast<std::int64_t>(axes - 1 - a));
      const auto n = static_cast<double>(element(grid, g));
      const auto size = static_cast<double>(x.extent(static_cast<int>(a) + 2));
      const double low = align_corners ? 0 : -0.5, high = align_corners ? size - 1 : size - 0.5;
      at[a] = low + (n + 1) / 2 * (high - low);
      if (mode == GridMode::Nearest) at[a] = std::nearbyint(at[a]);
      if (padding == GridPadding::Reflection) at[a] = grid_mirror(at[a], low, high);
    }
    double sum = 0;
    // Every tap within reach of the place, those outside of x read as the padding says.
    Dims reach;
    reach.rank = static_cast<int>(axes);
    for (std::size_t a = 0; a < axes; ++a) reach.extents[a] = 6;
    for (Place tap : places(reach)) {
      double w = 1;
      bool outside = false;
      Place from{p[0], p[1]};
      for (std::size_t a = 0; a < axes; ++a) {
        const double size = static_cast<double>(x.extent(static_cast<int>(a) + 2));
        double i = std::floor(at[a]) - 2 + static_cast<double>(tap[a]);
        w *= mode == GridMode::Nearest ? (i == at[a]) : grid_weight(mode, i - at[a]);
        if (i < 0 || i >= size) {
          outside = true;
          if (padding == GridPadding::Reflection)
            i = std::trunc(grid_mirror(i, align_corners ? 0 : -0.5, align_corners ? size - 1 : size - 0.5));
          i = std::clamp(i, 0.0, size - 1);
        }
        from.push_back(static_cast<std::int64_t>(i));
      }
      if (w != 0 && !(outside && padding == GridPadding::Zeros)) sum += w * static_cast<double>(element(x, from));
    }
    element(out, p) = narrow<T>(sum);
  }
}

}  // namespace loam::reference
