#include "ops/strided_test.hpp"
#include "ops/tree_ensemble/cpu.hpp"
#include "ops/tree_ensemble/reference.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;

// Trees grown at random: a node's children are later nodes that none had before, or leaves.
struct Forest {
  Doubles roots, nodes, leaves{0}, targets, weights;

  Forest(Random& random, std::int64_t trees, std::int64_t features, std::int64_t target_count, std::int64_t members) {
    for (std::int64_t tree = 0; tree < trees; ++tree) {
      roots.push_back(static_cast<double>(nodes.size() / 7));
      std::vector<std::size_t> open{grow(random, features, members)};
      while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        for (const std::size_t side : {2u, 3u}) {
          if (nodes.size() / 7 < static_cast<std::size_t>(4 * trees) && random.integer(0, 1) == 1) {
            nodes[7 * node + side] = static_cast<double>(nodes.size() / 7);
            open.push_back(grow(random, features, members));
          } else {
            nodes[7 * node + side] = -static_cast<double>(leaves.size());
            for (std::int64_t n = random.integer(0, 2); n > 0; --n) {
              targets.push_back(random.integers(1, 0, target_count - 1)[0]);
              weights.push_back(random.reals(1)[0]);
            }
            leaves.push_back(static_cast<double>(targets.size()));
          }
        }
      }
    }
  }

 private:
  std::size_t grow(Random& random, std::int64_t features, std::int64_t members) {
    const std::int64_t first = random.integer(0, members);
    for (const std::int64_t v : {random.integer(0, 6), random.integer(0, features - 1), std::int64_t{0},
                                 std::int64_t{0}, random.integer(0, 1), first, random.integer(first, members)})
      nodes.push_back(static_cast<double>(v));
    return nodes.size() / 7 - 1;
  }
};

std::int64_t count(const Doubles& list) { return static_cast<std::int64_t>(list.size()); }

TEST(TreeEnsemble, AgreesWithTheReference) {
  Cpu cpu;
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 30; ++seed) {
      Random random(seed);
      const std::int64_t rows = random.integer(0, 6), features = random.integer(1, 3), outs = random.integer(1, 3);
      const Forest forest(random, random.integer(1, 4), features, outs, 5);
      Doubles inputs = random.integers(rows * features, -2, 2);
      if (!inputs.empty()) inputs[0] = std::nan("");
      const auto x = lay<float, A, B>({rows, features}, inputs, layout);
      const auto roots = lay<std::int64_t, C>({count(forest.roots)}, forest.roots, layout);
      const auto nodes = lay<std::int64_t, D, E>({count(forest.nodes) / 7, 7}, forest.nodes, layout);
      const auto splits = lay<float, D>({count(forest.nodes) / 7}, random.integers(50, -2, 2), layout);
      const auto members = lay<float, F>({5}, random.integers(5, -2, 2), layout);
      const auto leaves = lay<std::int64_t, Axis<6>>({count(forest.leaves)}, forest.leaves, layout);
      const auto targets = lay<std::int64_t, Axis<7>>({count(forest.targets)}, forest.targets, layout);
      const auto weights = lay<float, Axis<7>>({count(forest.targets)}, forest.weights, layout);
      for (const TreeGives gives : {TreeGives::average, TreeGives::sum, TreeGives::least, TreeGives::greatest}) {
        const auto out = blank<float, A, Axis<8>>({rows, outs}), want = blank<float, A, Axis<8>>({rows, outs});
        tree_ensemble(cpu, out.value, gives, x.value, roots.value, nodes.value, splits.value, members.value,
                      leaves.value, targets.value, weights.value);
        reference::tree_ensemble(want.view(), gives, x.view(), roots.view(), nodes.view(), splits.view(),
                                 members.view(), leaves.view(), targets.view(), weights.view());
        expect_close(out.elements(), want.elements(), 1e-6);
      }
    }
}

TEST(TreeEnsemble, KnownAnswer) {  // x <= 3 ? (x in {1, 2} ? 10 : 20) : 30 twice over; NaN goes the first way once
  Cpu cpu;
  const auto x = lay<double, A, B>({4, 1}, {2, 3, 4, std::nan("")});
  const auto roots = lay<std::int64_t, C>({1}, {0});
  const auto nodes = lay<std::int64_t, D, E>({2, 7}, {0, 0, 1, -3, 1, 0, 0, 6, 0, -1, -2, 0, 0, 2});
  const auto splits = lay<double, D>({2}, {3, 0});
  const auto members = lay<double, F>({2}, {1, 2});
  const auto leaves = lay<std::int64_t, Axis<6>>({4}, {0, 1, 2, 4});
  const auto targets = lay<std::int64_t, Axis<7>>({4}, {0, 0, 0, 0});
  const auto weights = lay<double, Axis<7>>({4}, {10, 20, 30, 30});
  const auto out = blank<double, A, Axis<8>>({4, 1});
  tree_ensemble(cpu, out.value, TreeGives::sum, x.value, roots.value, nodes.value, splits.value, members.value,
                leaves.value, targets.value, weights.value);
  EXPECT_EQ(out.elements(), (Doubles{10, 20, 60, 20}));
}

}  // namespace
}  // namespace loam
