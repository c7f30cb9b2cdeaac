#pragma once

#include "ops/max_unpool/max_unpool.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

template <class T, std::size_t N, class I>
void max_unpool(const View<T>& out, const std::array<std::int64_t, N>& counted, const View<T>& x,
                const View<I>& indices) {
  for (const Place& p : places(out.dims)) element(out, p) = narrow<T>(0);
  const auto all = places(Dims{std::span<const std::int64_t>(counted.data(), N)});
  for (const Place& p : places(x.dims))
    element(out, all[static_cast<std::size_t>(element(indices, p))]) = element(x, p);
}

}  // namespace loam::reference
