// The one way in: bytes and options to files and a report. Pure: no file is opened, no clock or environment is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostic.hpp"

namespace loam {

// One rule of a layout: the axes of the tensors whose name the pattern matches; the first rule that matches wins.
struct LayoutRule {
  std::string pattern;            // a shell wildcard over the tensor's name: * and ?
  std::vector<std::string> axes;  // one a dimension: "Seq", a merge "(Head Dim)", or "_" for an axis left to inference
  std::string graph;              // the graph whose tensors it reaches, by the name the graph declares; empty: every one
  std::string comment = {};       // for the reader alone
};

struct Layout {
  std::vector<LayoutRule> rules;
  // Nodes, by an output's name (a shell wildcard), at which axes that are made of different parts are one by their length:
  // a [2, 3] flattened meets a [3, 2] flattened.
  std::vector<std::string> meets = {};
};

// {"rules": [{"pattern": "*.wte.weight", "axes": ["Vocab", "Embed"], "graph": "..."}]}; see docs/layout.md.
std::optional<Layout> parse_layout(std::string_view json, Diagnostics&);
// The same file, laid out for people.
std::string print_layout(const Layout&);

// The levels of the x86-64 psABI that a module is compiled at, lowest first, as -march= has them.
inline constexpr std::string_view processor_levels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

struct CompileOptions {
  std::string module_name;             // the namespace; empty: from the graph's name
  Layout layout;
  bool auto_layout = false;            // take the proposal for every axis nothing names, and say so in the report
  bool strict_layout = false;          // every initializer's axes must be named by a rule
  std::map<std::string, std::int64_t> dims;  // dim_param = extent
  // What a graph leaves open of its inputs, by name, and the build must know. Of a sequence x or an optional, how many
  // tensors it holds (an optional 0 or 1), which forward then takes as x_0, x_1, ...; the rank of a tensor declared
  // without one; the elements of a tensor of integers or bools, which forward then does not take.
  std::map<std::string, std::int64_t> elements, ranks;
  std::map<std::string, std::vector<std::int64_t>> values;
  std::vector<std::string> outputs;    // the outputs forward returns; empty: all
  std::vector<std::string> last;       // outputs of which the last place of the axis before the last is kept, alone
  // "past_key_values.*=present.*": inputs and outputs that are one buffer, which forward appends to; of `prefer_cache` those
  // that the graph allows it of, all or none.
  std::vector<std::string> cache, prefer_cache;
  bool store_checkpoint = false;       // hold weights in the checkpoint's own float type, widened where a kernel reads
  bool embed_weights = false;          // put the checkpoint's payload into the module
  // Emission
  bool include_runtime = false;        // include "loam/runtime..." headers rather than carry them (many modules at once)
  bool prepare = true;                 // weights are packed, and what comes of them alone computed, before the first run
  bool packed = false;                 // also emit what writes the prepared weights to a file, and reads them where it lies
  std::vector<std::string> levels;     // emit a module to be compiled at each of these, and what chooses one at a start
  bool fuse = true;                    // calls are joined where one kernel computes what several would
  bool wasm = false;                   // also emit the source of a WebAssembly module, and what loads it on a page
  bool wasm_threads = false;           // and what starts its threads, in builds with shared memory
  bool harness = false;                // also emit the harness of `loam run` and `loam test`
};

struct ExternalFile {
  std::string location;                // as the graph spells it
  std::span<const std::byte> bytes;
};

struct CompileInput {
  std::string graph_name;              // the file's name, whose extension says the format: .onnx, .onnxtext
  std::span<const std::byte> graph;
  // The checkpoint: at least its header. With embed_weights, all of it.
  std::optional<std::span<const std::byte>> checkpoint;
  std::optional<std::uint64_t> checkpoint_size;  // of the whole file, where only its header is given
  // Data files the graph points to, where the build may need them: an integer tensor stage 0 reads, or embed_weights.
  // What is absent here is loaded at run time.
  std::vector<ExternalFile> external;
};

struct OutputFile {
  std::string name;                    // relative: "gpt2.hpp"
  std::string text;
};

// One input or output of forward, for tools that call a module without knowing it.
struct Port {
  std::string name;                    // as the graph spells it
  std::string dtype;                   // "float32"
  std::vector<std::string> axes;       // names
  std::vector<std::string> extents;    // "N", "past + seq", "768"
};

struct CompileResult {
  std::vector<OutputFile> files;       // empty where the build failed
  std::string module_name;
  std::vector<Port> inputs, outputs;   // a cache's among them
  std::vector<std::pair<std::string, std::string>> cached;  // the input and the output of each of a cache's tensors
  std::vector<std::string> external_locations;  // data files the module's weights lie in, in the order load takes them
  bool needs_checkpoint = false;
  Layout proposed_layout;              // rules that name every axis the layout given does not
  std::vector<std::string> owed;       // "what - the node that relies on it", as forward checks it
  std::size_t proved = 0;              // conditions over lengths that the build proved, and forward need not check
  std::size_t nodes = 0, folded = 0, calls = 0;
};

// Everything that is wrong is in `diagnostics`; the result then has no files.
CompileResult compile(const CompileInput& input, const CompileOptions& options, Diagnostics& diagnostics);

// The same up to stage 0: `loam check` and `loam layout`.
CompileResult check(const CompileInput& input, const CompileOptions& options, Diagnostics& diagnostics);

// Every operator and the file of compiler/operators it is written in, for docs/operators.md.
struct OperatorInfo {
  std::string domain, name, file;      // "" is ai.onnx; "lrn.cpp"
};
std::vector<OperatorInfo> registered_operators();

}  // namespace loam
