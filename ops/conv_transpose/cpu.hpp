#pragma once

#include <algorithm>

#include "ops/conv/bias.hpp"
#include "ops/conv/geometry.hpp"
#include "ops/conv_transpose/conv_transpose.hpp"
#include "ops/matmul/tile.hpp"
#include "runtime/threads.hpp"
#include "runtime/widen.hpp"

namespace loam {

namespace detail {

// The input place along an axis that element k of the window carries to output place o, or -1.
inline std::int64_t source(const Geometry& g, std::size_t axis, std::int64_t o, std::int64_t k) {
  const std::int64_t reach = o + g.pad[axis] - k * g.dilation[axis];
  if (reach < 0 || reach % g.stride[axis] != 0) return -1;
  const std::int64_t i = reach / g.stride[axis];
  return i < g.in[axis] ? i : -1;
}

}  // namespace detail

// A stretch of an output row at a time, so that each output is one sum in a fixed order.
template <class T, class TX, class TW, class Bias>
void run(kernels::ConvTranspose, Cpu& cpu, const View<T>& out, const Window& window, std::int64_t groups,
         const View<TX>& x, const View<TW>& w, const Bias& bias) {
  using S = detail::sum_t<T>;
  if (out.elements() == 0) return;
  constexpr std::int64_t stretch = 512;
  const detail::Geometry g(window, x.dims, out.dims);
  const detail::Three w_strides = detail::weight_strides(window, w.dims);
  const std::int64_t outputs = out.extent(1), per_group = w.extent(1), channels = x.extent(1) / groups;
  const std::int64_t stride = g.stride[2];

  // Adds what one input row carries to outputs [first, first + count) of an output row.
  const auto add_row = [&](S* sums, std::int64_t first, std::int64_t count, const TX* row, const TW* weights) {
    for (std::int64_t k = 0; k < g.kernel[2]; ++k) {
      const std::int64_t start = k * g.dilation[2] - g.pad[2];  // where input place 0 goes
      const std::int64_t begin = std::clamp<std::int64_t>(ceil_div(first - start, stride), 0, g.in[2]);
      const std::int64_t end = std::clamp<std::int64_t>(ceil_div(first + count - start, stride), begin, g.in[2]);
      if (begin == end) continue;
      const S weight = static_cast<S>(load(weights[k * w_strides[2]]));
      S* const to = sums + (start + begin * stride - first);
      const TX* const from = row + begin * g.in_stride[2];
      for (std::int64_t i = 0; i < end - begin; ++i)
        to[i * stride] += weight * static_cast<S>(load(from[i * g.in_stride[2]]));
    }
  };
  const std::int64_t products = g.places() * channels * g.kernel[0] * g.kernel[1] * g.kernel[2];
  cpu.parallel(out.extent(0) * outputs, detail::grain_of(products), [&](std::int64_t begin, std::int64_t end) {
    S sums[stretch];
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const std::int64_t m = plane % outputs, group = m / per_group;
      const TX* const from = x.data + plane / outputs * x.stride(0) + group * channels * x.stride(1);
      const TW* const weights = w.data + group * channels * w.stride(0) + m % per_group * w.stride(1);
      for (std::int64_t row = 0; row < g.rows(); ++row)
        for (std::int64_t first = 0; first < g.out[2]; first += stretch) {
          const std::int64_t count = std::min(stretch, g.out[2] - first);
          std::fill_n(sums, count, detail::bias_of<S>(bias, m));
          for (std::int64_t kz = 0; kz < g.kernel[0]; ++kz)
            for (std::int64_t ky = 0; ky < g.kernel[1]; ++ky) {
              const std::int64_t z = detail::source(g, 0, row / g.out[1], kz);
              const std::int64_t y = detail::source(g, 1, row % g.out[1], ky);
              if (z < 0 || y < 0) continue;
              for (std::int64_t c = 0; c < channels; ++c)
                add_row(sums, first, count, from + c * x.stride(1) + z * g.in_stride[0] + y * g.in_stride[1],
                        weights + c * w.stride(0) + kz * w_strides[0] + ky * w_strides[1]);
            }
          T* const to = out.data + plane * g.places() + row * g.out[2] + first;
          for (std::int64_t t = 0; t < count; ++t) to[t] = store<T>(sums[t]);
        }
    }
  });
}

}  // namespace loam
