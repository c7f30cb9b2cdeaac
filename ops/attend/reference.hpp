#pragma once

#include <algorithm>
#include <vector>

#include "ops/attend/attend.hpp"
#include "ops/map/reference.hpp"
#include "ops/matmul/reference.hpp"
#include "ops/softmax/reference.hpp"

namespace loam::reference {

// Each step by itself, over a matrix of scores.
template <class Score, class Weight, class TQ, class TK, class TV, class... In>
void attend(const View<double>& out, const View<TQ>& q, const View<TK>& keys, const View<TV>& v, const In&... others) {
  Dims dims = out.dims;
  const auto last = static_cast<std::size_t>(out.rank() - 1);
  dims.extents[last] = keys.extent(keys.rank() - 1);
  std::int64_t stride = 1;
  for (std::size_t i = last + 1; i-- > 0; stride *= dims.extents[i]) dims.strides[i] = stride;
  std::vector<double> from(static_cast<std::size_t>(dims.elements())), to(from.size());
  const View<double> a{from.data(), dims}, b{to.data(), dims};
  matmul(a, q, keys);
  map<Score>(b, a, others...);
  softmax<Softmax>(a, out.rank() - 1, b);
  map<Weight>(b, a);
  matmul(out, b, v);
}

}  // namespace loam::reference
