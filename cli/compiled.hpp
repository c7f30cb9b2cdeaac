// From a graph's file to a module that can be called: compile(), the host compiler and the library, in one step.
#pragma once

#include <optional>

#include "cli/graph_options.hpp"
#include "cli/module.hpp"

namespace loam::cli {

class CompiledGraph {
 public:
  // Says on stderr what is wrong with the graph, and gives nothing where it has errors. Throws a Failure where the
  // module cannot be built or opened. Code is made for speed, on this machine.
  static std::optional<CompiledGraph> make(const fs::path& graph, const GraphOptions& options,
                                           BackendKind backend = BackendKind::cpu);

  const CompileResult& result() const { return result_; }
  Session& session() { return *session_; }
  const GraphFiles& files() const { return files_; }
  // As the graph was compiled with them.
  const CompileOptions& options() const { return options_; }
  // The host compiler's library of the module, which it keeps.
  const fs::path& library_file() const { return library_file_; }

 private:
  explicit CompiledGraph(GraphFiles files) : files_(std::move(files)) {}

  GraphFiles files_;
  MappedFile packed_;
  CompileOptions options_;
  CompileResult result_;
  fs::path library_file_;
  std::optional<Library> library_;
  std::optional<Session> session_;  // after the library and the files it reads
};

}  // namespace loam::cli
