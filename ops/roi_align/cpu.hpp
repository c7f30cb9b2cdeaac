#pragma once

#include <cmath>
#include <limits>

#include "ops/roi_align/roi_align.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

// One axis of a place: the elements on either side of it and their weights; no weight where it lies outside.
template <class C>
struct RoiTap {
  std::int64_t low = 0, high = 0;
  C low_weight = 0, high_weight = 0;

  RoiTap(C place, std::int64_t extent) {
    if (!(place >= -1 && place <= static_cast<C>(extent)) || extent == 0) return;
    place = std::max(place, C{0});
    low = std::min(static_cast<std::int64_t>(place), extent - 1);
    high = std::min(low + 1, extent - 1);
    high_weight = high == low ? C{0} : place - static_cast<C>(low);
    low_weight = 1 - high_weight;
  }
};

// One axis of a region: where its bins start and how densely they are read.
template <class C>
struct RoiAxis {
  C start, bin;
  std::int64_t samples;

  RoiAxis(const RoiAlign& how, C begin, C end, std::int64_t bins) {
    const C offset = how.half_pixel ? static_cast<C>(0.5) : C{0}, scale = static_cast<C>(how.spatial_scale);
    start = begin * scale - offset;
    C size = end * scale - offset - start;
    if (!how.half_pixel) size = std::max(size, C{1});
    bin = size / static_cast<C>(bins);
    samples = how.sampling_ratio;
    if (samples > 0) return;
    // A region that is no region has no place; one far larger than any map is read at a bounded number.
    samples = bin > 0 ? static_cast<std::int64_t>(std::ceil(std::min(bin, static_cast<C>(1 << 16)))) : 0;
  }
  C place(std::int64_t bin_index, std::int64_t sample) const {
    return start + static_cast<C>(bin_index) * bin +
           (static_cast<C>(sample) + static_cast<C>(0.5)) * bin / static_cast<C>(samples);
  }
};

}  // namespace detail

template <class T, class TR, class I>
void run(kernels::RoiAlign, Cpu& cpu, const Site& site, const View<T>& out, const RoiAlign& how, const View<T>& x,
         const View<TR>& rois, const View<I>& batch_indices) {
  using C = std::common_type_t<compute_t<T>, compute_t<TR>>;
  detail::fill_elements(out, store<T>(compute_t<T>{}));
  const std::int64_t channels = out.extent(1), rows = out.extent(2), columns = out.extent(3);
  if (out.elements() == 0) return;
  for (std::int64_t region = 0; region < out.extent(0); ++region) {
    const auto batch = static_cast<std::int64_t>(batch_indices.data[region * batch_indices.stride(0)]);
    if (batch < 0 || batch >= x.extent(0))
      return cpu.fail(site, "region " + std::to_string(region) + " is of batch " + std::to_string(batch) +
                                ", and there are " + std::to_string(x.extent(0)));
  }
  cpu.parallel(out.elements(), 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t column = i % columns, row = i / columns % rows, c = i / (columns * rows) % channels;
      const std::int64_t region = i / (columns * rows * channels);
      const auto corner = [&](std::int64_t k) {
        return static_cast<C>(load(rois.data[region * rois.stride(0) + k * rois.stride(1)]));
      };
      const detail::RoiAxis<C> across(how, corner(0), corner(2), columns), down(how, corner(1), corner(3), rows);
      const auto batch = static_cast<std::int64_t>(batch_indices.data[region * batch_indices.stride(0)]);
      const T* const map = x.data + batch * x.stride(0) + c * x.stride(1);
      C sum = 0, greatest = -std::numeric_limits<C>::infinity();
      for (std::int64_t sy = 0; sy < down.samples; ++sy) {
        const detail::RoiTap<C> y(down.place(row, sy), x.extent(2));
        for (std::int64_t sx = 0; sx < across.samples; ++sx) {
          const detail::RoiTap<C> z(across.place(column, sx), x.extent(3));
          C read[4] = {0, 0, 0, 0};
          if (y.low_weight + y.high_weight > 0 && z.low_weight + z.high_weight > 0) {
            const auto at = [&](std::int64_t h, std::int64_t w) {
              return static_cast<C>(load(map[h * x.stride(2) + w * x.stride(3)]));
            };
            read[0] = y.low_weight * z.low_weight * at(y.low, z.low);
            read[1] = y.low_weight * z.high_weight * at(y.low, z.high);
            read[2] = y.high_weight * z.low_weight * at(y.high, z.low);
            read[3] = y.high_weight * z.high_weight * at(y.high, z.high);
          }
          for (const C v : read) sum += v, greatest = std::max(greatest, v);
        }
      }
      const std::int64_t samples = down.samples * across.samples;
      if (samples == 0) continue;
      out.data[i] = store<T>(static_cast<compute_t<T>>(how.maximum ? greatest : sum / static_cast<C>(samples)));
    }
  });
}

}  // namespace loam
