// TreeEnsemble (ai.onnx.ml 5): decision trees, their tables held by the module.
#include <array>
#include <cmath>

#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"

namespace loam {

namespace {

using Integers = std::vector<std::int64_t>;

constexpr std::int64_t member_test = 6;  // BRANCH_MEMBER, the last of ONNX's modes

// The attributes as ops/tree_ensemble takes them.
struct Forest {
  Integers roots, nodes, leaves, targets;
  std::vector<double> splits, members, weights;
  std::int64_t target_count = 1;
};

std::optional<Forest> refuse(const NodeContext& c, std::string message) {
  c.error(Code::bad_attribute, std::move(message));
  return std::nullopt;
}

std::string counted(std::size_t n, std::string_view things) { return std::to_string(n) + " " + std::string(things); }

// A tensor attribute's elements, which the build must be able to keep; none where it is absent.
std::optional<Known> elements_of(const NodeContext& c, std::string_view name) {
  if (!c.has_attribute(name)) return Known{};
  const TensorData* data = c.tensor(name);
  if (!data) return std::nullopt;
  auto known = known_from(*data);
  if (!known)
    c.error(Code::operator_form, std::string(name) + " holds " + std::to_string(data->elements()) +
                                     " elements, and the build keeps " + std::to_string(most_known) + " at most");
  return known;
}

std::optional<std::vector<double>> numbers_of(const NodeContext& c, std::string_view name) {
  const auto known = elements_of(c, name);
  if (!known) return std::nullopt;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < known->elements.size(); ++i)
    numbers.push_back(known->integral() ? static_cast<double>(known->integer(i).constant_term()) : known->number(i));
  return numbers;
}

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
  const auto modes = numbers_of(c, "nodes_modes"), splits = numbers_of(c, "nodes_splits"),
             weights = numbers_of(c, "leaf_weights"), members = numbers_of(c, "membership_values");
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
  if (nodes == 0 || f.roots.empty()) return refuse(c, "has no trees");
  if (modes->size() != nodes || features.size() != nodes || (!missing.empty() && missing.size() != nodes))
    return refuse(c, "gives " + counted(nodes, "splits, ") + counted(modes->size(), "modes, ") +
                         counted(features.size(), "features and ") + counted(missing.size(), "ways of missing values") +
                         ", and each node has one");
  for (const Way& way : ways)
    if (way.next.size() != nodes || way.is_leaf.size() != nodes)
      return refuse(c, "gives " + counted(way.next.size(), "nodes_") + std::string(way.name) + "nodeids and " +
                           counted(way.is_leaf.size(), "nodes_") + std::string(way.name) + "leafs, and there are " +
                           counted(nodes, "nodes"));
  if (f.targets.size() != leaves)
    return refuse(c, "gives " + counted(leaves, "leaf_weights and ") + counted(f.targets.size(), "leaf_targetids"));
  for (const std::int64_t target : f.targets)
    if (target < 0 || target >= f.target_count)
      return refuse(c, "a leaf gives to target " + std::to_string(target) + ", and n_targets is " +
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
    if (!reach(root)) return refuse(c, "has no node " + std::to_string(root) + ", or two trees begin there");
  std::size_t set = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    const auto mode = static_cast<std::int64_t>((*modes)[node]);
    const std::string named = "node " + std::to_string(node);
    if (mode < 0 || mode > member_test) return refuse(c, named + " has mode " + std::to_string(mode));
    if (features[node] < 0) return refuse(c, named + " reads feature " + std::to_string(features[node]));
    f.nodes.insert(f.nodes.end(), {mode, features[node]});
    for (const Way& way : ways) {
      const std::int64_t next = way.next[node];
      const bool leaf = way.is_leaf[node] != 0;
      if (leaf ? next < 0 || next >= static_cast<std::int64_t>(leaves) : !reach(next))
        return refuse(c, named + " goes to " + (leaf ? "leaf " : "node ") + std::to_string(next) +
                             (leaf ? ", which is none" : ", which is none or has another way to it"));
      f.nodes.push_back(leaf ? ~next : next);
    }
    f.nodes.push_back(missing.empty() ? 0 : missing[node]);
    const bool tests_members = mode == member_test;
    if (tests_members && set >= sets.ends.size())
      return refuse(c, "membership_values holds " + counted(set, "sets, and more nodes test for one"));
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
  if (transform > 2)
    return c.error(Code::operator_form, std::string("ends with ") + (transform == 3 ? "SOFTMAX_ZERO" : "PROBIT") +
                                            ", which no kernel computes");
  const auto forest = read(c);
  if (!forest) return;
  std::int64_t last = 0;
  for (std::size_t i = 1; i < forest->nodes.size(); i += 7) last = std::max(last, forest->nodes[i]);
  const Polynomial features = c.extent(0, 1);
  c.owe(features - (last + 1), c.input_name(0) + " has " + c.spell(features) + " features, and a node reads feature " +
                                   std::to_string(last));
  c.output(0, c.dtype(0), {c.axis(0, 0), c.fresh(forest->target_count)});
}

void lower_trees(LowerContext& c) {
  static constexpr std::string_view aggregates[] = {"average", "sum", "least", "greatest"};
  const Forest f = *read(c);
  const auto table = [&](const auto& values, DType type, const std::vector<Axis>& axes) {
    Known known{type, {}, {}};
    for (const Axis& axis : axes) known.dims.push_back(axis.extent().constant().value_or(0));
    for (const auto v : values) {
      if constexpr (std::is_same_v<decltype(v), const double>) known.elements.emplace_back(round_to(type, v));
      else known.elements.emplace_back(Polynomial(v));
    }
    return c.constant(std::move(known), axes);
  };
  const auto axis = [&](std::string_view word, std::size_t n) {
    return c.named_axis(word, static_cast<std::int64_t>(n));
  };
  const DType type = c.dtype(0);
  const Axis node = axis("Node", f.splits.size()), entry = axis("Entry", f.weights.size());
  const std::int64_t transform = c.integer("post_transform", 0);
  const TensorId sums = transform == 0 ? c.out(0) : c.temporary(type, c.output_type(0).axes, "sums");
  const auto gives = static_cast<std::size_t>(c.integer("aggregate_function", 1));
  c.call("tree_ensemble", "tree_ensemble", {sums}, {Literal{"loam::TreeGives::" + std::string(aggregates[gives])}},
         {c.in(0), table(f.roots, DType::int64, {axis("Tree", f.roots.size())}),
          table(f.nodes, DType::int64, {node, axis("NodePart", 7)}), table(f.splits, type, {node}),
          table(f.members, type, {axis("Member", f.members.size())}),
          table(f.leaves, DType::int64, {axis("Leaf", f.leaves.size())}), table(f.targets, DType::int64, {entry}),
          table(f.weights, type, {entry})});
  if (transform == 1)
    c.call("softmax", "softmax", {c.out(0)}, {Literal{"loam::Softmax{}"}, integer_literal(1)}, {sums});
  if (transform == 2) {
    Formula logistic(c);
    logistic.into(c.out(0), sigmoid(logistic(sums)));
  }
}

constexpr Operator rows[] = {
    {.domain = "ai.onnx.ml", .name = "TreeEnsemble", .infer = infer_trees, .lower = lower_trees},
};

}  // namespace

std::span<const Operator> tree_ensemble_operators() { return rows; }

}  // namespace loam
