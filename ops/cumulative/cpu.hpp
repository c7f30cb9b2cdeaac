#pragma once

#include "ops/cumulative/cumulative.hpp"
#include "runtime/functions.hpp"
#include "runtime/strided.hpp"

namespace loam {

template <class Kind, class T>
void run(kernels::Cumulative<Kind>, Cpu& cpu, const View<T>& out, int axis, bool exclusive, bool reverse,
         const View<T>& x) {
  if (out.elements() == 0) return;
  const std::int64_t length = out.extent(axis);
  const std::int64_t to_step = reverse ? -out.stride(axis) : out.stride(axis);
  const std::int64_t from_step = reverse ? -x.stride(axis) : x.stride(axis);
  const Dims to_lines = detail::without(out.dims, axis), from_lines = detail::without(x.dims, axis);
  const auto line = [&](std::int64_t, std::int64_t to_start, std::int64_t from_start) {
    T* const to = out.data + to_start - (reverse ? (length - 1) * to_step : 0);
    const T* const from = x.data + from_start - (reverse ? (length - 1) * from_step : 0);
    constexpr bool sum = std::is_same_v<Kind, CumSum>;
    auto total = static_cast<compute_t<T>>(sum ? 0 : 1);
    for (std::int64_t i = 0; i < length; ++i) {
      const auto term = load(from[i * from_step]);
      if (exclusive) to[i * to_step] = store<T>(total);
      total = sum ? fn::add(total, term) : fn::mul(total, term);
      if (!exclusive) to[i * to_step] = store<T>(total);
    }
  };
  cpu.parallel(to_lines.elements(), detail::grain_of(length), [&](std::int64_t begin, std::int64_t end) {
    detail::walk(begin, end, line, to_lines, from_lines);
  });
}

}  // namespace loam
