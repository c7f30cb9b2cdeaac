#pragma once

#include <algorithm>

#include "ops/scatter/scatter.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

inline double combine(reduction::Replace, double, double u) { return u; }
inline double combine(reduction::Add, double a, double u) { return a + u; }
inline double combine(reduction::Mul, double a, double u) { return a * u; }
inline double combine(reduction::Min, double a, double u) { return std::min(a, u); }
inline double combine(reduction::Max, double a, double u) { return std::max(a, u); }

template <class Reduction, class T>
void combine_into(T& element, const T& update) {
  element = narrow<T>(combine(Reduction{}, static_cast<double>(element), static_cast<double>(update)));
}

template <class T>
void copy(const View<T>& out, const View<T>& data) {
  for (const Place& p : places(out.dims)) element(out, p) = element(data, p);
}

template <class Reduction, class T, class I>
void scatter_elements(const View<T>& out, int axis, Reduction, const View<T>& data, const View<I>& indices,
                      const View<T>& updates) {
  copy(out, data);
  for (const Place& p : places(indices.dims)) {
    Place to = p;
    std::int64_t& index = to[static_cast<std::size_t>(axis)];
    index = static_cast<std::int64_t>(element(indices, p));
    if (index < 0) index += out.extent(axis);
    combine_into<Reduction>(element(out, to), element(updates, p));
  }
}

template <class Reduction, class T, class I>
void scatter_nd(const View<T>& out, Reduction, const View<T>& data, const View<I>& indices, const View<T>& updates) {
  copy(out, data);
  const auto tuples = indices.rank() - 1;
  for (const Place& p : places(updates.dims)) {
    Place to;
    for (std::int64_t k = 0; k < indices.extent(tuples); ++k) {
      Place at(p.begin(), p.begin() + tuples);
      at.push_back(k);
      const auto index = static_cast<std::int64_t>(element(indices, at));
      to.push_back(index < 0 ? index + out.extent(static_cast<int>(k)) : index);
    }
    to.insert(to.end(), p.begin() + tuples, p.end());
    combine_into<Reduction>(element(out, to), element(updates, p));
  }
}

template <class T, class W>
void tensor_scatter(const View<T>& out, int axis, const View<T>& past_cache, const View<T>& update,
                    const View<W>& write_indices) {
  copy(out, past_cache);
  for (const Place& p : places(update.dims)) {
    Place to = p;
    std::int64_t& position = to[static_cast<std::size_t>(axis)];
    position = (position + static_cast<std::int64_t>(element(write_indices, {p[0]}))) % out.extent(axis);
    element(out, to) = element(update, p);
  }
}

}  // namespace loam::reference
