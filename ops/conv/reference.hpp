#pragma once

#include <type_traits>

#include "ops/conv/conv.hpp"
#include "runtime/cpu.hpp"

namespace loam::reference {

template <class T>
double bias_at(const View<T>& bias, std::int64_t m) { return static_cast<double>(load(bias.data[m * bias.stride(0)])); }
inline double bias_at(const None&, std::int64_t) { return 0; }

// Integers small enough that double is exact.
template <class T, class TX, class TW, class Bias>
void conv(const View<T>& out, const Window& window, std::int64_t groups, const View<TX>& x, const View<TW>& w,
          const Bias& bias) {
  std::int64_t taps = 1;
  for (int i = 0; i < window.spatial; ++i) taps *= window.kernel[static_cast<std::size_t>(i)];
  for (std::int64_t e = 0; e < out.elements(); ++e) {
    std::array<std::int64_t, max_rank> o{};
    std::int64_t rest = e;
    for (int i = out.rank(); i-- > 0;) {
      o[static_cast<std::size_t>(i)] = rest % out.extent(i);
      rest /= out.extent(i);
    }
    const std::int64_t group = o[1] / (out.extent(1) / groups);
    double sum = bias_at(bias, o[1]);
    for (std::int64_t c = 0; c < w.extent(1); ++c)
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        std::int64_t from_x = o[0] * x.stride(0) + (group * w.extent(1) + c) * x.stride(1);
        std::int64_t from_w = o[1] * w.stride(0) + c * w.stride(1), k = tap;
        bool inside = true;
        for (int i = window.spatial; i-- > 0;) {
          const auto s = static_cast<std::size_t>(i);
          const std::int64_t place = k % window.kernel[s];
          const std::int64_t in = o[s + 2] * window.strides[s] - window.pads[s] + place * window.dilations[s];
          k /= window.kernel[s];
          inside = inside && in >= 0 && in < x.extent(i + 2);
          from_x += in * x.stride(i + 2);
          from_w += place * w.stride(i + 2);
        }
        if (inside) sum += static_cast<double>(load(x.data[from_x])) * static_cast<double>(load(w.data[from_w]));
      }
    out.data[e] = static_cast<T>(sum);
  }
}

}  // namespace loam::reference
