#pragma once

#include <vector>

#include "ops/conv/reference.hpp"
#include "ops/conv_transpose/conv_transpose.hpp"
#include "runtime/cpu.hpp"

namespace loam::reference {

// Each input element scattered into the output, in double.
template <class T, class TX, class TW, class Bias>
void conv_transpose(const View<T>& out, const Window& window, std::int64_t groups, const View<TX>& x, const View<TW>& w,
                    const Bias& bias) {
  std::vector<double> sums(static_cast<std::size_t>(out.elements()));
  std::int64_t taps = 1, places = 1;
  for (int i = 2; i < out.rank(); ++i) places *= out.extent(i);
  for (int i = 0; i < window.spatial; ++i) taps *= window.kernel[static_cast<std::size_t>(i)];
  for (std::size_t e = 0; e < sums.size(); ++e)
    sums[e] = bias_at(bias, static_cast<std::int64_t>(e) / places % out.extent(1));
  for (std::int64_t e = 0; e < x.elements(); ++e) {
    std::array<std::int64_t, max_rank> at{};
    std::int64_t rest = e, from = 0;
    for (int i = x.rank(); i-- > 0;) {
      at[static_cast<std::size_t>(i)] = rest % x.extent(i);
      rest /= x.extent(i);
      from += at[static_cast<std::size_t>(i)] * x.stride(i);
    }
    const std::int64_t group = at[1] / (x.extent(1) / groups);
    for (std::int64_t m = 0; m < w.extent(1); ++m)
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        std::int64_t to = 0, from_w = at[1] * w.stride(0) + m * w.stride(1), k = tap, step = 1;
        bool inside = true;
        for (int i = window.spatial; i-- > 0;) {
          const auto s = static_cast<std::size_t>(i);
          const std::int64_t place = k % window.kernel[s];
          k /= window.kernel[s];
          const std::int64_t o = at[s + 2] * window.strides[s] - window.pads[s] + place * window.dilations[s];
          inside = inside && o >= 0 && o < out.extent(i + 2);
          to += o * step;
          step *= out.extent(i + 2);
          from_w += place * w.stride(i + 2);
        }
        if (!inside) continue;
        const std::int64_t plane = at[0] * out.extent(1) + group * w.extent(1) + m;
        sums[static_cast<std::size_t>(plane * places + to)] +=
            static_cast<double>(load(x.data[from])) * static_cast<double>(load(w.data[from_w]));
      }
  }
  for (std::size_t e = 0; e < sums.size(); ++e) out.data[e] = static_cast<T>(sums[e]);
}

}  // namespace loam::reference
