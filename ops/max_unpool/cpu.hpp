#pragma once

#include "ops/max_unpool/max_unpool.hpp"
#include "runtime/strided.hpp"

namespace loam {

template <class T, std::size_t N, class I>
void run(kernels::MaxUnpool, Cpu& cpu, const Site& site, const View<T>& out,
         const std::array<std::int64_t, N>& counted, const View<T>& x, const View<I>& indices) {
  detail::fill_elements(out, store<T>(compute_t<T>{}));
  const Dims shape{std::span<const std::int64_t>(counted.data(), N)};
  const std::int64_t count = shape.elements();
  detail::walk(
      [&](std::int64_t n, std::int64_t from, std::int64_t i) {
        const auto index = static_cast<std::int64_t>(indices.data[i]);
        bool fits = index >= 0 && index < count;
        std::int64_t rest = fits ? index : 0, to = 0;
        for (int axis = out.rank(); axis-- > 0 && fits;) {
          const std::int64_t c = rest % shape.extent(axis);
          rest /= shape.extent(axis);
          fits = c < out.extent(axis);
          to += c * out.stride(axis);
        }
        if (!fits)
          return cpu.fail(site, "position " + detail::place_text(x.dims, n) + " holds index " + std::to_string(index) +
                                    ", and the output has " + std::to_string(count) + " places");
        out.data[to] = x.data[from];
      },
      x.dims, indices.dims);
}

}  // namespace loam
