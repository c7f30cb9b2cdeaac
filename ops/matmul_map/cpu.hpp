#pragma once

#include "ops/map/rows.hpp"
#include "ops/matmul/cpu.hpp"
#include "ops/matmul_map/matmul_map.hpp"

namespace loam {

template <class Expression, class T, class TA, class TW, class... In>
void run(kernels::MatmulMap<Expression>, Cpu& cpu, const View<T>& out, const View<TA>& a, const View<TW>& w,
         const In&... others) {
  const detail::MapRows<Expression, T, View<T>, In...> map(out, out, others...);
  detail::matmul(cpu, out, a, w, [&](std::int64_t first, std::int64_t count) { map.places(first, count); });
}

}  // namespace loam
