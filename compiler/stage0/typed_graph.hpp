// What stage 0 hands on: every value with its element type, its axes and what the build knows of its elements.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.hpp"
#include "compiler/shape/axis.hpp"
#include "compiler/shape/prover.hpp"
#include "compiler/shape/symbol.hpp"
#include "compiler/stage0/known.hpp"

namespace loam {

using ValueId = std::uint32_t;
inline constexpr ValueId no_value = ~ValueId{0};

struct TensorType {
  DType dtype = DType::undefined;
  std::vector<Axis> axes;
};

// What is no tensor: a sequence's values in order, or what an optional holds, if anything. Each is a tensor or again a
// structure. The build settles it as it settles a shape, and only the tensors are left: see InferContext::settle.
struct Structure {
  enum class Kind : std::uint8_t { sequence, optional };
  Kind kind = Kind::sequence;
  std::vector<ValueId> items;
  DType dtype = DType::undefined;       // of a sequence's tensors, where something has said it
};

struct TypedValue {
  enum class Origin : std::uint8_t { input, initializer, node };
  std::string name;
  Origin origin = Origin::node;
  std::optional<TensorType> type;       // absent: it is a structure, or an error was reported where it should have come from
  std::optional<Known> known;
  const TensorData* data = nullptr;     // of an initializer or a constant that is data
  // The branch that the run takes decides how many of the leading axes, each of one element, are there: `type` has all.
  bool rank_varies = false;
  std::optional<Structure> structure = {};
};

struct Operator;
struct TypedBlock;

struct TypedNode {
  const Node* node = nullptr;
  const Operator* op = nullptr;         // null where the operator is unknown
  std::int64_t opset = 0;
  std::vector<ValueId> inputs;          // no_value for an absent one
  std::vector<ValueId> outputs;
  std::vector<TypedBlock> blocks;       // of control flow, in the order the operator asks for them
  // Symbols the node's run binds, each from one integer element it computes; see Context::bind.
  std::vector<Polynomial> bound;
  bool reached = true;                  // some output is read or returned and not known
};

struct TypedBlock {
  const Graph* graph = nullptr;
  std::vector<TypedNode> nodes;
  std::vector<ValueId> inputs, outputs;
  std::vector<Condition> owed;          // beyond what encloses the block
  bool inlined = false;                 // it runs once, where its node stands
};

struct TypedGraph {
  std::vector<TypedValue> values;
  Symbols symbols;
  AxisTable axes;
  TypedBlock body;
  std::vector<std::string> output_names;  // of the body's outputs: what a structure holds is outputs of their own
  std::vector<ValueId> initializers;    // those the graph declares, in its order
  std::vector<const Node*> reasons;     // AxisTable's reasons, by number
  std::deque<TensorData> kept;          // constants that no tensor of the file is: an attribute's list, a sparse tensor
};

}  // namespace loam
