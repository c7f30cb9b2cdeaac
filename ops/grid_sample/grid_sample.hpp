// grid_sample: x read at places that a grid gives (ONNX GridSample, of one to three spatial axes).
//
//   x [N, C, d1, .., dk], grid [N, o1, .., ok, k] -> out [N, C, o1, .., ok]
//
// The grid's last axis holds a place, innermost spatial axis first, each coordinate in [-1, 1] over x's extent: from
// the middle of the first element to that of the last with align_corners, else from edge to edge. Nearest rounds half to
// even; linear reads two elements an axis, cubic four (Keys, a = -0.75). What lies outside reads 0 (Zeros), the
// nearest element (Border), or x mirrored at the ends of [-1, 1] (Reflection). Under Border and cubic each tap is moved to the
// border, not the place, as onnxruntime and PyTorch do (onnx's reference moves the place).
#pragma once

#include "runtime/relations.hpp"

namespace loam {

enum class GridMode { Nearest, Linear, Cubic };
enum class GridPadding { Zeros, Border, Reflection };

namespace kernels {
struct GridSample {};
}  // namespace kernels

template <class B, class T, class... Axes, class... AX, class G, class... AG>
  requires same_rank<List<Axes...>, List<AX...>> && same_rank<List<Axes...>, List<AG...>> &&
           same_leading_axes<2, List<Axes...>, List<AX...>> && same_leading_axes<1, List<Axes...>, List<AG...>> &&
           (sizeof...(Axes) >= 3 && sizeof...(Axes) <= 5)
void grid_sample(B& b, const Value<B, T, Axes...>& out, GridMode mode, GridPadding padding, bool align_corners,
                 const Value<B, T, AX...>& x, const Value<B, G, AG...>& grid) {
  b.call(kernels::GridSample{}, out.operand(), mode, padding, align_corners, x.operand(), grid.operand());
}

}  // namespace loam
