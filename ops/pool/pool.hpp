// Pools: a window's greatest element, mean or norm over one to three spatial axes (ONNX MaxPool, AveragePool, LpPool).
// x [N, C, spatial..], out [N, C, out..]; out's extents say how far the window moves. What a window sees beyond the
// input's ends is left out, except that average_pool may count it.
//
//   max_pool          NaN where the window holds one (onnxruntime's answer depends on where the NaN stands); where the
//                     window sees no element, the least value of the type
//   max_pool_indices  also where the greatest (the first, or the first NaN) stands in x as if x were dense, row-major,
//                     or with `column_major` the spatial axes in reverse; -1 where the window sees no element
//   average_pool      over the elements seen, or with `count_include_pad` over the places up to pads before and
//                     `pads_end` after the input: a last window that ceil_mode let hang over is divided by what lies
//                     within the padding. Of no places 0
//   lp_pool           (sum |x|^p)^(1/p)
#pragma once

#include <array>
#include <cstdint>

#include "runtime/value.hpp"
#include "runtime/window.hpp"

namespace loam {

namespace kernels {
struct MaxPool {};
struct MaxPoolIndices {};
struct AveragePool {};
struct LpPool {};
}  // namespace kernels

namespace detail {
template <class Out, class X>
constexpr bool pools_into() {
  if constexpr (Out::size < 3 || Out::size > 5 || X::size != Out::size) return false;
  else
    return std::is_same_v<typename At<0, Out>::type, typename At<0, X>::type> &&
           std::is_same_v<typename At<1, Out>::type, typename At<1, X>::type>;
}
}  // namespace detail

// Out and X share their first two axes; the spatial ones are windowed.
template <class Out, class X>
concept pools = detail::pools_into<Out, X>();

template <class B, class T, class... Axes, class TX, class... AX>
  requires pools<List<Axes...>, List<AX...>>
void max_pool(B& b, const Value<B, T, Axes...>& out, const Window& window, const Value<B, TX, AX...>& x) {
  b.call(kernels::MaxPool{}, out.operand(), window, x.operand());
}

template <class B, class T, class... Axes, class TX, class... AX>
  requires pools<List<Axes...>, List<AX...>>
void max_pool_indices(B& b, const Value<B, T, Axes...>& out, const Value<B, std::int64_t, Axes...>& indices,
                      const Window& window, bool column_major, const Value<B, TX, AX...>& x) {
  b.call(kernels::MaxPoolIndices{}, out.operand(), indices.operand(), window, column_major, x.operand());
}

template <class B, class T, class... Axes, class TX, class... AX>
  requires pools<List<Axes...>, List<AX...>>
void average_pool(B& b, const Value<B, T, Axes...>& out, const Window& window, bool count_include_pad,
                  const std::array<std::int64_t, 3>& pads_end, const Value<B, TX, AX...>& x) {
  b.call(kernels::AveragePool{}, out.operand(), window, count_include_pad, pads_end, x.operand());
}

template <class B, class T, class... Axes, class TX, class... AX>
  requires pools<List<Axes...>, List<AX...>>
void lp_pool(B& b, const Value<B, T, Axes...>& out, const Window& window, int p, const Value<B, TX, AX...>& x) {
  b.call(kernels::LpPool{}, out.operand(), window, p, x.operand());
}

}  // namespace loam
