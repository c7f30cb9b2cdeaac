#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "ops/pool/pool.hpp"
#include "runtime/cpu.hpp"

namespace loam::reference {

// What a window sees: elements as double, where they stand in x as if it were dense, and how many of its places lie
// within the padding.
struct Seen {
  std::vector<double> elements;
  std::vector<std::int64_t> positions;
  std::int64_t places = 0;
};

template <class T, class TX>
Seen see(const View<T>& out, const Window& window, const std::array<std::int64_t, 3>& pads_end, bool column_major,
         const View<TX>& x, std::int64_t e) {
  std::array<std::int64_t, max_rank> o{};
  for (int i = out.rank(); i-- > 0; e /= out.extent(i)) o[static_cast<std::size_t>(i)] = e % out.extent(i);
  std::int64_t taps = 1;
  for (int i = 0; i < window.spatial; ++i) taps *= window.kernel[static_cast<std::size_t>(i)];
  Seen seen;
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    std::array<std::int64_t, 3> in{};
    std::int64_t k = tap, offset = o[0] * x.stride(0) + o[1] * x.stride(1);
    bool inside = true, padded = true;
    for (int i = window.spatial; i-- > 0;) {
      const auto s = static_cast<std::size_t>(i);
      in[s] = o[s + 2] * window.strides[s] - window.pads[s] + k % window.kernel[s] * window.dilations[s];
      k /= window.kernel[s];
      inside = inside && in[s] >= 0 && in[s] < x.extent(i + 2);
      padded = padded && in[s] >= -window.pads[s] && in[s] < x.extent(i + 2) + pads_end[s];
      offset += in[s] * x.stride(i + 2);
    }
    seen.places += padded;
    if (!inside) continue;
    std::int64_t position = 0, plane = 1;
    for (int n = 0; n < window.spatial; ++n) {
      const int i = column_major ? window.spatial - 1 - n : n;
      position = position * x.extent(i + 2) + in[static_cast<std::size_t>(i)];
      plane *= x.extent(i + 2);
    }
    seen.elements.push_back(static_cast<double>(load(x.data[offset])));
    seen.positions.push_back((o[0] * x.extent(1) + o[1]) * plane + position);
  }
  return seen;
}

template <class T, class TX>
void max_pool(const View<T>& out, const View<std::int64_t>& indices, const Window& window, bool column_major,
              const View<TX>& x) {
  for (std::int64_t e = 0; e < out.elements(); ++e) {
    const Seen seen = see(out, window, {}, column_major, x, e);
    double most = std::is_integral_v<TX> ? static_cast<double>(std::numeric_limits<TX>::lowest())
                                         : -std::numeric_limits<double>::infinity();
    indices.data[e] = -1;
    for (std::size_t i = 0; i < seen.elements.size(); ++i)
      if (i == 0 || seen.elements[i] > most || (std::isnan(seen.elements[i]) && !std::isnan(most))) {
        most = seen.elements[i];
        indices.data[e] = seen.positions[i];
      }
    out.data[e] = store<T>(static_cast<compute_t<T>>(most));
  }
}

template <class T, class TX>
void average_pool(const View<T>& out, const Window& window, bool count_include_pad,
                  const std::array<std::int64_t, 3>& pads_end, const View<TX>& x) {
  for (std::int64_t e = 0; e < out.elements(); ++e) {
    const Seen seen = see(out, window, pads_end, false, x, e);
    const auto n = count_include_pad ? static_cast<double>(seen.places) : static_cast<double>(seen.elements.size());
    double sum = 0;
    for (const double v : seen.elements) sum += v;
    out.data[e] = static_cast<T>(n == 0 ? 0 : sum / n);
  }
}

template <class T, class TX>
void lp_pool(const View<T>& out, const Window& window, int p, const View<TX>& x) {
  for (std::int64_t e = 0; e < out.elements(); ++e) {
    double sum = 0;
    for (const double v : see(out, window, {}, false, x, e).elements) sum += std::pow(std::abs(v), p);
    out.data[e] = static_cast<T>(std::pow(sum, 1.0 / p));
  }
}

}  // namespace loam::reference
