#pragma once

#include <type_traits>

#include "runtime/cpu.hpp"
#include "runtime/integers.hpp"

namespace loam::reference {

template <class T, class TA, class TW>
void matmul(const View<T>& out, const View<TA>& a, const View<TW>& w) {
  using S = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
  const int m = a.rank() > 1, n = w.rank() > 1, batch_rank = out.rank() - m - n;
  const std::int64_t depth = a.extent(a.rank() - 1);
  for (std::int64_t e = 0; e < out.elements(); ++e) {
    std::int64_t rest = e, from_a = 0, from_w = 0;
    for (int i = out.rank(); i-- > 0;) {
      const std::int64_t at = rest % out.extent(i);
      rest /= out.extent(i);
      if (n && i == out.rank() - 1) {
        from_w += at * w.stride(w.rank() - 1);
      } else if (m && i == out.rank() - 1 - n) {
        from_a += at * a.stride(a.rank() - 2);
      } else {
        const int ia = i - batch_rank + a.rank() - 1 - m, iw = i - batch_rank + w.rank() - 1 - n;
        if (ia >= 0 && a.extent(ia) != 1) from_a += at * a.stride(ia);
        if (iw >= 0 && w.extent(iw) != 1) from_w += at * w.stride(iw);
      }
    }
    S sum = 0;
    for (std::int64_t k = 0; k < depth; ++k) {
      const S x = static_cast<S>(load(a.data[from_a + k * a.stride(a.rank() - 1)]));
      const S y = static_cast<S>(load(w.data[from_w + k * w.stride(w.rank() - 1 - n)]));
      if constexpr (std::is_integral_v<T>) sum = integers::add(sum, integers::mul(x, y));
      else sum += x * y;
    }
    out.data[e] = static_cast<T>(sum);
  }
}

}  // namespace loam::reference
