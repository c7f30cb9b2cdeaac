#pragma once

#include "ops/gather_nd/gather_nd.hpp"
#include "runtime/cpu.hpp"

namespace loam::reference {

template <class T, class TX, class TI>
void gather_nd(const View<T>& out, int batch_dims, const View<TX>& x, const View<TI>& indices) {
  const int last = indices.rank() - 1, k = static_cast<int>(indices.extent(last));
  for (std::int64_t e = 0; e < out.elements(); ++e) {
    std::int64_t rest = e, from = 0, which = 0;
    for (int i = out.rank(); i-- > 0;) {
      const std::int64_t at = rest % out.extent(i);
      rest /= out.extent(i);
      if (i < last) which += at * indices.stride(i);
      else from += at * x.stride(batch_dims + k + i - last);
      if (i < batch_dims) from += at * x.stride(i);
    }
    bool found = true;
    for (int c = 0; c < k; ++c) {
      auto index = static_cast<std::int64_t>(indices.data[which + c * indices.stride(last)]);
      if (index < 0) index += x.extent(batch_dims + c);
      found = found && index >= 0 && index < x.extent(batch_dims + c);
      from += index * x.stride(batch_dims + c);
    }
    out.data[e] = found ? store<T>(load(x.data[from])) : T{};
  }
}

}  // namespace loam::reference
