#pragma once

#include "ops/gather/gather.hpp"
#include "runtime/cpu.hpp"

namespace loam::reference {

template <class T, class TX, class TI>
void gather(const View<T>& out, int axis, const View<TX>& x, const View<TI>& indices) {
  for (std::int64_t e = 0; e < out.elements(); ++e) {
    std::int64_t rest = e, from = 0, which = 0;
    for (int i = out.rank(); i-- > 0;) {
      const std::int64_t at = rest % out.extent(i);
      rest /= out.extent(i);
      if (i < axis) from += at * x.stride(i);
      else if (i < axis + indices.rank()) which += at * indices.stride(i - axis);
      else from += at * x.stride(i - indices.rank() + 1);
    }
    auto index = static_cast<std::int64_t>(indices.data[which]);
    if (index < 0) index += x.extent(axis);
    const bool found = index >= 0 && index < x.extent(axis);
    out.data[e] = found ? store<T>(load(x.data[from + index * x.stride(axis)])) : T{};
  }
}

}  // namespace loam::reference
