#pragma once

#include <algorithm>

#include "ops/gather/gather.hpp"
#include "ops/gather/indices.hpp"
#include "runtime/threads.hpp"
#include "runtime/walk.hpp"

namespace loam {

template <class T, class TX, class TI>
void run(kernels::Gather, Cpu& cpu, const Site& site, const View<T>& out, int axis, const View<TX>& x,
         const View<TI>& indices) {
  if (out.elements() == 0) return;
  const std::int64_t extent = x.extent(axis), stride = x.stride(axis);
  detail::check_indices(cpu, site, indices, axis, extent);
  Walk<2> before_and_index;  // in x, without the indexed axis, and in the indices
  Walk<1> after;
  std::int64_t slice = 1;
  for (int i = 0; i < axis; ++i) before_and_index.add(x.extent(i), {x.stride(i), 0});
  for (int i = 0; i < indices.rank(); ++i) before_and_index.add(indices.extent(i), {0, indices.stride(i)});
  for (int i = axis + 1; i < x.rank(); ++i) {
    after.add(x.extent(i), {x.stride(i)});
    slice *= x.extent(i);
  }
  Walk<1>::Offsets step;
  const std::int64_t row = after.split_inner(step);
  cpu.parallel(before_and_index.count(), detail::grain_of(slice), [&](std::int64_t begin, std::int64_t end) {
    T* to = out.data + begin * slice;
    before_and_index.each(begin, end, [&](const auto& at) {
      const std::int64_t place = detail::place_of(indices.data[at[1]], extent);
      if (place < 0) {
        std::fill_n(to, slice, T{});
        to += slice;
        return;
      }
      const TX* const from = x.data + at[0] + place * stride;
      after.each([&](const auto& offset) {
        detail::copy_row(to, from + offset[0], row, step[0]);
        to += row;
      });
    });
  });
}

}  // namespace loam
