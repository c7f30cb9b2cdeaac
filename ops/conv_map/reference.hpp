#pragma once

#include <vector>

#include "ops/conv/reference.hpp"
#include "ops/conv_map/conv_map.hpp"
#include "ops/map/reference.hpp"

namespace loam::reference {

template <class Expression, class T, class TX, class TW, class Bias, class... In>
void conv_map(const View<T>& out, const Window& window, std::int64_t groups, const View<TX>& x, const View<TW>& w,
              const Bias& bias, const In&... others) {
  conv(out, window, groups, x, w, bias);
  std::vector<T> sums(out.data, out.data + out.elements());
  const View<T> read{sums.data(), out.dims};
  map<Expression>(out, read, others...);
}

}  // namespace loam::reference
