#pragma once

#include <algorithm>
#include <type_traits>

#include "ops/arg_reduce/arg_reduce.hpp"
#include "ops/reduce/rows.hpp"
#include "runtime/threads.hpp"
#include "runtime/walk.hpp"

namespace loam {

template <class Which, class TX>
void run(kernels::ArgReduce<Which>, Cpu& cpu, const View<std::int64_t>& out, int axis, bool select_last,
         const View<TX>& x) {
  using S = compute_t<TX>;
  using Extreme = std::conditional_t<std::is_same_v<Which, ArgMax>, reducer::Max, reducer::Min>;
  if (out.elements() == 0) return;
  const std::int64_t n = x.extent(axis), stride = x.stride(axis);
  if (n == 0) {
    std::fill_n(out.data, out.elements(), 0);
    return;
  }
  Walk<2> outer;  // out is dense: without the axis, its elements lie in the order of the other axes
  std::int64_t step = 1;
  std::array<std::int64_t, max_rank> steps{};
  for (int i = x.rank(); i-- > 0;)
    if (i != axis) {
      steps[static_cast<std::size_t>(i)] = step;
      step *= x.extent(i);
    }
  for (int i = 0; i < x.rank(); ++i)
    if (i != axis) outer.add(x.extent(i), {x.stride(i), steps[static_cast<std::size_t>(i)]});
  cpu.parallel(outer.count(), detail::grain_of(2 * n), [&](std::int64_t begin, std::int64_t end) {
    outer.each(begin, end, [&](const auto& at) {
      // The extreme element first, which is vector code, then a search for it.
      const TX* const row = x.data + at[0];
      const S found = static_cast<S>(detail::reduce_row<detail::Rule<Extreme>, S>(row, n, stride));
      const auto is_found = [&](std::int64_t i) {
        const S e = load(row[i * stride]);
        return e == found || (e != e && found != found);
      };
      std::int64_t i = select_last ? n - 1 : 0;
      while (!is_found(i)) i += select_last ? -1 : 1;
      out.data[at[1]] = i;
    });
  });
}

}  // namespace loam
