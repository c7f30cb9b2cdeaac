#pragma once

#include <cmath>
#include <functional>

#include "ops/strided_reference.hpp"
#include "ops/tree_ensemble/tree_ensemble.hpp"

namespace loam::reference {

template <class T, class TX, class TS, class TW>
void tree_ensemble(const View<T>& out, TreeGives gives, const View<TX>& x, const View<std::int64_t>& roots,
                   const View<std::int64_t>& nodes, const View<TS>& splits, const View<TS>& members,
                   const View<std::int64_t>& leaves, const View<std::int64_t>& targets, const View<TW>& weights) {
  for (const Place& p : places(out.dims)) {
    const std::function<std::int64_t(std::int64_t)> leaf = [&](std::int64_t node) {
      if (node < 0) return -node - 1;
      const auto field = [&](std::int64_t k) { return element(nodes, {node, k}); };
      const auto feature = static_cast<double>(element(x, {p[0], field(1)}));
      const auto split = static_cast<double>(element(splits, {node}));
      bool is_member = false;
      for (std::int64_t m = field(5); m < field(6); ++m)
        is_member = is_member || static_cast<double>(element(members, {m})) == feature;
      const bool answers[] = {feature <= split, feature < split,  feature >= split, feature > split,
                              feature == split, feature != split, is_member};
      const bool holds = answers[field(0)] || (std::isnan(feature) && field(4) != 0);
      return leaf(field(holds ? 2 : 3));
    };
    std::vector<double> given;
    for (std::int64_t tree = 0; tree < roots.extent(0); ++tree) {
      const std::int64_t l = leaf(element(roots, {tree}));
      for (std::int64_t entry = element(leaves, {l}); entry < element(leaves, {l + 1}); ++entry)
        if (element(targets, {entry}) == p[1]) given.push_back(static_cast<double>(element(weights, {entry})));
    }
    double sum = 0, least = INFINITY, greatest = -INFINITY;
    for (const double v : given) sum += v, least = std::fmin(least, v), greatest = std::fmax(greatest, v);
    const double value = given.empty()                    ? 0
                         : gives == TreeGives::sum        ? sum
                         : gives == TreeGives::average    ? sum / static_cast<double>(roots.extent(0))
                         : gives == TreeGives::least      ? least
                                                          : greatest;
    element(out, p) = narrow<T>(value);
  }
}

}  // namespace loam::reference
