// Windows over planes of three spatial axes, the leading ones of one element where there are fewer.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/cpu.hpp"
#include "runtime/dims.hpp"
#include "runtime/extents.hpp"
#include "runtime/window.hpp"

namespace loam {

namespace detail {

using Three = std::array<std::int64_t, 3>;

struct Geometry {
  Three in{1, 1, 1}, in_stride{}, out{1, 1, 1};
  Three kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1}, pad{};

  // x and out carry the spatial axes from axis 2 on.
  Geometry(const Window& w, const Dims& x, const Dims& to) {
    for (int i = 0; i < w.spatial; ++i) {
      const auto own = static_cast<std::size_t>(i), at = static_cast<std::size_t>(3 - w.spatial + i);
      in[at] = x.extent(2 + i);
      in_stride[at] = x.stride(2 + i);
      out[at] = to.extent(2 + i);
      kernel[at] = w.kernel[own];
      stride[at] = w.strides[own];
      dilation[at] = w.dilations[own];
      pad[at] = w.pads[own];
    }
  }
  std::int64_t places() const { return out[0] * out[1] * out[2]; }
  std::int64_t rows() const { return out[0] * out[1]; }
  // The input place that output place o's element k looks at, which may lie in the padding.
  std::int64_t place(std::size_t axis, std::int64_t o, std::int64_t k) const {
    return o * stride[axis] - pad[axis] + k * dilation[axis];
  }
  // The window's element of a number, the last axis running fastest.
  Three tap(std::int64_t number) const {
    return {number / (kernel[1] * kernel[2]), number / kernel[2] % kernel[1], number % kernel[2]};
  }
  bool inside(std::size_t axis, std::int64_t i) const { return i >= 0 && i < in[axis]; }
};

// Whether the window is of one element that neither moves by more than one nor looks beyond the input.
inline bool is_plain(const Geometry& g) {
  bool plain = true;
  for (std::size_t i = 0; i < 3; ++i)
    plain = plain && g.kernel[i] == 1 && g.stride[i] == 1 && g.pad[i] == 0 && g.in[i] == g.out[i];
  return plain;
}

// Neighbouring spatial axes that the window neither strides over nor looks beyond, and that lie as one in memory, are
// one axis: a 1 x 1 convolution is then a plain product.
inline void join_plain_axes(Geometry& g) {
  const auto plain = [&](std::size_t i) {
    return g.kernel[i] == 1 && g.stride[i] == 1 && g.pad[i] == 0 && g.in[i] == g.out[i];
  };
  for (std::size_t i = 0; i < 2; ++i)
    if (plain(i) && plain(i + 1) && (g.in[i] == 1 || g.in_stride[i] == g.in[i + 1] * g.in_stride[i + 1])) {
      g.in[i + 1] *= g.in[i];
      g.out[i + 1] *= g.out[i];
      g.in[i] = g.out[i] = 1;
      g.in_stride[i] = 0;
    }
}

// For places first, first + 1, .. of an output row, what one element of the window sees: for t in [begin, end) an
// element of the input at offset + (t - begin) * step, and for the other t padding.
struct Tap {
  std::int64_t begin, end, offset, step;
  Three in;  // the input place at t = begin, whose last coordinate grows by the window's stride
};

// Steps of `stride` that cover `distance`; most strides are 1, and a division would cost more than the rest of a tap.
inline std::int64_t steps_over(std::int64_t distance, std::int64_t stride) {
  return stride == 1 ? distance : ceil_div(distance, stride);
}

// Of `count` places along the last axis, the first at `x` and the window's stride apart: those in [begin, end) lie inside.
struct Inside {
  std::int64_t begin, end;
};
inline Inside inside_of(const Geometry& g, std::int64_t x, std::int64_t count) {
  const std::int64_t begin = std::clamp<std::int64_t>(steps_over(-x, g.stride[2]), 0, count);
  return {begin, std::clamp<std::int64_t>(steps_over(g.in[2] - x, g.stride[2]), begin, count)};
}

inline Tap tap_of(const Geometry& g, const Three& kernel, std::int64_t oz, std::int64_t oy, std::int64_t first,
                  std::int64_t count) {
  const std::int64_t z = g.place(0, oz, kernel[0]), y = g.place(1, oy, kernel[1]), x = g.place(2, first, kernel[2]);
  if (!g.inside(0, z) || !g.inside(1, y)) return {0, 0, 0, 0, {}};
  const auto [begin, end] = inside_of(g, x, count);
  const std::int64_t start = x + begin * g.stride[2];
  return {begin, end, z * g.in_stride[0] + y * g.in_stride[1] + start * g.in_stride[2], g.stride[2] * g.in_stride[2],
          {z, y, start}};
}

// Calls f(kernel place, tap) for each element of the window that sees any of `count` places of an output row.
template <class F>
void each_tap(const Geometry& g, std::int64_t oz, std::int64_t oy, std::int64_t first, std::int64_t count, F&& f) {
  for (std::int64_t kz = 0; kz < g.kernel[0]; ++kz)
    for (std::int64_t ky = 0; ky < g.kernel[1]; ++ky)
      for (std::int64_t kx = 0; kx < g.kernel[2]; ++kx) {
        const Tap tap = tap_of(g, {kz, ky, kx}, oz, oy, first, count);
        if (tap.begin < tap.end) f(Three{kz, ky, kx}, tap);
      }
}

// The strides of a weight's three spatial axes, which follow its first two.
inline Three weight_strides(const Window& window, const Dims& w) {
  Three strides{};
  for (int i = 0; i < window.spatial; ++i) strides[static_cast<std::size_t>(3 - window.spatial + i)] = w.stride(2 + i);
  return strides;
}
inline std::int64_t at(const Three& strides, const Three& place) {
  return strides[0] * place[0] + strides[1] * place[1] + strides[2] * place[2];
}

// The element past the last one that x holds; x itself where its strides do not all go forward.
template <class T>
const T* end_of(const View<T>& x) {
  std::int64_t last = 0;
  for (int i = 0; i < x.rank(); ++i) {
    if (x.stride(i) < 0) return x.data;
    last += (x.extent(i) - 1) * x.stride(i);
  }
  return x.data + last + 1;
}

}  // namespace detail

}  // namespace loam
