// Stage 0: settles every value's element type, axes, extents and what the build knows of its elements.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/graph/graph.hpp"
#include "compiler/operators/operator.hpp"
#include "compiler/stage0/typed_graph.hpp"

namespace loam {

struct DeclaredInput {
  ValueId value;
  std::vector<Polynomial> declared;   // each axis's extent as spelled, over input symbols
};

class StageZero {
 public:
  StageZero(const Model& model, const CompileOptions& options, Diagnostics& diagnostics);

  // Everything that is wrong is in the diagnostics; the graph is then good for messages alone.
  TypedGraph& run();

  TypedGraph& graph() { return graph_; }
  const std::vector<DeclaredInput>& inputs() const { return inputs_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  const CompileOptions& options() const { return options_; }
  // Rules naming every axis that no rule given names, as `loam layout` writes them.
  Layout proposed_layout() const;
  // Whether axes of different parts may meet at the node: the layout says so, or its proposal is taken.
  bool meets_by_length(const TypedNode& node);
  // Conditions over lengths that hold at every length, so that the run need not check them.
  std::size_t proved() const { return proved_; }

 private:
  friend class NodeContext;
  friend class InferContext;
  struct SlackHash {
    std::size_t operator()(const Polynomial& p) const { return p.hash(); }
  };
  struct Scope {
    const Scope* outer;
    std::unordered_map<std::string_view, ValueId> names;
    TypedBlock* block;
    const Graph* graph;
    std::unordered_set<Polynomial, SlackHash> owed = {};  // the slacks of block->owed
  };

  void declare_inputs();
  ValueId list_input(ValueInfo input);
  ValueInfo element_of(const ValueInfo& structure, std::int64_t place) const;
  void declare_tensor(ValueId id, const ValueInfo& input);
  bool settle_value(ValueId id, const ValueInfo& input);
  void check_input_options();
  void refuse_option(std::string option, std::string what) const;
  void find_given_names();
  void declare_initializers(const Graph& graph, Scope& scope);
  void check_declared_outputs();
  void list_output(ValueId id, const std::string& name);
  void run_nodes(const Graph& graph, Scope& scope);
  void run_node(const Node& node, Scope& scope);
  void infer(TypedNode& node, Scope& scope);
  void drop_unread(TypedBlock& block, std::set<ValueId>& needed);
  void settle_names();
  void propose_names();

  ValueId add(TypedValue value);
  ValueId find(const Scope& scope, std::string_view name) const;
  void apply_layout(ValueId id, const Graph& graph, bool boundary);
  const LayoutRule* rule_for(std::string_view tensor, std::string_view graph_name) const;
  Axis declared_axis(const ValueType& type, std::size_t i, const std::string& tensor, Polynomial& extent);
  std::optional<Polynomial> dim_extent(const std::string& dim_param);

  // For the contexts.
  bool owe(const Polynomial& slack, const std::string& site, const std::string& reason);
  bool equate(const Polynomial& a, const Polynomial& b, const std::string& site, const std::string& reason);
  // Where the value's rank varies: reports that what reads it cannot mind that.
  bool refuse_varying(ValueId id, const std::string& site);
  std::vector<Polynomial> relations() const;
  void settle_quotients();
  void settle_number(const Polynomial& zero);
  TypedBlock& block(TypedNode& node, const Graph& graph, const std::vector<TensorType>& inputs,
                    const std::vector<const Known*>& known);
  TypedBlock& inlined_block(TypedNode& node, const Graph& graph, const std::vector<ValueId>& inputs);
  void run_block(const TypedNode& node, Scope& scope);
  std::vector<ValueId> tensors(ValueId id) const;
  std::string describe(ValueId id) const;

  const Model& model_;
  const CompileOptions& options_;
  Diagnostics& diagnostics_;
  TypedGraph graph_;
  std::vector<std::pair<ValueId, ValueInfo>> listed_;  // the inputs' tensors, those that structures hold among them
  std::vector<DeclaredInput> inputs_;                  // of them, what forward takes
  Scope* scope_ = nullptr;                  // of the node being read
  std::set<std::string, std::less<>> given_names_;  // the names in dim_params that inputs give a length for
  struct Quotient {
    SymbolId id;
    int tries;
  };
  std::vector<Quotient> quotients_;         // toward zero, of dividends that nothing yet shows not to be negative
  std::size_t proved_ = 0;
  SymbolId quotients_read_ = 0;             // the symbols before this one have been looked at
  std::map<AtomId, std::string> proposed_;
  std::vector<std::string> met_;       // nodes whose axes met by their length alone, as the proposal had it
};

}  // namespace loam
