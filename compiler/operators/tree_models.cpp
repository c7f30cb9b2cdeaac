// TreeEnsembleRegressor and TreeEnsembleClassifier (ai.onnx.ml 1 and 3): trees listed node by node.
//
// Where onnxruntime does otherwise than ONNX says, ONNX's text decides:
// - Two classes that both are given scores are told apart by the greater; onnxruntime's label is then 0 or 1, no class
//   label of the model's, by the second's sign.
// - One target's score is transformed; onnxruntime leaves it as it is but for PROBIT.
// - A target or class that no leaf gives to has its base value; onnxruntime leaves it 0.
// Where leaves give to one of two classes alone, SOFTMAX and SOFTMAX_ZERO leave the two scores that come of it as they
// are, which ONNX does not say and onnxruntime does.
#include <array>
#include <map>

#include <fmt/format.h>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/forest.hpp"
#include "compiler/operators/formula.hpp"
#include "compiler/operators/scores.hpp"

namespace loam {

namespace {

using Integers = std::vector<std::int64_t>;

constexpr std::string_view domain = "ai.onnx.ml";
constexpr std::array<std::string_view, 7> modes{"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                                "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
constexpr std::size_t leaf_mode = 6;

Integers integers(const NodeContext& c, const std::string& name) { return c.integers(name).value_or(Integers{}); }

// NAME, or NAME_as_tensor in its place from version 3 on.
std::optional<std::vector<double>> numbers(const NodeContext& c, const std::string& name) {
  if (auto list = c.numbers(name)) return list;
  return tensor_numbers(c, name + "_as_tensor");
}

// The trees; `side` names the attributes of what leaves give: "target" or "class".
std::optional<Forest> read(const NodeContext& c, const std::string& side, std::int64_t targets) {
  const Integers trees = integers(c, "nodes_treeids"), ids = integers(c, "nodes_nodeids"),
                 features = integers(c, "nodes_featureids"), missing = integers(c, "nodes_missing_value_tracks_true");
  const std::array<Integers, 2> ways{integers(c, "nodes_truenodeids"), integers(c, "nodes_falsenodeids")};
  const auto words = c.texts("nodes_modes").value_or(std::vector<std::string>{});
  const auto splits = numbers(c, "nodes_values"), weights = numbers(c, side + "_weights");
  if (!splits || !weights) return std::nullopt;
  const std::size_t nodes = ids.size();
  if (nodes == 0) return refuse_forest(c, "has no trees");
  for (const std::size_t n : {trees.size(), features.size(), ways[0].size(), ways[1].size(), words.size(),
                              splits->size(), missing.empty() ? nodes : missing.size()})
    if (n != nodes)
      return refuse_forest(
          c, fmt::format("gives {} nodes_nodeids and {} of another of the nodes' attributes", nodes, n));

  // A branch becomes a node of the kernel's, a leaf one of its leaves: places[i] says which, as the kernel spells it.
  using Key = std::pair<std::int64_t, std::int64_t>;
  const auto named = [](const Key& key) { return fmt::format("node {} of tree {}", key.second, key.first); };
  std::map<Key, std::size_t> listed;
  std::vector<std::size_t> mode_of;
  Integers places;
  std::int64_t branches = 0, leaves = 0;
  for (std::size_t i = 0; i < nodes; ++i) {
    const Key key(trees[i], ids[i]);
    if (!listed.emplace(key, i).second) return refuse_forest(c, named(key) + " is listed twice");
    const auto mode = std::ranges::find(modes, words[i]);
    if (mode == modes.end()) return refuse_forest(c, named(key) + " has mode " + words[i]);
    mode_of.push_back(static_cast<std::size_t>(mode - modes.begin()));
    places.push_back(mode_of.back() == leaf_mode ? ~leaves++ : branches++);
  }
  Forest f;
  f.target_count = targets;
  std::vector<bool> reached(nodes, false);  // a node has one way to it at most, so that no walk from a root goes round
  for (std::size_t i = 0; i < nodes; ++i) {
    if (mode_of[i] == leaf_mode) continue;
    const Key key(trees[i], ids[i]);
    if (features[i] < 0) return refuse_forest(c, fmt::format("{} reads feature {}", named(key), features[i]));
    f.nodes.insert(f.nodes.end(), {static_cast<std::int64_t>(mode_of[i]), features[i]});
    for (const Integers& way : ways) {
      const auto next = listed.find({trees[i], way[i]});
      if (next == listed.end() || reached[next->second])
        return refuse_forest(c, fmt::format("{} goes to node {}, which {}", named(key), way[i],
                                            next == listed.end() ? "is none" : "has another way to it"));
      reached[next->second] = true;
      f.nodes.push_back(places[next->second]);
    }
    f.nodes.insert(f.nodes.end(), {missing.empty() ? 0 : missing[i], 0, 0});
    f.splits.push_back((*splits)[i]);
  }
  std::map<std::int64_t, std::size_t> roots;
  for (const auto& [key, i] : listed)
    if (!reached[i] && !roots.emplace(key.first, i).second)
      return refuse_forest(
          c, fmt::format("no way leads to {}, and tree {} begins at another node", named(key), key.first));
  for (const auto& [key, i] : listed)
    if (!roots.contains(key.first)) return refuse_forest(c, fmt::format("tree {} begins at no node", key.first));
  for (const auto& [tree, i] : roots) f.roots.push_back(places[i]);

  // What leaves give, put in the leaves' order.
  const Integers given_trees = integers(c, side + "_treeids"), given_ids = integers(c, side + "_nodeids"),
                 given_to = integers(c, side + "_ids");
  for (const std::size_t n : {given_trees.size(), given_ids.size(), given_to.size()})
    if (n != weights->size())
      return refuse_forest(c, fmt::format("gives {0} {1}_weights, and {2} of their {1}_treeids, _nodeids or _ids",
                                          weights->size(), side, n));
  std::vector<std::vector<std::size_t>> entries(static_cast<std::size_t>(leaves));
  for (std::size_t e = 0; e < weights->size(); ++e) {
    const Key key(given_trees[e], given_ids[e]);
    const auto leaf = listed.find(key);
    if (leaf == listed.end() || mode_of[leaf->second] != leaf_mode)
      return refuse_forest(c, named(key) + " gives a weight, and is no leaf");
    if (given_to[e] < 0 || given_to[e] >= targets)
      return refuse_forest(
          c, fmt::format("{} gives to {} {}, and there are {}", named(key), side, given_to[e], targets));
    entries[static_cast<std::size_t>(~places[leaf->second])].push_back(e);
  }
  for (const auto& of_leaf : entries) {
    f.leaves.push_back(static_cast<std::int64_t>(f.weights.size()));
    for (const std::size_t e : of_leaf) {
      f.targets.push_back(given_to[e]);
      f.weights.push_back((*weights)[e]);
    }
  }
  f.leaves.push_back(static_cast<std::int64_t>(f.weights.size()));
  return f;
}

// base_values is absent or has one for each of `scores`.
bool expect_base(const NodeContext& c, std::int64_t scores) {
  const auto base = numbers(c, "base_values");
  if (!base) return false;
  if (base->empty() || static_cast<std::int64_t>(base->size()) == scores) return true;
  c.error(Code::bad_attribute, fmt::format("gives {} base_values, and there are {} scores", base->size(), scores));
  return false;
}

// The trees' scores with base_values: [row, score].
TensorId forest_scores(LowerContext& c, const Forest& forest, const Axis& score, std::string_view gives) {
  const std::vector<Axis> axes{c.axis(0, 0), score};
  const TensorId sums = c.temporary(DType::float32, axes, "sums");
  call_forest(c, sums, forest, gives, c.dtype(0) == DType::float64 ? DType::float64 : DType::float32);
  const auto base = *numbers(c, "base_values");
  if (base.empty()) return sums;
  Known known{DType::float32, {forest.target_count}, {base.begin(), base.end()}};
  Formula f(c);
  return f.make(axes, f(sums) + f(c.constant(std::move(known), {score})), "scores");
}

bool expect_rows(const NodeContext& c) {
  return expect_dtype(c, 0, {DType::float32, DType::float64, DType::int64, DType::int32}) && expect_rank(c, 0, 2);
}

// ---- TreeEnsembleRegressor -----------------------------------------------------------------------------------------

void infer_regressor(InferContext& c) {
  const std::int64_t targets = c.integer("n_targets", 1);
  if (targets < 1) return c.error(Code::bad_attribute, "n_targets is " + std::to_string(targets));
  if (!expect_rows(c) || !expect_transform(c) || !expect_base(c, targets) ||
      !expect_word(c, "aggregate_function", "SUM", {"SUM", "AVERAGE", "MIN", "MAX"}))
    return;
  const auto forest = read(c, "target", targets);
  if (!forest) return;
  owe_features(c, *forest);
  c.output(0, DType::float32, {c.axis(0, 0), c.fresh(targets)});
}

void lower_regressor(LowerContext& c) {
  const std::string word = c.text("aggregate_function", "SUM");
  const std::string_view gives = word == "SUM"       ? "sum"
                                 : word == "AVERAGE" ? "average"
                                 : word == "MIN"     ? "least"
                                                     : "greatest";
  const Forest forest = *read(c, "target", c.integer("n_targets", 1));
  transform_scores(c, *expect_transform(c), c.out(0), forest_scores(c, forest, c.output_type(0).axes[1], gives));
}

// ---- TreeEnsembleClassifier ----------------------------------------------------------------------------------------

// Two classes of which leaves give to one alone: that score decides. Where it is given as class 0's it is the second
// class's all the same, and the first class's follows from it: this is how converters write two classes, and what
// onnxruntime does.
struct Decision {
  bool by_one = false, derived = false, probability = false;
  std::int64_t scores = 0;
};

Decision decision(const NodeContext& c, std::int64_t classes, const std::vector<double>& weights) {
  const Integers to = integers(c, "class_ids");
  Decision d;
  d.by_one = classes == 2 && !to.empty() && std::ranges::count(to, to[0]) == static_cast<std::ptrdiff_t>(to.size());
  d.derived = d.by_one && to[0] == 0;
  d.probability = std::ranges::none_of(weights, [](double w) { return w < 0; });
  d.scores = d.derived ? 1 : classes;
  return d;
}

void infer_classifier(InferContext& c) {
  const auto labels = expect_labels(c, "classlabels_int64s");
  const auto transform = expect_transform(c);
  if (!labels || !transform || !expect_rows(c)) return;
  const auto weights = numbers(c, "class_weights");
  if (!weights) return;
  const Decision d = decision(c, labels->count(), *weights);
  if (d.derived && *transform == PostTransform::probit)
    return c.error(Code::operator_form, "ends with PROBIT, and its leaves give to one of two classes alone");
  if (!expect_base(c, d.scores)) return;
  const auto forest = read(c, "class", d.scores);
  if (!forest) return;
  owe_features(c, *forest);
  c.output(0, labels->dtype(), {c.axis(0, 0)});
  c.output(1, DType::float32, {c.axis(0, 0), c.fresh(labels->count())});
}

void lower_classifier(LowerContext& c) {
  const ClassLabels labels = *expect_labels(c, "classlabels_int64s");
  const PostTransform transform = *expect_transform(c);
  const Axis batch = c.axis(0, 0);
  const Axis classes = c.wants(1) ? c.output_type(1).axes[1] : c.named_axis("Class", labels.count());
  const Decision d = decision(c, labels.count(), *numbers(c, "class_weights"));
  const TensorId scores = forest_scores(c, *read(c, "class", d.scores), d.derived ? c.unit() : classes, "sum");
  if (c.wants(0)) {
    TensorId chosen = no_tensor;
    if (d.by_one) {
      const TensorId second = d.derived ? scores : c.slice(scores, {batch, c.unit()}, {0, 1}, {1, 1});
      Formula f(c);
      const Term score = f(c.reshape(second, {batch}));
      chosen = f.make({batch}, (score > score.constant(d.probability ? 0.5 : 0)).as(DType::int64), "chosen");
    } else {
      chosen = greatest_class(c, scores);
    }
    label_classes(c, c.out(0), labels, chosen);
  }
  if (!c.wants(1)) return;
  if (!d.derived) return transform_scores(c, transform, c.out(1), scores);
  Formula f(c);
  const Term score = f(scores), is_second = equal(f.coordinate(1), f.integer(1, DType::int64));
  if (transform == PostTransform::logistic) return f.into(c.out(1), sigmoid(where(is_second, score, -score)));
  f.into(c.out(1), where(is_second, score, d.probability ? score.constant(1) - score : -score));
}

constexpr Operator rows[] = {
    {.domain = domain, .name = "TreeEnsembleRegressor", .infer = infer_regressor, .lower = lower_regressor},
    {.domain = domain, .name = "TreeEnsembleClassifier", .infer = infer_classifier, .lower = lower_classifier,
     .max_outputs = 2},
};

}  // namespace

std::span<const Operator> tree_models_operators() { return rows; }

}  // namespace loam
