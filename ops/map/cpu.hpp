#pragma once

#include "ops/map/map.hpp"
#include "ops/map/rows.hpp"
#include "runtime/threads.hpp"

namespace loam {

template <class Expression, class T, class... In>
void run(kernels::Map<Expression>, Cpu& cpu, const View<T>& out, const In&... in) {
  if (out.elements() == 0) return;
  const detail::MapRows<Expression, T, In...> map(out, in...);
  if (map.rows() == 1) {
    cpu.parallel(map.length(), detail::grain_elements, [&](std::int64_t begin, std::int64_t end) { map.row(0, begin, end); });
  } else {
    cpu.parallel(map.rows(), detail::grain_of(map.length()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) map.row(i, 0, map.length());
    });
  }
}

}  // namespace loam
