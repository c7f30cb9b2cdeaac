#pragma once

#include "ops/reverse_sequence/reverse_sequence.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

template <class T, class I>
void reverse_sequence(const View<T>& out, std::size_t time_axis, std::size_t batch_axis, const View<T>& x,
                      const View<I>& lens) {
  for (const Place& p : places(out.dims)) {
    Place q = p;
    const auto length = static_cast<std::int64_t>(element(lens, {p[batch_axis]}));
    if (p[time_axis] < length) q[time_axis] = length - 1 - p[time_axis];
    element(out, p) = element(x, q);
  }
}

}  // namespace loam::reference
