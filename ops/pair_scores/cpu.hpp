#pragma once

#include "ops/pair_scores/pair_scores.hpp"
#include "runtime/strided.hpp"

namespace loam {

template <class T>
void run(kernels::PairScores, Cpu& cpu, const View<T>& out, const View<T>& values, const View<T>& coefficients,
         const View<std::int64_t>& starts, const View<T>& offsets) {
  const std::int64_t classes = starts.extent(0) - 1, pairs = out.extent(1), vectors = values.extent(1);
  const auto start = [&](std::int64_t c) { return starts.data[c * starts.stride(0)]; };
  cpu.parallel(out.extent(0), detail::grain_of(vectors * classes), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const T* const value = values.data + row * values.stride(0);
      // The part of the vectors of class `of`, by a row of the coefficients.
      const auto part = [&](std::int64_t of, std::int64_t by) {
        const T* const coefficient = coefficients.data + by * coefficients.stride(0);
        double sum = 0;
        for (std::int64_t v = start(of); v < start(of + 1); ++v)
          sum += static_cast<double>(load(coefficient[v * coefficients.stride(1)])) *
                 static_cast<double>(load(value[v * values.stride(1)]));
        return sum;
      };
      std::int64_t pair = 0;
      for (std::int64_t i = 0; i < classes; ++i)
        for (std::int64_t j = i + 1; j < classes; ++j, ++pair) {
          const auto offset = static_cast<double>(load(offsets.data[pair * offsets.stride(0)]));
          out.data[row * pairs + pair] = store<T>(static_cast<compute_t<T>>(part(i, j - 1) + part(j, i) + offset));
        }
    }
  });
}

}  // namespace loam
