#pragma once

#include <algorithm>
#include <string>

#include "ops/gather/indices.hpp"
#include "ops/gather_nd/gather_nd.hpp"
#include "runtime/threads.hpp"
#include "runtime/walk.hpp"

namespace loam {

template <class T, class TX, class TI>
void run(kernels::GatherNd, Cpu& cpu, const Site& site, const View<T>& out, int batch_dims, const View<TX>& x,
         const View<TI>& indices) {
  if (out.elements() == 0) return;
  const int last = indices.rank() - 1, k = static_cast<int>(indices.extent(last));
  Walk<2> tuples;  // in x and in the indices
  for (int i = 0; i < last; ++i) tuples.add(indices.extent(i), {i < batch_dims ? x.stride(i) : 0, indices.stride(i)});
  Walk<1> after;
  std::int64_t slice = 1;
  for (int i = batch_dims + k; i < x.rank(); ++i) {
    after.add(x.extent(i), {x.stride(i)});
    slice *= x.extent(i);
  }
  Walk<1>::Offsets step;
  const std::int64_t row = after.split_inner(step);

  // Where a tuple points in x past its batch, or the number of its first index out of range in `bad`.
  const auto offset_of = [&](const TI* tuple, int& bad) {
    std::int64_t offset = 0;
    for (int c = 0; c < k; ++c) {
      const std::int64_t place = detail::place_of(tuple[c * indices.stride(last)], x.extent(batch_dims + c));
      if (place < 0) {
        bad = c;
        return std::int64_t{0};
      }
      offset += place * x.stride(batch_dims + c);
    }
    return offset;
  };
  std::int64_t position = 0;
  tuples.each([&](const auto& at) {
    int bad = -1;
    offset_of(indices.data + at[1], bad);
    if (bad >= 0 && !cpu.fault())
      cpu.fail(site, "position " + std::to_string(position + bad) + " holds index " +
                         std::to_string(static_cast<std::int64_t>(indices.data[at[1] + bad * indices.stride(last)])) +
                         ", and axis " + std::to_string(batch_dims + bad) + " has " +
                         std::to_string(x.extent(batch_dims + bad)) + " elements");
    position += k;
  });
  cpu.parallel(tuples.count(), detail::grain_of(slice), [&](std::int64_t begin, std::int64_t end) {
    T* to = out.data + begin * slice;
    tuples.each(begin, end, [&](const auto& at) {
      int bad = -1;
      const TX* const from = x.data + at[0] + offset_of(indices.data + at[1], bad);
      if (bad >= 0) {
        std::fill_n(to, slice, T{});
        to += slice;
        return;
      }
      after.each([&](const auto& offset) {
        detail::copy_row(to, from + offset[0], row, step[0]);
        to += row;
      });
    });
  });
}

}  // namespace loam
