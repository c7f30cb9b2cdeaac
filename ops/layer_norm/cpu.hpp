#pragma once

#include "ops/layer_norm/layer_norm.hpp"
#include "ops/layer_norm/rows.hpp"
#include "runtime/cpu.hpp"

namespace loam {

template <class T, class TX, class TS, class Bias>
void run(kernels::LayerNorm, Cpu& cpu, const View<T>& out, int axis, double epsilon, const View<TX>& x,
         const View<TS>& scale, const Bias& bias) {
  detail::normalize<true>(cpu, out, axis, epsilon, x, scale, bias);
}

}  // namespace loam
