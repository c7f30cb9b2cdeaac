// What every subcommand that compiles a graph takes: the options, and the files they name, opened.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/files.hpp"
#include "cli/module.hpp"
#include "compiler/compile.hpp"
#include "compiler/graph/graph.hpp"

namespace loam::cli {

struct GraphOptions {
  std::string checkpoint;
  std::vector<std::string> layouts;  // files, and "auto"
  bool strict_layout = false;
  std::vector<std::string> dims;      // NAME=N, and of the next two
  std::vector<std::string> elements;
  std::vector<std::string> ranks;
  std::vector<std::string> values;    // NAME=N,N,...
  std::vector<std::string> outputs;
  std::vector<std::string> last;
  std::string packed;                            // a file of packed weights, read instead of the others
  std::vector<std::string> levels;               // of the processor, that the module is compiled at
  bool with_packed = false;                      // the module can write and read such a file
  std::vector<std::string> cache, prefer_cache;  // prefer_cache: where the graph allows it
  std::string store;
  bool embed_weights = false;
  bool fuse = true;
  bool prepare = true;
  std::string module_name;
  int threads = 0;  // of the commands that run the module; 0: the machine's
};

// --checkpoint, --layout, --strict-layout, --dim, --elements, --rank, --value, --output, --last, --cache, --store, --embed-weights,
// --no-fuse, --no-prepare, --namespace.
void add_graph_options(CLI::App& command, GraphOptions& options);
// One of them alone.
void add_layout_option(CLI::App& command, GraphOptions& options);
void add_rewrite_options(CLI::App& command, GraphOptions& options);
// --packed FILE, of the commands that run the module.
void add_packed_option(CLI::App& command, GraphOptions& options);
// --threads, of the commands that run the module.
void add_threads_option(CLI::App& command, GraphOptions& options);

// Whether Loam's proposal names what no layout file does.
bool takes_proposal(const GraphOptions& options);

// The options as compile() takes them. What a layout file has wrong is in `diagnostics`.
CompileOptions compile_options(const GraphOptions& options, Diagnostics& diagnostics);

// A graph's file and those beside it, open while the object lives.
class GraphFiles {
 public:
  // Opens the graph, the checkpoint where one is named, and the data files the graph points to that are there. A data
  // file that is absent while a weights.json stands in its place is made (cli/zoo_weights.hpp), where `make_weights`.
  GraphFiles(const fs::path& graph, const std::string& checkpoint, bool make_weights = false);

  CompileInput input() const;
  std::optional<std::span<const std::byte>> checkpoint() const;
  // The data files that a module asks for, in its order. Throws a Failure that names one that is absent.
  std::vector<DataFile> external(const std::vector<std::string>& locations) const;
  // Weights that nothing will read for long, wherever they lie.
  void let_go(std::span<const std::byte> bytes) const;
  std::size_t bytes() const { return graph_.bytes().size(); }
  // What the graph declares; nothing where it cannot be read. An input that an initializer gives is none.
  const std::vector<ValueInfo>& inputs() const { return inputs_; }
  const std::vector<ValueInfo>& outputs() const { return outputs_; }

 private:
  struct Opened {
    std::string location;
    MappedFile file;
  };
  fs::path path_;
  MappedFile graph_;
  std::optional<MappedFile> checkpoint_;
  std::vector<ValueInfo> inputs_, outputs_;
  std::vector<Opened> external_;
};

}  // namespace loam::cli
