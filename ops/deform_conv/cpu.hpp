#pragma once

#include <cmath>

#include "ops/deform_conv/deform_conv.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

// The four elements around a place of one image plane and their weights, those outside left out.
template <class C>
struct DeformTaps {
  int count = 0;
  std::array<std::int64_t, 4> offsets;
  std::array<C, 4> weights;

  template <class T>
  DeformTaps(C y, C z, C scale, const View<T>& x) {
    const C height = static_cast<C>(x.extent(2)), width = static_cast<C>(x.extent(3));
    if (!(y > -1 && y < height && z > -1 && z < width)) return;  // and NaN
    const C y0 = std::floor(y), z0 = std::floor(z);
    for (int k = 0; k < 4; ++k) {
      const std::int64_t i = static_cast<std::int64_t>(y0) + k / 2, j = static_cast<std::int64_t>(z0) + k % 2;
      if (i < 0 || i >= x.extent(2) || j < 0 || j >= x.extent(3)) continue;
      offsets[at(count)] = i * x.stride(2) + j * x.stride(3);
      weights[at(count++)] = scale * (k / 2 ? y - y0 : 1 - (y - y0)) * (k % 2 ? z - z0 : 1 - (z - z0));
    }
  }
};

}  // namespace detail

// For each place of the output the patch of x that it reads is gathered once, then every filter is applied to it.
template <class T, class TW, class TO, class Bias, class Mask>
void run(kernels::DeformConv, Cpu& cpu, const View<T>& out, const DeformConv& how, const View<T>& x,
         const View<TW>& w, const View<TO>& offset, const Bias& bias, const Mask& mask) {
  using C = compute_t<T>;
  if (out.elements() == 0) return;
  const std::int64_t channels = x.extent(1), filters = out.extent(1), kh = w.extent(2), kw = w.extent(3);
  const std::int64_t taps = kh * kw, per_group = channels / how.group * taps, oh = out.extent(2), ow = out.extent(3);
  const std::int64_t per_offset_group = channels / how.offset_group;
  const std::int64_t places = out.extent(0) * oh * ow;
  const std::int64_t lanes = detail::lanes_of(places, channels * taps * 8 + filters * per_group);
  detail::Scratch scratch(cpu, detail::Scratch::bytes<C>(w.elements()) + detail::Scratch::bytes<C>(lanes * channels * taps));
  if (!scratch) return;
  C* const weights = scratch.take<C>(w.elements());  // [M, C / group * taps]
  C* const patches = scratch.take<C>(lanes * channels * taps);
  detail::copy_to(weights, w);

  const auto gather = [&](C* patch, std::int64_t n, std::int64_t i, std::int64_t j) {
    const TO* const moved = offset.data + n * offset.stride(0) + i * offset.stride(2) + j * offset.stride(3);
    for (std::int64_t g = 0; g < how.offset_group; ++g)
      for (std::int64_t k = 0; k < taps; ++k) {
        const std::int64_t t = g * taps + k;
        const C dy = static_cast<C>(load(moved[2 * t * offset.stride(1)]));
        const C dx = static_cast<C>(load(moved[(2 * t + 1) * offset.stride(1)]));
        C scale = 1;
        if constexpr (detail::present<Mask>)
          scale = static_cast<C>(load(mask.data[n * mask.stride(0) + t * mask.stride(1) + i * mask.stride(2) +
                                                j * mask.stride(3)]));
        const auto place = [&](std::size_t axis, std::int64_t output, std::int64_t tap) {
          return static_cast<C>(output * how.strides[axis] + tap * how.dilations[axis] - how.begins[axis]);
        };
        const detail::DeformTaps<C> read(place(0, i, k / kw) + dy, place(1, j, k % kw) + dx, scale, x);
        for (std::int64_t c = g * per_offset_group; c < (g + 1) * per_offset_group; ++c) {
          const T* const plane = x.data + n * x.stride(0) + c * x.stride(1);
          C sum = 0;
          for (std::size_t r = 0; r < detail::at(read.count); ++r)
            sum += read.weights[r] * load(plane[read.offsets[r]]);
          patch[c * taps + k] = sum;
        }
      }
  };
  const auto run_lane = [&](std::int64_t lane) {
    C* const patch = patches + lane * channels * taps;
    for (std::int64_t i = lane * places / lanes; i < (lane + 1) * places / lanes; ++i) {
      const std::int64_t n = i / (oh * ow), place = i % (oh * ow);
      gather(patch, n, place / ow, place % ow);
      for (std::int64_t m = 0; m < filters; ++m) {
        const C* const read = patch + m / (filters / how.group) * per_group;
        const C* const filter = weights + m * per_group;
        C sum = 0;
        if constexpr (detail::present<Bias>) sum = static_cast<C>(load(bias.data[m * bias.stride(0)]));
        for (std::int64_t k = 0; k < per_group; ++k) sum += filter[k] * read[k];
        out.data[(n * filters + m) * oh * ow + place] = store<T>(sum);
      }
    }
  };
  cpu.parallel(lanes, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t lane = begin; lane < end; ++lane) run_lane(lane);
  });
}

}  // namespace loam
