#pragma once

#include "ops/layer_norm/reference.hpp"
#include "ops/rms_norm/rms_norm.hpp"

namespace loam::reference {

template <class T, class TX, class TS>
void rms_norm(const View<T>& out, int axis, double epsilon, const View<TX>& x, const View<TS>& scale) {
  normalize(false, out, axis, epsilon, x, scale, none);
}

}  // namespace loam::reference
