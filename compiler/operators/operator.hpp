// How an operator is written: three functions that read alike, in one file, and one line in list.inc.
//
//   infer  the outputs' element types and axes; what the node relies on is owed, what is wrong is reported
//   fold   the outputs' elements, where the build knows the inputs'
//   lower  the kernel calls and views that compute it; reached only for nodes that were not folded
//
// `infer` runs once a node in the graph's order, with every present input's type known; a node one of whose inputs had
// an error is skipped, so a mistake is reported once. It goes on after an error as far as it can.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostic.hpp"
#include "compiler/kernel/program.hpp"
#include "compiler/stage0/typed_graph.hpp"

namespace loam {

class InferContext;
class LowerContext;

struct Operator {
  std::string_view domain;      // "" is ai.onnx
  std::string_view name;
  void (*infer)(InferContext&);
  void (*lower)(LowerContext&) = nullptr;
  void (*fold)(InferContext&) = nullptr;
  // When fold runs: with every present input known, or always (Shape reads extents, not elements).
  enum class Folds : std::uint8_t { when_known, always } folds = Folds::when_known;
  int min_inputs = 1, max_inputs = 1;   // -1: any number
  int min_outputs = 1, max_outputs = 1;
  enum class Needs : std::uint8_t { types, nothing } needs = Needs::types;  // nothing: infer runs with absent types too
  bool any_rank = false;                // infer minds inputs, and blocks' outputs, whose rank varies
  bool structures = false;              // infer minds inputs that are sequences or optionals
};

// Every operator, from the files list.inc names.
std::span<const Operator* const> operators();
const Operator* find_operator(std::string_view domain, std::string_view name);

class StageZero;

// What infer, fold and lower all ask of a node.
class NodeContext {
 public:
  NodeContext(StageZero& stage, TypedNode& node) : stage_(stage), node_(node) {}

  const Node& node() const { return *node_.node; }
  TypedNode& typed() { return node_; }
  std::string site() const { return node_.node->site(); }
  std::int64_t opset() const { return node_.opset; }

  // Inputs, by position.
  int inputs() const { return static_cast<int>(node_.inputs.size()); }
  bool has(int i) const;
  const TensorType& type(int i) const;
  DType dtype(int i) const { return type(i).dtype; }
  int rank(int i) const { return static_cast<int>(type(i).axes.size()); }
  const std::vector<Axis>& axes(int i) const { return type(i).axes; }
  const Axis& axis(int i, int k) const { return type(i).axes[static_cast<std::size_t>(k)]; }
  Polynomial extent(int i, int k) const;
  Polynomial elements(int i) const;
  bool rank_varies(int i) const;        // of a TypedValue
  const Structure* structure(int i) const;  // null where the input is a tensor
  const Known* known(int i) const;
  // The same, and the elements of a float initializer that the graph carries, which no fold reads: Resize's scales.
  std::optional<Known> carried(int i) const;
  std::string input_name(int i) const;

  // Outputs, by position.
  int outputs() const { return static_cast<int>(node_.outputs.size()); }
  bool wants(int k) const;
  const TensorType& output_type(int k) const;

  // Attributes. One of another kind than asked for is reported, and the fallback taken.
  bool has_attribute(std::string_view name) const { return node_.node->attribute(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  double number(std::string_view name, double fallback) const;
  std::string text(std::string_view name, std::string_view fallback) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view name) const;
  std::optional<std::vector<double>> numbers(std::string_view name) const;
  std::optional<std::vector<std::string>> texts(std::string_view name) const;
  const TensorData* tensor(std::string_view name) const;
  const Graph* graph(std::string_view name) const;
  // The list that input i gives where it is present, or the attribute in older opsets; nullopt where neither is. A
  // list the build does not know, or that depends on symbols, is reported, and nullopt with `failed` set.
  std::optional<std::vector<std::int64_t>> list(int i, std::string_view attribute, bool& failed) const;
  std::optional<std::vector<Polynomial>> extents(int i, std::string_view attribute, bool& failed) const;
  // axis counted from the end where negative; reported and nullopt where it is outside [-rank, rank).
  std::optional<int> axis_index(std::int64_t axis, int rank) const;
  // Each of `axes` so; duplicates are reported. Ascending.
  std::optional<std::vector<int>> axis_indices(const std::vector<std::int64_t>& axes, int rank) const;

  void error(Code code, std::string message, std::string note = {}) const;
  Symbols& symbols() const;
  std::string spell(const Polynomial& p) const;
  // "Seq", or "axis 1" where nothing hints at a name.
  std::string spell(const Axis& axis) const;

 protected:
  StageZero& stage_;
  TypedNode& node_;
};

class InferContext : public NodeContext {
 public:
  using NodeContext::NodeContext;

  void output(int k, DType dtype, std::vector<Axis> axes);
  void vary_rank(int k);                             // after output(k, ...): a TypedValue's rank_varies
  void fold(int k, Known known);                     // after output(k, ...)
  // An output of other names than any input's axis: the split of an axis, a window, a joined or inserted axis.
  Axis fresh(const Polynomial& extent) const;
  // An axis of one element.
  Axis unit() const { return fresh(1); }

  // The axis two operands' axes broadcast to: made one, an extent of 1 giving way; what that relies on is owed.
  Axis broadcast(const Axis& a, const Axis& b) const;
  std::vector<Axis> broadcast(const std::vector<Axis>& a, const std::vector<Axis>& b) const;  // aligned at the end
  // Makes two axes one; both must be as long. "the indices' and the data's".
  Axis equate(const Axis& a, const Axis& b, std::string_view left = "on the left", std::string_view right = "on the right") const;
  bool equate(const Polynomial& a, const Polynomial& b, const std::string& reason) const;
  // The axes of one tensor under new extents (a Reshape); axes no regrouping makes up are fresh.
  std::vector<Axis> regroup(const std::vector<Axis>& from, const std::vector<Polynomial>& to) const;

  // slack >= 0: proved, refused, or owed by forward.
  bool owe(const Polynomial& slack, const std::string& reason) const;
  // A length only the run knows, usable from here on; the node's lowering must bind it.
  Polynomial bind(const std::string& hint, Range range = {0, longest_length}) const;

  // The axis that is one of two by turns, each of its own length: its name is both's where they do not disagree.
  Axis either(const Axis& a, const Axis& b, const Polynomial& extent) const;
  // Control flow: stage 0 of a subgraph, its inputs given these types (and elements, where known).
  TypedBlock& block(const Graph& graph, const std::vector<TensorType>& inputs, const std::vector<const Known*>& known = {});
  TypedValue& value(ValueId id) const;
  // The same where the build knows that the block runs, once: its inputs are these values themselves, and its steps
  // will be put where the node stands. Nothing of it runs but what its outputs need, and what others read of it.
  TypedBlock& inlined_block(const Graph& graph, const std::vector<ValueId>& inputs);
  // Whether the graph reads a sequence or an optional from around it.
  bool reads_structure(const Graph& graph) const;

  // Sequences and optionals. A node that takes or gives one becomes, in its infer, a node of the tensors it stands for:
  // its inputs and outputs are then those alone, and nothing after stage 0 knows of structures.
  void settle(int k, Structure structure);           // output k is this, and no tensor that the node gives
  void reads(std::vector<ValueId> inputs);           // the node's inputs, from here on
  void gives(const std::vector<ValueId>& values);    // outputs that the node has beside its own: the values' tensors
  // A new value; with elements, a constant's.
  ValueId make(std::string name, std::optional<Known> known = {}) const;
  // A value built as this one of tensors yet without a type, which are appended to `tensors`.
  ValueId make_like(ValueId like, const std::string& name, std::vector<ValueId>& tensors) const;
  std::vector<ValueId> tensors(ValueId id) const;    // that it is, or that its structure holds
  bool alike(ValueId a, ValueId b) const;            // built of as many tensors in the same way
  std::string describe(ValueId id) const;            // "a sequence of 2"

  // Where the diagnostics stand, and a return to there: for a subgraph that is read again on other terms.
  std::size_t mark() const;
  void rewind(std::size_t mark) const;
  std::size_t errors() const;                        // reported so far
  // Output k is this constant (after output(k, ...)): known where it is small, data in any case.
  void constant(int k, const TensorData& data);
  // Keeps a tensor of the build's making as long as the typed graph.
  const TensorData& keep(TensorData data) const;

 private:
  std::uint32_t reason() const;
};

// The common forms.
bool expect_dtype(const NodeContext& c, int i, std::initializer_list<DType> allowed);
bool expect_rank(const NodeContext& c, int i, int rank);
std::string spell_list(const NodeContext& c, const std::vector<Polynomial>& extents);

}  // namespace loam
