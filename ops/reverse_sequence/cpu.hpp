#pragma once

#include "ops/reverse_sequence/reverse_sequence.hpp"
#include "runtime/strided.hpp"

namespace loam {

template <class T, class I>
void run(kernels::ReverseSequence, Cpu& cpu, const Site& site, const View<T>& out, int time_axis, int batch_axis,
         const View<T>& x, const View<I>& lens) {
  if (out.elements() == 0) return;
  const std::int64_t times = out.extent(time_axis), step = x.stride(time_axis);
  for (std::int64_t batch = 0; batch < out.extent(batch_axis); ++batch) {
    const auto length = static_cast<std::int64_t>(lens.data[batch * lens.stride(0)]);
    if (length < 0 || length > times) {
      detail::fill_elements(out, T{});
      return cpu.fail(site, "sequence " + std::to_string(batch) + " has length " + std::to_string(length) +
                                ", and there are " + std::to_string(times) + " steps");
    }
  }
  const std::int64_t per_time = out.stride(time_axis), per_batch = out.stride(batch_axis);
  cpu.parallel(out.elements(), detail::grain_elements, [&](std::int64_t begin, std::int64_t end) {
    detail::walk(
        begin, end,
        [&](std::int64_t i, std::int64_t to, std::int64_t from) {
          const std::int64_t t = i / per_time % times, batch = i / per_batch % out.extent(batch_axis);
          const auto length = static_cast<std::int64_t>(lens.data[batch * lens.stride(0)]);
          out.data[to] = x.data[t < length ? from + (length - 1 - 2 * t) * step : from];
        },
        out.dims, x.dims);
  });
}

}  // namespace loam
