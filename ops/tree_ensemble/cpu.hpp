#pragma once

#include "ops/tree_ensemble/tree_ensemble.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

// Whether a feature passes a node's test.
template <class C>
bool tree_test(TreeTest test, C feature, C split) {
  switch (test) {
    case TreeTest::at_most: return feature <= split;
    case TreeTest::less: return feature < split;
    case TreeTest::at_least: return feature >= split;
    case TreeTest::greater: return feature > split;
    case TreeTest::equal: return feature == split;
    case TreeTest::unequal: return feature != split;
    case TreeTest::member: break;  // by its members
  }
  return false;
}

}  // namespace detail

template <class T, class TX, class TS, class TW>
void run(kernels::TreeEnsemble, Cpu& cpu, const View<T>& out, TreeGives gives, const View<TX>& x,
         const View<std::int64_t>& roots, const View<std::int64_t>& nodes, const View<TS>& splits,
         const View<TS>& members, const View<std::int64_t>& leaves, const View<std::int64_t>& targets,
         const View<TW>& weights) {
  using C = std::common_type_t<compute_t<TX>, compute_t<TS>>;
  const std::int64_t count = out.extent(1), trees = roots.extent(0);
  const auto at = [](const auto& list, std::int64_t i) { return list.data[i * list.stride(0)]; };
  const auto field = [&](std::int64_t node, std::int64_t k) {
    return nodes.data[node * nodes.stride(0) + k * nodes.stride(1)];
  };
  detail::Scratch scratch(cpu, detail::Scratch::bytes<double>(out.elements()) +
                                   detail::Scratch::bytes<bool>(out.elements()));
  if (out.elements() == 0 || !scratch) return;
  double* const sums = scratch.take<double>(out.elements());
  bool* const given = scratch.take<bool>(out.elements());

  const auto holds = [&](std::int64_t node, C feature) {
    if (feature != feature && field(node, 4) != 0) return true;
    const auto test = static_cast<TreeTest>(field(node, 0));
    if (test != TreeTest::member) return detail::tree_test(test, feature, static_cast<C>(load(at(splits, node))));
    for (std::int64_t m = field(node, 5); m < field(node, 6); ++m)
      if (static_cast<C>(load(at(members, m))) == feature) return true;
    return false;
  };

  cpu.parallel(out.extent(0), detail::grain_of(trees * 16), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      double* const sum = sums + row * count;
      bool* const any = given + row * count;
      std::fill_n(sum, count, 0.0);
      std::fill_n(any, count, false);
      for (std::int64_t tree = 0; tree < trees; ++tree) {
        std::int64_t place = at(roots, tree);
        while (place >= 0) {
          const TX feature = x.data[row * x.stride(0) + field(place, 1) * x.stride(1)];
          place = field(place, holds(place, static_cast<C>(load(feature))) ? 2 : 3);
        }
        for (std::int64_t entry = at(leaves, ~place); entry < at(leaves, ~place + 1); ++entry) {
          const std::int64_t target = at(targets, entry);
          const auto weight = static_cast<double>(load(at(weights, entry)));
          const bool first = !std::exchange(any[target], true);
          if (first) sum[target] = weight;
          else if (gives == TreeGives::least) sum[target] = std::min(sum[target], weight);
          else if (gives == TreeGives::greatest) sum[target] = std::max(sum[target], weight);
          else sum[target] += weight;
        }
      }
      for (std::int64_t k = 0; k < count; ++k) {
        const double value = gives == TreeGives::average ? sum[k] / static_cast<double>(trees) : sum[k];
        out.data[row * count + k] = store<T>(static_cast<compute_t<T>>(value));
      }
    }
  });
}

}  // namespace loam
