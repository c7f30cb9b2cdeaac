// The state one module is written with: names given so far, and how extents and types are spelled.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/emit.hpp"
#include "compiler/emit/identifiers.hpp"
#include "compiler/emit/javascript.hpp"
#include "compiler/kernel/sizes.hpp"

namespace loam {

class ModuleWriter {
 public:
  ModuleWriter(const EmitInput& input, Diagnostics& diagnostics);
  std::string module();
  std::string harness();
  // wasm.cpp; after module()
  std::string wasm_source();
  PageModule page_module() const;
  // levels.cpp; after module(), which then is what a level compiles
  std::string facade();                          // what a program sees of them
  std::vector<OutputFile> level_sources() const;

 private:
  // module.cpp
  void collect_axes();
  void name_boundary();
  std::string axes_section();
  std::string expressions_section();
  std::string constants_section();
  std::string weights_section(bool loads);       // or with the members alone
  std::string outputs_section();
  // prepared.cpp
  std::string prepared_section();
  std::map<const Step*, std::vector<TensorId>> last_reads_of_weights() const;
  std::set<TensorId> read_by_forward(bool whole) const;
  // packed.cpp
  std::vector<TensorId> weights_read() const;
  std::string packed_section();
  // cache.cpp
  void name_cache();
  std::string cache_section();
  Polynomial cache_length() const;
  std::string cache_check();                     // forward's: whether there is room for what it appends
  void declare_cached(TensorId t, int depth, std::string& out);  // one of its tensors, as long as this call makes it
  std::string cache_kept();                      // once all is done
  // levels.cpp
  std::string compiled_section() const;
  // harness.cpp
  struct HarnessCache {
    std::string types, members, takes, gives;
  };
  HarnessCache harness_cache(const std::string& others);  // the places of the inputs that are not cached
  std::string comment_section() const;
  // checks.cpp
  std::string input_checks();
  void check_sizes(int depth, std::string& out);
  void check_length(SymbolId id, const std::string& site, int depth, std::string& out);
  // control.cpp
  void render_loop(const LoopStep& loop, const std::string& site, int depth, std::string& out);
  void render_branch(const BranchStep& branch, const std::string& site, int depth, std::string& out);
  // body.cpp
  std::string forward_section();
  void render_block(const Block& block, int depth, std::string& out);
  void render_step(const Step& step, int depth, std::string& out);
  void render_call(const Call& call, const Step& step, int depth, std::string& out);
  void render_view(const ViewStep& view, int depth, std::string& out);
  void open_segment(const Segment& segment, int depth, std::string& out);
  void declare(TensorId root, int depth, std::string& out);
  std::string operand(const OperandRef& ref, int depth, std::string& out);
  std::string argument(const Argument& argument, int depth, std::string& out);
  std::string constant_tensor(TensorId t, int depth, std::string& out);
  // extents.cpp
  void define_symbols(const Polynomial& p, int depth, std::string& out);
  std::string text(const Polynomial& p) const;
  std::string extent_list(const std::vector<Polynomial>& extents, int depth, std::string& out);
  std::string symbol_name(SymbolId id);
  // Types
  std::string axis_type(const Axis& axis) const;
  std::string axis_list(const std::vector<Axis>& axes, std::string_view before = ", ") const;
  std::string tensor_type(const VirtualTensor& t, std::string_view head = "loam::Tensor<") const;
  std::string axis_label(const Axis& axis) const;
  std::vector<Polynomial> extents_of(const VirtualTensor& t) const;
  const VirtualTensor& tensor(TensorId t) const { return input_.program.tensors[t]; }
  const std::string& name(TensorId t);
  static std::string indent(int depth) { return std::string(static_cast<std::size_t>(2 * depth), ' '); }

  const EmitInput& input_;
  Diagnostics& diagnostics_;
  const Symbols& symbols_;
  Identifiers names_;        // of the module's namespace
  Identifiers locals_;       // of forward; the module's names are taken here too
  std::map<std::string, std::string> axis_types_;              // axis word -> marker
  std::map<std::string, std::optional<std::int64_t>> axis_extents_;  // nullopt: they differ or are the run's
  std::vector<std::string> axis_order_;
  std::map<TensorId, std::string> tensor_names_;
  std::map<TensorId, std::string> weight_names_;              // and the prepared tensors'
  std::string weights_ = "weights.";                           // what they are members of, where a statement reads them
  std::vector<std::string> input_names_;
  std::vector<std::string> output_names_;
  std::vector<std::string> cache_names_;                       // members of Cache, by entry
  std::vector<std::pair<SymbolId, std::string>> cache_members_;  // its lengths: that of the axis it grows on, then what it is made with
  std::map<SymbolId, std::string> symbol_names_;
  std::set<SymbolId> defined_;
  std::vector<SizeBound> size_bounds_;                         // those not yet checked
  std::vector<std::size_t> statements_;                        // where those of forward's own block begin in its body
  std::set<TensorId> declared_;                                // in the scope being written
  std::set<TensorId> constants_written_;                       // at namespace scope
  std::map<std::string, std::string> expressions_;             // body -> name
  std::vector<std::pair<std::string, std::string>> expression_order_;  // name, struct text
  std::string constants_;
  std::string hoisted_;      // storage declared at forward's top
  std::map<int, std::vector<std::string>> slot_names_;
  std::set<std::string> folders_;
  bool can_fail_ = false;
  bool loops_ = false;
  bool regroups_ = false;
  bool functions_ = false;                                     // whether a call takes an expression, which is written with them
  bool narrow_ = false;                                        // whether an expression converts to a narrow type
};

// The runtime files the ops need, in an order in which each comes after what it includes; system includes apart.
struct RuntimeText {
  std::vector<std::string> system_includes;
  std::string text;
};
// Where `small`, what a WebAssembly module runs once a call or a load is compiled to be small.
RuntimeText amalgamate(const std::set<std::string>& roots, std::string_view enclosing_namespace, bool small);
inline constexpr std::string_view small_begins =
    "#if defined(__wasm__)\n#pragma clang attribute push(__attribute__((minsize)), apply_to = function)\n#endif\n";
inline constexpr std::string_view small_ends = "#if defined(__wasm__)\n#pragma clang attribute pop\n#endif\n";

}  // namespace loam
