#pragma once

#include <vector>

#include "ops/map/reference.hpp"
#include "ops/matmul/reference.hpp"
#include "ops/matmul_map/matmul_map.hpp"

namespace loam::reference {

template <class Expression, class T, class TA, class TW, class... In>
void matmul_map(const View<T>& out, const View<TA>& a, const View<TW>& w, const In&... others) {
  matmul(out, a, w);
  std::vector<T> product(out.data, out.data + out.elements());
  const View<T> read{product.data(), out.dims};
  map<Expression>(out, read, others...);
}

}  // namespace loam::reference
