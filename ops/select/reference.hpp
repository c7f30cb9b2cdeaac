#pragma once

#include "ops/select/select.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

template <class T>
std::vector<Place> nonzero(const View<T>& x) {
  std::vector<Place> found;
  for (const Place& p : places(x.dims))
    if (static_cast<double>(element(x, p)) != 0) found.push_back(p);
  return found;
}

// The elements picked, row-major over the output.
template <class T>
std::vector<double> compress(int axis, const View<T>& x, const View<bool>& condition) {
  std::vector<double> picked;
  std::int64_t index = 0;
  for (const Place& p : places(x.dims)) {
    const std::int64_t i = axis < 0 ? index++ : p[static_cast<std::size_t>(axis)];
    if (i < condition.extent(0) && element(condition, {i})) picked.push_back(static_cast<double>(element(x, p)));
  }
  return picked;
}

}  // namespace loam::reference
