// tree_ensemble: what decision trees make of rows of features (ONNX-ML TreeEnsemble and TreeEnsembleRegressor).
//
//   x [row, feature], roots [tree], nodes [node, 7], splits [node], members [member], leaves [leaf + 1],
//   targets [entry], weights [entry] -> out [row, target]
//
// A node is: how it compares (a TreeTest), its feature, where to go where that holds and where not, whether it holds
// for NaN, and the first and last + 1 of its members. It holds where the feature compares so with its split, or is one of
// its members. Where to go is a node's number, or a leaf's with its bits inverted. Leaf l gives the weights of entries
// [leaves[l], leaves[l + 1]) to their targets. A target gets the sum over trees, their mean (sum / trees), or the least
// or greatest it is given; 0 where it is given none. Sums are in double. Numbers must lie in their tables.
#pragma once

#include "runtime/relations.hpp"

namespace loam {

enum class TreeTest : std::uint8_t { at_most, less, at_least, greater, equal, unequal, member };
enum class TreeGives : std::uint8_t { average, sum, least, greatest };

namespace kernels {
struct TreeEnsemble {};
}  // namespace kernels

template <class B, class T, class Row, class Target, class TX, class RowX, class Feature, class Tree, class Node,
          class Seven, class TS, class NodeS, class Member, class Leaf, class Entry, class TW, class EntryW>
  requires axes_meet<List<Row, Target>, 0, List<RowX, Feature>, 0> && axes_agree<List<Node>, List<NodeS>> &&
           axes_agree<List<Entry>, List<EntryW>>
void tree_ensemble(B& b, const Value<B, T, Row, Target>& out, TreeGives gives, const Value<B, TX, RowX, Feature>& x,
                   const Value<B, std::int64_t, Tree>& roots, const Value<B, std::int64_t, Node, Seven>& nodes,
                   const Value<B, TS, NodeS>& splits, const Value<B, TS, Member>& members,
                   const Value<B, std::int64_t, Leaf>& leaves, const Value<B, std::int64_t, Entry>& targets,
                   const Value<B, TW, EntryW>& weights) {
  b.call(kernels::TreeEnsemble{}, out.operand(), gives, x.operand(), roots.operand(), nodes.operand(),
         splits.operand(), members.operand(), leaves.operand(), targets.operand(), weights.operand());
}

}  // namespace loam
