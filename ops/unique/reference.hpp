#pragma once

#include <algorithm>
#include <cmath>

#include "ops/strided_reference.hpp"
#include "ops/unique/unique.hpp"

namespace loam::reference {

struct UniqueResult {
  std::vector<std::vector<double>> slices;
  std::vector<double> first, inverse, counts;
};

inline bool unique_less(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::isnan(b[i])) return true;
    if (std::isnan(a[i])) return false;
    if (a[i] != b[i]) return a[i] < b[i];
  }
  return false;
}

// Every slice is compared with every result so far.
template <class T>
UniqueResult unique(int axis, bool sorted, const View<T>& x) {
  std::vector<std::vector<double>> slices(static_cast<std::size_t>(axis < 0 ? x.elements() : x.extent(axis)));
  std::size_t next = 0;
  for (const Place& p : places(x.dims))
    slices[axis < 0 ? next++ : static_cast<std::size_t>(p[static_cast<std::size_t>(axis)])].push_back(
        static_cast<double>(element(x, p)));
  const auto equal = [](const auto& a, const auto& b) { return !unique_less(a, b) && !unique_less(b, a); };
  UniqueResult r;
  for (const auto& s : slices) {
    const auto is_s = [&](const auto& t) { return equal(s, t); };
    if (std::none_of(r.slices.begin(), r.slices.end(), is_s)) r.slices.push_back(s);
  }
  if (sorted) std::sort(r.slices.begin(), r.slices.end(), unique_less);
  for (const auto& t : r.slices) {
    const auto is_t = [&](const auto& s) { return equal(s, t); };
    r.first.push_back(static_cast<double>(std::find_if(slices.begin(), slices.end(), is_t) - slices.begin()));
    r.counts.push_back(static_cast<double>(std::count_if(slices.begin(), slices.end(), is_t)));
  }
  for (const auto& s : slices) {
    const auto found = std::find_if(r.slices.begin(), r.slices.end(), [&](const auto& t) { return equal(s, t); });
    r.inverse.push_back(static_cast<double>(found - r.slices.begin()));
  }
  return r;
}

}  // namespace loam::reference
