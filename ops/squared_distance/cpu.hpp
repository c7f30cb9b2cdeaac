#pragma once

#include <array>

#include "ops/squared_distance/squared_distance.hpp"
#include "runtime/strided.hpp"

namespace loam {

template <class T>
void run(kernels::SquaredDistance, Cpu& cpu, const View<T>& out, const View<T>& x, const View<T>& points) {
  using C = compute_t<T>;
  constexpr std::int64_t block = 64;  // points whose sums are kept at hand
  const std::int64_t features = x.extent(1), count = out.extent(1), step = points.stride(1);
  const std::int64_t blocks = (count + block - 1) / block;
  cpu.parallel(out.extent(0) * blocks, detail::grain_of(features * block), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t row = item / blocks, first = item % blocks * block, n = std::min(block, count - first);
      std::array<C, block> sums{};
      const auto add = [&](const T* from, C feature, auto apart) {
        for (std::int64_t k = 0; k < n; ++k) {
          const C d = feature - load(from[k * apart]);
          sums[static_cast<std::size_t>(k)] += d * d;
        }
      };
      for (std::int64_t f = 0; f < features; ++f) {
        const C feature = load(x.data[row * x.stride(0) + f * x.stride(1)]);
        const T* const from = points.data + f * points.stride(0) + first * step;
        if (step == 1) add(from, feature, std::integral_constant<std::int64_t, 1>{});
        else add(from, feature, step);
      }
      for (std::int64_t k = 0; k < n; ++k)
        out.data[row * count + first + k] = store<T>(sums[static_cast<std::size_t>(k)]);
    }
  });
}

}  // namespace loam
