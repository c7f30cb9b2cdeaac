#pragma once

#include "ops/gather/indices.hpp"
#include "ops/gather_elements/gather_elements.hpp"
#include "runtime/threads.hpp"
#include "runtime/walk.hpp"

namespace loam {

template <class T, class TX, class TI>
void run(kernels::GatherElements, Cpu& cpu, const Site& site, const View<T>& out, int axis, const View<TX>& x,
         const View<TI>& indices) {
  if (out.elements() == 0) return;
  const std::int64_t extent = x.extent(axis), stride = x.stride(axis);
  detail::check_indices(cpu, site, indices, axis, extent);
  Walk<2> places;
  for (int i = 0; i < indices.rank(); ++i)
    places.add(indices.extent(i), {i == axis ? 0 : x.stride(i), indices.stride(i)});
  cpu.parallel(places.count(), detail::grain_elements, [&](std::int64_t begin, std::int64_t end) {
    T* to = out.data + begin;
    places.each(begin, end, [&](const auto& at) {
      const std::int64_t place = detail::place_of(indices.data[at[1]], extent);
      *to++ = place < 0 ? T{} : store<T>(load(x.data[at[0] + place * stride]));
    });
  });
}

}  // namespace loam
