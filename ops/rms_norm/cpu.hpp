#pragma once

#include "ops/layer_norm/rows.hpp"
#include "ops/rms_norm/rms_norm.hpp"
#include "runtime/cpu.hpp"

namespace loam {

template <class T, class TX, class TS>
void run(kernels::RmsNorm, Cpu& cpu, const View<T>& out, int axis, double epsilon, const View<TX>& x,
         const View<TS>& scale) {
  detail::normalize<false>(cpu, out, axis, epsilon, x, scale, none);
}

}  // namespace loam
