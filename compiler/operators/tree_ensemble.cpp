// TreeEnsemble (ai.onnx.ml 5): decision trees, their tables held by the module.
//
// post_transform's numbers are ONNX's: 1 is SOFTMAX and 2 LOGISTIC, which onnxruntime takes the other way round.
#include <array>
#include <cmath>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/forest.hpp"
#include "compiler/operators/scores.hpp"

namespace loam {

namespace {

using Integers = std::vector<std::int64_t>;

constexpr std::int64_t member_test = 6;  // BRANCH_MEMBER, the last of ONNX's modes

std::string counted(std::size_t n, std::string_view things) { return std::to_string(n) + " " + std::string(things); }

// The sets that nodes test for membership, in the nodes' order, each ended by a NaN: all values, and where each ends.
struct Sets {
  std::vector<double> values;
  Integers ends;
};

Sets split_at_nan(const std::vector<double>& members) {
  Sets sets;
  const auto end = [&] { sets.ends.push_back(static_cast<std::int64_t>(sets.values.size())); };
  for (const double v : members) {
    if (std::isnan(v)) end();
    else sets.values.push_back(v);
  }
  if (!members.empty() && !std::isnan(members.back())) end();
  return sets;
}

std::optional<Forest> read(const NodeContext& c) {
  const auto list = [&](std::string_view name) { return c.integers(name).value_or(Integers{}); };
  const auto modes = tensor_numbers(c, "nodes_modes"), splits = tensor_numbers(c, "nodes_splits"),
             weights = tensor_numbers(c, "leaf_weights"), members = tensor_numbers(c, "membership_values");
  if (!modes || !splits || !weights || !members) return std::nullopt;
  Forest f{.roots = list("tree_roots"), .nodes = {}, .leaves = {}, .targets = list("leaf_targetids"),
           .splits = *splits, .members = {}, .weights = *weights, .target_count = c.integer("n_targets", 1)};
  const std::size_t nodes = splits->size(), leaves = weights->size();
  const Integers features = list("nodes_featureids"), missing = list("nodes_missing_value_tracks_true");
  struct Way {
    std::string_view name;
    Integers next, is_leaf;
  };
  const std::array<Way, 2> ways{{{"true", list("nodes_truenodeids"), list("nodes_trueleafs")},
                                 {"false", list("nodes_falsenodeids"), list("nodes_falseleafs")}}};
  if (nodes == 0 || f.roots.empty()) return refuse_forest(c, "has no trees");
  if (modes->size() != nodes || features.size() != nodes || (!missing.empty() && missing.size() != nodes))
    return refuse_forest(c, "gives " + counted(nodes, "splits, ") + counted(modes->size(), "modes, ") +
                         counted(features.size(), "features and ") + counted(missing.size(), "ways of missing values") +
                         ", and each node has one");
  for (const Way& way : ways)
    if (way.next.size() != nodes || way.is_leaf.size() != nodes)
      return refuse_forest(c, "gives " + counted(way.next.size(), "nodes_") + std::string(way.name) + "nodeids and " +
                           counted(way.is_leaf.size(), "nodes_") + std::string(way.name) + "leafs, and there are " +
                           counted(nodes, "nodes"));
  if (f.targets.size() != leaves)
    return refuse_forest(
        c, "gives " + counted(leaves, "leaf_weights and ") + counted(f.targets.size(), "leaf_targetids"));
  for (const std::int64_t target : f.targets)
    if (target < 0 || target >= f.target_count)
      return refuse_forest(c, "a leaf gives to target " + std::to_string(target) + ", and n_targets is " +
                           std::to_string(f.target_count));

  const Sets sets = split_at_nan(*members);
  f.members = sets.values;
  std::vector<bool> reached(nodes, false);  // of a tree each node has one way to it, so that no walk goes round
  const auto reach = [&](std::int64_t node) {
    if (node < 0 || node >= static_cast<std::int64_t>(nodes) || reached[static_cast<std::size_t>(node)]) return false;
    reached[static_cast<std::size_t>(node)] = true;
    return true;
  };
  for (const std::int64_t root : f.roots)
    if (!reach(root)) return refuse_forest(c, "has no node " + std::to_string(root) + ", or two trees begin there");
  std::size_t set = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    const auto mode = static_cast<std::int64_t>((*modes)[node]);
    const std::string named = "node " + std::to_string(node);
    if (mode < 0 || mode > member_test) return refuse_forest(c, named + " has mode " + std::to_string(mode));
    if (features[node] < 0) return refuse_forest(c, named + " reads feature " + std::to_string(features[node]));
    f.nodes.insert(f.nodes.end(), {mode, features[node]});
    for (const Way& way : ways) {
      const std::int64_t next = way.next[node];
      const bool leaf = way.is_leaf[node] != 0;
      if (leaf ? next < 0 || next >= static_cast<std::int64_t>(leaves) : !reach(next))
        return refuse_forest(c, named + " goes to " + (leaf ? "leaf " : "node ") + std::to_string(next) +
                             (leaf ? ", which is none" : ", which is none or has another way to it"));
      f.nodes.push_back(leaf ? ~next : next);
    }
    f.nodes.push_back(missing.empty() ? 0 : missing[node]);
    const bool tests_members = mode == member_test;
    if (tests_members && set >= sets.ends.size())
      return refuse_forest(c, "membership_values holds " + counted(set, "sets, and more nodes test for one"));
    f.nodes.push_back(tests_members && set > 0 ? sets.ends[set - 1] : 0);
    f.nodes.push_back(tests_members ? sets.ends[set] : 0);
    if (tests_members) f.splits[node] = 0, ++set;
  }
  for (std::size_t leaf = 0; leaf <= leaves; ++leaf) f.leaves.push_back(static_cast<std::int64_t>(leaf));
  return f;
}

void infer_trees(InferContext& c) {
  if (!expect_dtype(c, 0, {DType::float32, DType::float64, DType::float16}) || !expect_rank(c, 0, 2)) return;
  const std::int64_t transform = c.integer("post_transform", 0), gives = c.integer("aggregate_function", 1);
  if (transform < 0 || transform > 4 || gives < 0 || gives > 3)
    return c.error(Code::bad_attribute, "has aggregate_function " + std::to_string(gives) + " and post_transform " +
                                            std::to_string(transform) + ", and they go to 3 and 4");
  const auto forest = read(c);
  if (!forest) return;
  owe_features(c, *forest);
  c.output(0, c.dtype(0), {c.axis(0, 0), c.fresh(forest->target_count)});
}

void lower_trees(LowerContext& c) {
  static constexpr std::string_view aggregates[] = {"average", "sum", "least", "greatest"};
  const auto transform = static_cast<PostTransform>(c.integer("post_transform", 0));
  const bool plain = transform == PostTransform::none;
  const TensorId sums = plain ? c.out(0) : c.temporary(c.dtype(0), c.output_type(0).axes, "sums");
  call_forest(c, sums, *read(c), aggregates[c.integer("aggregate_function", 1)], c.dtype(0));
  if (!plain) transform_scores(c, transform, c.out(0), sums);
}

constexpr Operator rows[] = {
    {.domain = "ai.onnx.ml", .name = "TreeEnsemble", .infer = infer_trees, .lower = lower_trees},
};

}  // namespace

std::span<const Operator> tree_ensemble_operators() { return rows; }

}  // namespace loam
