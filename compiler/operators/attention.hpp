// Scaled dot-product attention as kernels: two products, a softmax, and a map for what is done to the scores.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/operators/formula.hpp"

namespace loam {

// Which keys a query sees, and what is added to its scores. Tensors stretch to [batch, heads, queries, keys].
struct Masking {
  TensorId allowed = no_tensor;          // bool: seen where true
  std::vector<TensorId> biases;          // floats added to the scores; minus infinity hides
  TensorId lengths = no_tensor;          // an integer: keys from there on are padding
  bool causal = false;                   // a key later than the query is hidden
  std::int64_t left = -1, right = -1;    // how far before and after the query a key may lie; -1: any
  Polynomial past = 0;                   // the position of the first query among the keys,
  TensorId offsets = no_tensor;          // or an integer of each batch
  bool zeroes_unseen = true;             // a query that sees no key gets zeros, as ai.onnx asks for; else what there is

  bool any() const {
    return allowed != no_tensor || !biases.empty() || lengths != no_tensor || causal || left >= 0 || right >= 0;
  }
  bool may_hide_all() const {
    return allowed != no_tensor || !biases.empty() || lengths != no_tensor || left >= 0 || right >= 0 ||
           offsets != no_tensor;
  }
};

struct Attend {
  // [batch, heads, queries, D], [batch, kv heads, keys, D] and [batch, kv heads, keys, Dv], on any strides.
  TensorId q, k, v;
  double scale;
  double softcap = 0;                    // 0: none
  Masking mask = {};
  // Where the scores are also written: 0 as the product, 1 after the softcap, 2 after the mask, 3 after the softmax.
  TensorId scores = no_tensor;
  int scores_stage = 0;
  // What a node makes by itself of the scores, before the softmax, and of the weights it gives: each from and to
  // [batch, heads, queries, keys].
  std::function<TensorId(TensorId)> score_mod = {}, weight_mod = {};
  // The element type of the scores and weights, where it is not the one that q computes in.
  std::optional<DType> precision = {};
  // The result where it is of the form [batch, heads, queries, Dv] and each head has keys of its own.
  std::optional<int> output = {};
};

// [batch, heads, queries, Dv]. Heads share keys in groups where k has fewer.
TensorId attend(LowerContext& c, const Attend& a);

// What an input of queries, keys or values is made of: [batch, heads, length, dim], or [batch, length, heads * dim].
struct Heads {
  Axis batch, head, length, dim;
};
// nullopt where `heads`, named so in the message, does not divide what a position holds.
std::optional<Heads> read_heads(const InferContext& c, int i, std::int64_t heads, std::string_view name);

// x [batch, length, heads * dim] as [batch, heads, length, dim], a view; and back.
TensorId split_heads(LowerContext& c, TensorId x, const Axis& head, const Axis& dim);
TensorId join_heads(LowerContext& c, TensorId y, const Axis& joined);

// x, whose last axis is a head's elements, each pair of its first `width` elements turned by an angle: the halves'
// elements of one place, or neighbours where `interleaved`. cos and sin stretch to x's other axes, and have width / 2
// elements. Dense, in x's type.
TensorId rotate(LowerContext& c, TensorId x, TensorId cos, TensorId sin, const Polynomial& width, bool interleaved);
// The rows of a cache [positions, width / 2] at positions [batch, length], or of [1, length].
TensorId rotary_rows(LowerContext& c, TensorId cache, TensorId positions);

// out = first, then second, along an axis.
void lay_in_turn(LowerContext& c, TensorId out, int axis, TensorId first, TensorId second);

}  // namespace loam
