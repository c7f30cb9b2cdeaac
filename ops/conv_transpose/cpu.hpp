#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/conv/bias.hpp"
#include "ops/conv/direct.hpp"
#include "ops/conv/geometry.hpp"
#include "ops/conv/lanes.hpp"
#include "ops/conv_transpose/conv_transpose.hpp"
#include "ops/matmul/tile.hpp"
#include "runtime/threads.hpp"
#include "runtime/widen.hpp"

namespace loam {

namespace detail {

// Outputs that lie alike within the stride, a phase, see the same elements of the window: output place o of phase
// r = (o + pad) % stride sees those whose place k * dilation is r too, modulo the stride, at the input places
// q - k * dilation / stride, q = (o + pad) / stride. So each phase is a convolution that the window moves over by one.
struct Phases {
  Three count, first, places;  // phases; the first output's q, and how many there are
  Three lead, length;          // places ahead of the first that are seen; all
  std::int64_t plane;          // elements of a padded channel

  Phases(const Geometry& g, std::int64_t line) {
    for (std::size_t i = 0; i < 3; ++i) {
      count[i] = g.stride[i];
      first[i] = g.pad[i] / g.stride[i];
      places[i] = (g.out[i] - 1 + g.pad[i]) / g.stride[i] - first[i] + 1;
      lead[i] = (g.kernel[i] - 1) * g.dilation[i] / g.stride[i];
      length[i] = places[i] + lead[i];
    }
    // Of an odd number of lines, so that the channels of a place lie in different sets of a cache.
    plane = ceil_div(length[0] * length[1] * length[2], line) / 2 * 2 * line + line;
  }
  std::int64_t all() const { return count[0] * count[1] * count[2]; }
};

template <class S, class TX>
void pad_channel(const Geometry& g, const Phases& p, const TX* x, S* to) {
  const std::int64_t left = p.lead[2] - p.first[2];
  const std::int64_t begin = std::clamp<std::int64_t>(left, 0, p.length[2]);
  const std::int64_t end = std::clamp<std::int64_t>(left + g.in[2], begin, p.length[2]);
  for (std::int64_t iz = 0; iz < p.length[0]; ++iz)
    for (std::int64_t iy = 0; iy < p.length[1]; ++iy, to += p.length[2]) {
      const std::int64_t z = iz + p.first[0] - p.lead[0], y = iy + p.first[1] - p.lead[1];
      if (!g.inside(0, z) || !g.inside(1, y)) {
        std::fill_n(to, p.length[2], S{0});
        continue;
      }
      std::fill_n(to, begin, S{0});
      const TX* const from = x + z * g.in_stride[0] + y * g.in_stride[1] + (begin - left) * g.in_stride[2];
      widen_strided(from, g.in_stride[2], end - begin, to + begin);
      std::fill_n(to + end, p.length[2] - end, S{0});
    }
}

// The window's elements of each phase: where they see the input, from a place's number on, and where they lie in w.
struct PhaseTaps {
  std::int64_t* starts;  // of each phase's, and the end of the last
  std::int64_t* seen;
  std::int64_t* weights;

  void fill(const Geometry& g, const Phases& p, std::int64_t channels, std::int64_t channel_step,
            const Three& steps) const {
    std::int64_t n = 0, phase = 0;
    for (std::int64_t rz = 0; rz < p.count[0]; ++rz)
      for (std::int64_t ry = 0; ry < p.count[1]; ++ry)
        for (std::int64_t rx = 0; rx < p.count[2]; ++rx) {
          starts[phase++] = n;
          for (std::int64_t c = 0; c < channels; ++c)
            for (std::int64_t kz = 0; kz < g.kernel[0]; ++kz)
              for (std::int64_t ky = 0; ky < g.kernel[1]; ++ky)
                for (std::int64_t kx = 0; kx < g.kernel[2]; ++kx) {
                  const Three reach{kz * g.dilation[0], ky * g.dilation[1], kx * g.dilation[2]}, s = g.stride;
                  if (reach[0] % s[0] != rz || reach[1] % s[1] != ry || reach[2] % s[2] != rx) continue;
                  const std::int64_t z = p.lead[0] - reach[0] / s[0], y = p.lead[1] - reach[1] / s[1];
                  seen[n] = c * p.plane + (z * p.length[1] + y) * p.length[2] + p.lead[2] - reach[2] / s[2];
                  weights[n++] = c * channel_step + at(steps, {kz, ky, kx});
                }
        }
    starts[phase] = n;
  }
};

// Writes `run` outputs of each of `phases` neighbouring phases of a row, those that lie in [0, width):
// row[place + j * stride + r] = held[r * step + j] + offset.
template <class S, class T>
void store_phases(const S* held, std::int64_t step, int phases, std::int64_t run, S offset, T* row, std::int64_t place,
                  std::int64_t stride, std::int64_t width) {
  using V = typename Vector<S>::type;
  using U = typename Vector<S>::unaligned;
  constexpr std::int64_t lanes = Vector<S>::lanes;
  std::int64_t done = 0;
  if constexpr (lies_as<S, T>())
    if (phases == 2 && stride == 2 && place >= 0)
      for (; done + lanes <= run && place + 2 * (done + lanes) <= width; done += lanes) {
        const V a = *reinterpret_cast<const U*>(held + done) + offset;
        const V b = *reinterpret_cast<const U*>(held + step + done) + offset;
        S* const to = reinterpret_cast<S*>(row + place + 2 * done);
        *reinterpret_cast<U*>(to) = interleaved<S, false>(a, b);
        *reinterpret_cast<U*>(to + lanes) = interleaved<S, true>(a, b);
      }
  for (int r = 0; r < phases; ++r) {
    const std::int64_t begin = std::max(done, ceil_div(-place - r, stride));
    const std::int64_t end = std::min(run, ceil_div(width - place - r, stride));
    for (std::int64_t j = begin; j < end; ++j)
      row[place + r + j * stride] = store<T>(static_cast<S>(held[r * step + j] + offset));
  }
}

}  // namespace detail

template <class T, class TX, class TW, class Bias>
void run(kernels::ConvTranspose, Cpu& cpu, const View<T>& out, const Window& window, std::int64_t groups,
         const View<TX>& x, const View<TW>& w, const Bias& bias) {
  using S = detail::sum_t<T>;
  if (out.elements() == 0) return;
  constexpr std::int64_t strip = detail::tile_columns<S>;
  const detail::Geometry g(window, x.dims, out.dims);
  const detail::Phases p(g, 64 / static_cast<std::int64_t>(sizeof(S)));
  const std::int64_t outputs = out.extent(1), per_group = w.extent(1), channels = x.extent(1) / groups;
  const std::int64_t depth = channels * g.kernel[0] * g.kernel[1] * g.kernel[2];

  // The input, a tile's width beyond its end; the weights, phase by phase; where they are.
  const std::int64_t padded = x.extent(1) * p.plane + strip;
  const std::int64_t aligned = ceil_div((padded + outputs * depth) * static_cast<std::int64_t>(sizeof(S)), 64) * 64;
  const std::int64_t entries = 2 * depth + p.all() + 1;
  std::byte* const room = cpu.scratch(aligned + entries * static_cast<std::int64_t>(sizeof(std::int64_t)));
  S* const input = reinterpret_cast<S*>(room);
  S* const weights = input + padded;
  std::int64_t* const seen = reinterpret_cast<std::int64_t*>(room + aligned);
  const detail::PhaseTaps taps{seen + 2 * depth, seen, seen + depth};
  taps.fill(g, p, channels, w.stride(0), detail::weight_strides(window, w.dims));
  std::fill_n(input + padded - strip, strip, S{0});
  // Of group and phase, a row for each output.
  const auto weights_at = [&](std::int64_t m, std::int64_t phase) {
    const std::int64_t start = taps.starts[phase], group = m / per_group;
    return weights + group * per_group * depth + per_group * start + m % per_group * (taps.starts[phase + 1] - start);
  };
  cpu.parallel(outputs, detail::grain_of(depth), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t m = begin; m < end; ++m) {
      const TW* const from = w.data + m / per_group * channels * w.stride(0) + m % per_group * w.stride(1);
      for (std::int64_t phase = 0; phase < p.all(); ++phase) {
        S* to = weights_at(m, phase);
        for (std::int64_t k = taps.starts[phase]; k < taps.starts[phase + 1]; ++k)
          *to++ = static_cast<S>(load(from[taps.weights[k]]));
      }
    }
  });

  const std::int64_t numbers = (p.places[1] - 1) * p.length[2] + p.places[2], strips = ceil_div(numbers, strip);
  const std::int64_t row_blocks = ceil_div(per_group, detail::tile_rows);
  const std::int64_t grain = detail::grain_of(detail::tile_rows * strip * depth / detail::products_an_element);
  for (std::int64_t n = 0; n < out.extent(0); ++n) {
    cpu.parallel(x.extent(1), detail::grain_of(p.plane), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t c = begin; c < end; ++c)
        detail::pad_channel(g, p, x.data + n * x.stride(0) + c * x.stride(1), input + c * p.plane);
    });
    // All outputs of a strip one after another: what they see stays in the first-level cache.
    const std::int64_t slices = p.places[0] * p.count[0];
    cpu.parallel(groups * slices * strips * row_blocks, grain, [&](std::int64_t begin, std::int64_t end) {
      alignas(64) S held[2 * detail::tile_rows * strip];
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t number = i / row_blocks % strips * strip, slice = i / (row_blocks * strips) % slices;
        const std::int64_t group = i / (row_blocks * strips * slices);
        const std::int64_t m = group * per_group + i % row_blocks * detail::tile_rows;
        const std::int64_t count = std::min<std::int64_t>(detail::tile_rows, (group + 1) * per_group - m);
        const std::int64_t oz = slice + p.first[0] * g.stride[0] - g.pad[0];
        if (oz < 0 || oz >= g.out[0]) continue;
        const S* const from =
            input + group * channels * p.plane + slice / p.count[0] * p.length[1] * p.length[2] + number;
        const int together = p.count[2] == 2 ? 2 : 1;
        for (std::int64_t ry = 0; ry < p.count[1]; ++ry)
          for (std::int64_t rx = 0; rx < p.count[2]; rx += together) {
            for (int r = 0; r < together; ++r) {
              const std::int64_t phase = (slice % p.count[0] * p.count[1] + ry) * p.count[2] + rx + r;
              const std::int64_t start = taps.starts[phase], length = taps.starts[phase + 1] - start;
              detail::with_rows(count, [&](auto rows) {
                detail::window_tile<rows>(length, detail::Rows<S>{weights_at(m, phase), length, 1}, from,
                                          taps.seen + start, held + r * detail::tile_rows * strip);
              });
            }
            for (std::int64_t at = number, end_of_strip = std::min(numbers, number + strip); at < end_of_strip;) {
              const std::int64_t column = at % p.length[2], run = std::min(end_of_strip - at, p.places[2] - column);
              const std::int64_t oy = (at / p.length[2] + p.first[1]) * g.stride[1] + ry - g.pad[1];
              if (run > 0 && oy >= 0 && oy < g.out[1])
                for (std::int64_t r = 0; r < count; ++r)
                  detail::store_phases(held + r * strip + (at - number), detail::tile_rows * strip, together, run,
                                       detail::bias_of<S>(bias, m + r),
                                       out.data + (n * outputs + m + r) * g.places() + (oz * g.out[1] + oy) * g.out[2],
                                       (column + p.first[2]) * g.stride[2] + rx - g.pad[2], g.stride[2], g.out[2]);
              at += p.length[2] - column;
            }
          }
      }
    });
  }
}

}  // namespace loam
