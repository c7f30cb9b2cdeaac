#pragma once

#include "ops/conv/cpu.hpp"
#include "ops/conv_map/conv_map.hpp"
#include "ops/map/rows.hpp"

namespace loam {

template <class Expression, class T, class TX, class TW, class Bias, class... In>
void run(kernels::ConvMap<Expression>, Cpu& cpu, const View<T>& out, const Window& window, std::int64_t groups,
         const View<TX>& x, const View<TW>& w, const Bias& bias, const In&... others) {
  const detail::MapRows<Expression, T, View<T>, In...> map(out, out, others...);
  detail::conv(cpu, out, window, groups, x, w, bias,
               [&](std::int64_t first, std::int64_t count) { map.places(first, count); });
}

}  // namespace loam
