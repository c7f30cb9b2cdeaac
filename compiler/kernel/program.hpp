// The lowered form: kernel calls and views over virtual tensors. It knows kernels by their names in ops/ and no
// operator's; emission renders each part in one way and decides nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/kernel/expression.hpp"
#include "compiler/shape/axis.hpp"
#include "compiler/shape/prover.hpp"
#include "compiler/stage0/known.hpp"

namespace loam {

using TensorId = std::uint32_t;
inline constexpr TensorId no_tensor = ~TensorId{0};

struct VirtualTensor {
  enum class Kind : std::uint8_t { input, weight, constant, prepared, cached, activation };
  std::string name;             // the graph's own; made an identifier by emission
  Kind kind = Kind::activation;
  DType dtype = DType::undefined;   // as stored
  std::vector<Axis> axes = {};  // resolved once names are settled
  const TensorData* data = nullptr; // of a weight or constant that is data
  std::optional<Known> known = {};  // of a constant the build computed; its integers may depend on symbols
  bool dense = true;            // false for a view whose strides may be any
  std::string form = {};        // of a prepared one: the C++ type that says how its elements lie; empty: row-major
};

// Names of C++ types and values of the runtime, written as they are: "loam::reducer::Sum{}", "true".
struct Literal {
  std::string text;
};
struct ExtentList {             // std::array<std::int64_t, N>{...}
  std::vector<Polynomial> values;
};
// An aggregate of the runtime: text with each "$" replaced by the next extent.
struct Aggregate {
  std::string text;
  std::vector<Polynomial> values;
};
using Argument = std::variant<Literal, Polynomial, ExtentList, Aggregate, Expression>;

struct CoordinateOperand {
  int axis;                     // of the output
};
struct ScalarOperand {          // an extent or integer the symbols give, or a float
  Scalar value;
  DType type;
};
using OperandRef = std::variant<TensorId, CoordinateOperand, ScalarOperand>;  // no_tensor: absent

struct Call {
  std::string kernel;           // the function loam::<kernel>
  std::string folder;           // ops/<folder>/
  bool sited = false;           // takes the site as its first argument: it can fail
  std::vector<TensorId> outputs;
  std::vector<Argument> arguments;
  std::vector<OperandRef> inputs;
};

// out is in's elements, described anew.
struct ViewStep {
  enum class Kind : std::uint8_t { reshape, transpose, units, slice, expand, relabel };
  Kind kind;
  TensorId out, in;
  std::vector<int> order;                        // transpose: source axis of each; units: the same, -1 inserted
  std::vector<Polynomial> extents, starts, steps;  // reshape, slice, expand
};

// Symbols bound from elements of a run-time integer tensor (any integer type or bool), all of its elements in order.
struct BindStep {
  std::vector<Polynomial> symbols;
  TensorId from;
};

// What must hold before the next step; refused otherwise.
struct CheckStep {
  std::vector<Condition> conditions;
};

struct Block;
// One of two blocks. Each gives a tensor for each output, and the value of each symbol the branch binds.
struct BranchStep {
  TensorId condition;           // a bool of one element
  std::vector<TensorId> outputs;
  std::vector<Polynomial> symbols;
  std::shared_ptr<Block> then, otherwise;
};
// A block repeated, counting up from 0, while the count is below the trips and the last condition held.
struct LoopStep {
  // A value handed from one turn to the next. `in` is the turn's, `out` what the turn makes of it, `final` what is left.
  struct Carried {
    TensorId initial, in, out, final;
  };
  // A value of each turn, joined along a new first axis; only where the number of turns is not known before the loop
  // (otherwise the turns write into their places of an ordinary tensor).
  struct Gathered {
    TensorId part, out;
  };
  // A symbol that is an axis's length of a carried value: in each turn, or once the loop has ended.
  struct Length {
    Polynomial symbol;
    std::size_t carried;
    int axis;
  };
  Polynomial turn;                    // the symbol that counts, in the body
  std::optional<Polynomial> trips;    // known before the loop
  TensorId trip_tensor = no_tensor;   // or read from an int64 element; neither: no limit
  TensorId condition = no_tensor;     // whether the first turn runs
  TensorId go_on = no_tensor;         // of the body: whether the next one does; none: always
  std::optional<Polynomial> count;    // a symbol bound to the number of turns that ran
  std::vector<Carried> carried;
  std::vector<Gathered> gathered;
  std::vector<Length> turn_lengths, final_lengths;
  std::vector<Length> part_lengths;   // of a gathered part, the same in every turn; `carried` is its place in `gathered`
  std::vector<TensorId> joined;       // ordinary tensors of the block around, which the turns write into
  std::shared_ptr<Block> body;
};

struct Step {
  std::variant<Call, ViewStep, BindStep, CheckStep, BranchStep, LoopStep> what;
  std::string site;             // "output = Operator", of the node it came from
  std::string label;            // the node's name, for the reader of the module
  const Node* node = nullptr;   // the node itself: sites of two branches can read alike. Null: of no one node
};

struct Block {
  std::vector<Step> steps;
  std::vector<TensorId> outputs;
  std::vector<Polynomial> symbol_values;         // of BranchStep::symbols, in a branch's block
};

struct ProgramInput {
  TensorId tensor;
  std::vector<Polynomial> declared;              // each axis's extent as the graph spells it
};

// An input and an output that are one buffer, which the caller keeps from call to call: the output is the input with more
// places after it along one axis, which forward writes.
struct CacheEntry {
  TensorId tensor;                               // the output, of kind `cached`
  TensorId before;                               // the input: a view of it
  std::string input, output;                     // the graph's names
  std::size_t input_place, output_place;         // among the graph's inputs and outputs
  std::size_t axis;
  std::vector<Polynomial> extents;               // the input's: a lone symbol along the axis, it or a number along others
};

struct Program {
  std::string name;
  std::vector<VirtualTensor> tensors;
  std::vector<ProgramInput> inputs;              // those that are not cached
  std::vector<CacheEntry> caches;
  std::vector<TensorId> weights;
  std::vector<TensorId> outputs;                 // likewise
  std::vector<std::string> output_names;
  Block prepare;                                 // run once, over weights; its calls write prepared tensors
  Block body;
};

}  // namespace loam
