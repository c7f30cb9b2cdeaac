#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "ops/softmax/softmax.hpp"
#include "runtime/cpu.hpp"

namespace loam::reference {

template <class Kind, class T, class TX>
void softmax(const View<T>& out, int axis, const View<TX>& x) {
  for (std::int64_t e = 0; e < out.elements(); ++e) {
    std::int64_t rest = e, base = 0, place = 0;
    for (int i = out.rank(); i-- > 0;) {
      const std::int64_t at = rest % out.extent(i);
      rest /= out.extent(i);
      if (i == axis) place = at;
      else base += at * x.stride(i);
    }
    const auto element = [&](std::int64_t i) { return static_cast<double>(load(x.data[base + i * x.stride(axis)])); };
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    std::int64_t first = 0;
    for (std::int64_t i = x.extent(axis); i-- > 0;)
      if (!(element(i) < most) && !(std::isnan(most) && !std::isnan(element(i)))) most = element(i), first = i;
    for (std::int64_t i = 0; i < x.extent(axis); ++i) sum += std::exp(element(i) - most);
    const double shifted = element(place) - most;
    if constexpr (std::is_same_v<Kind, Softmax>) out.data[e] = static_cast<T>(std::exp(shifted) / sum);
    else if constexpr (std::is_same_v<Kind, LogSoftmax>) out.data[e] = static_cast<T>(shifted - std::log(sum));
    else out.data[e] = static_cast<T>(place == first);
  }
}

}  // namespace loam::reference
