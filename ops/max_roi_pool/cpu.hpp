#pragma once

#include <cmath>
#include <limits>

#include "ops/max_roi_pool/max_roi_pool.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

// The elements that a bin holds of one axis of the map.
struct RoiBin {
  std::int64_t first, last;  // last + 1

  template <class C>
  RoiBin(C begin, C end, C scale, std::int64_t bin, std::int64_t bins, std::int64_t extent) {
    // A corner this far out holds nothing of any map, and integers of its size do not overflow.
    constexpr C far = static_cast<C>(1 << 30);
    const auto corner = [&](C c) {
      const C scaled = std::round(c * scale);
      return scaled == scaled ? static_cast<std::int64_t>(std::clamp(scaled, -far, far)) : std::int64_t{0};
    };
    const std::int64_t start = corner(begin), size = std::max<std::int64_t>(corner(end) - start + 1, 1);
    const auto edge = [&](std::int64_t place) { return std::clamp(place + start, std::int64_t{0}, extent); };
    first = edge(bin * size / bins);
    last = edge(((bin + 1) * size + bins - 1) / bins);
  }
};

}  // namespace detail

template <class T, class TR>
void run(kernels::MaxRoiPool, Cpu& cpu, const Site& site, const View<T>& out, double spatial_scale, const View<T>& x,
         const View<TR>& rois) {
  using C = compute_t<TR>;
  detail::fill_elements(out, store<T>(compute_t<T>{}));
  const std::int64_t channels = out.extent(1), rows = out.extent(2), columns = out.extent(3);
  if (out.elements() == 0) return;
  const auto number = [&](std::int64_t region, std::int64_t k) {
    return load(rois.data[region * rois.stride(0) + k * rois.stride(1)]);
  };
  for (std::int64_t region = 0; region < out.extent(0); ++region) {
    const C batch = number(region, 0);
    if (!(batch >= 0 && batch < static_cast<C>(x.extent(0))))
      return cpu.fail(site, "region " + std::to_string(region) + " is of batch " +
                                std::to_string(static_cast<double>(batch)) + ", and there are " +
                                std::to_string(x.extent(0)));
  }
  const C scale = static_cast<C>(spatial_scale);
  cpu.parallel(out.elements(), 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t column = i % columns, row = i / columns % rows, c = i / (columns * rows) % channels;
      const std::int64_t region = i / (columns * rows * channels);
      const detail::RoiBin across(number(region, 1), number(region, 3), scale, column, columns, x.extent(3));
      const detail::RoiBin down(number(region, 2), number(region, 4), scale, row, rows, x.extent(2));
      if (across.first >= across.last || down.first >= down.last) continue;
      const T* const map = x.data + static_cast<std::int64_t>(number(region, 0)) * x.stride(0) + c * x.stride(1);
      auto greatest = -std::numeric_limits<compute_t<T>>::infinity();
      for (std::int64_t h = down.first; h < down.last; ++h)
        for (std::int64_t w = across.first; w < across.last; ++w)
          greatest = std::max(greatest, load(map[h * x.stride(2) + w * x.stride(3)]));
      out.data[i] = store<T>(greatest);
    }
  });
}

}  // namespace loam
