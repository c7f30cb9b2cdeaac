#pragma once

#include <cmath>

#include "ops/lrn/lrn.hpp"
#include "runtime/strided.hpp"

namespace loam {

template <class T>
void run(kernels::Lrn, Cpu& cpu, const View<T>& out, std::int64_t size, double alpha, double beta, double bias,
         const View<T>& x) {
  if (out.elements() == 0 || size < 1) return;
  using C = compute_t<T>;
  const std::int64_t channels = out.extent(1), inner = out.stride(1), step = x.stride(1);
  const C scale = static_cast<C>(alpha / static_cast<double>(size)), power = static_cast<C>(beta);
  cpu.parallel(out.elements(), detail::grain_of(size), [&](std::int64_t begin, std::int64_t end) {
    detail::walk(
        begin, end,
        [&](std::int64_t i, std::int64_t to, std::int64_t from) {
          const std::int64_t c = i / inner % channels;
          const std::int64_t first = std::max<std::int64_t>(0, c - (size - 1) / 2);
          const std::int64_t last = std::min(channels - 1, c + size / 2);
          C sum = 0;
          for (std::int64_t k = first; k <= last; ++k) {
            const C v = load(x.data[from + (k - c) * step]);
            sum += v * v;
          }
          out.data[to] = store<T>(load(x.data[from]) / std::pow(static_cast<C>(bias) + scale * sum, power));
        },
        out.dims, x.dims);
  });
}

}  // namespace loam
