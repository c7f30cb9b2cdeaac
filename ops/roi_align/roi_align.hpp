// roi_align: a region of a feature map pooled to a fixed size, read between its elements (ONNX RoiAlign).
//
//   x [N, C, H, W], rois [region, 4] (x1, y1, x2, y2), batch_indices [region] -> out [region, C, rows, columns]
//
// A region is cut into rows x columns bins, each read at sampling_ratio x sampling_ratio places (0: as many as the bin
// has elements, rounded up), bilinearly; a place more than one element outside of the map reads 0. Their mean is taken,
// or with `maximum` the greatest of the four weighted elements of any place, as ONNX's reference defines it. half_pixel
// (ONNX's default) moves the region by half an element; output_half_pixel, without, makes a region at least 1 x 1. A
// batch index out of range fails.
#pragma once

#include "runtime/backend.hpp"
#include "runtime/relations.hpp"

namespace loam {

struct RoiAlign {
  bool maximum = false;
  bool half_pixel = true;
  std::int64_t sampling_ratio = 0;
  double spatial_scale = 1;
};

namespace kernels {
struct RoiAlign {};
}  // namespace kernels

template <class B, class T, class... Axes, class... AX, class TR, class Region, class Corner, class I, class RegionI>
  requires(sizeof...(Axes) == 4) && (sizeof...(AX) == 4) && axes_meet<List<Axes...>, 1, List<AX...>, 1> &&
          axes_meet<List<Axes...>, 0, List<Region>, 0> && axes_meet<List<Axes...>, 0, List<RegionI>, 0>
void roi_align(B& b, const Site& site, const Value<B, T, Axes...>& out, const RoiAlign& how,
               const Value<B, T, AX...>& x, const Value<B, TR, Region, Corner>& rois,
               const Value<B, I, RegionI>& batch_indices) {
  b.call(kernels::RoiAlign{}, site, out.operand(), how, x.operand(), rois.operand(), batch_indices.operand());
}

}  // namespace loam
