// max_roi_pool: the greatest elements of a region of a feature map, by bins of whole elements (ONNX MaxRoiPool).
//
//   x [N, C, H, W], rois [region, 5] (batch, x1, y1, x2, y2) -> out [region, C, rows, columns]
//
// A corner is scaled and rounded, half away from zero; a region holds both its corners, and one element at least. Bin i
// of n over an extent e is its elements [floor(i e / n), ceil((i + 1) e / n)) as far as the map goes; 0 where none is
// left. onnxruntime's definition, since ONNX gives none. A batch out of range fails.
#pragma once

#include "runtime/backend.hpp"
#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct MaxRoiPool {};
}  // namespace kernels

template <class B, class T, class... Axes, class... AX, class TR, class Region, class Corner>
  requires(sizeof...(Axes) == 4) && (sizeof...(AX) == 4) && axes_meet<List<Axes...>, 1, List<AX...>, 1> &&
          axes_meet<List<Axes...>, 0, List<Region>, 0>
void max_roi_pool(B& b, const Site& site, const Value<B, T, Axes...>& out, double spatial_scale,
                  const Value<B, T, AX...>& x, const Value<B, TR, Region, Corner>& rois) {
  b.call(kernels::MaxRoiPool{}, site, out.operand(), spatial_scale, x.operand(), rois.operand());
}

}  // namespace loam
