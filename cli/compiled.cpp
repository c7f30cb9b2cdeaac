#include "cli/compiled.hpp"

#include <fmt/format.h>

#include "cli/failure.hpp"
#include "cli/host_compiler.hpp"
#include "cli/printer.hpp"
#include "cli/progress.hpp"

namespace loam::cli {

std::optional<CompiledGraph> CompiledGraph::make(const fs::path& graph, const GraphOptions& options, BackendKind backend) {
  Progress progress(fmt::format("compiling {}", graph.filename().string()));
  Diagnostics diagnostics;
  CompileOptions compile_with = compile_options(options, diagnostics);
  compile_with.include_runtime = true;
  compile_with.harness = true;
  compile_with.packed = compile_with.packed || !options.packed.empty();
  std::optional<CompiledGraph> compiled(CompiledGraph(GraphFiles(graph, options.checkpoint, true)));
  if (!diagnostics.failed()) compiled->result_ = compile(compiled->files_.input(), compile_with, diagnostics);
  compiled->options_ = compile_with;
  progress.clear();
  print(diagnostics);
  if (diagnostics.failed()) return std::nullopt;

  const HostCompiler host(CodeFor::speed);
  const CompileResult& result = compiled->result_;
  const CompileResult* const module = &result;
  progress.say(fmt::format("compiling {}.hpp with {}; the result is kept", result.module_name, host.name()));
  const HostLibrary built = host.build(std::span(&module, 1), std::chrono::hours(1), [&] { progress.tick(); });
  progress.clear();
  if (built.path.empty()) throw Failure(fmt::format("the module does not compile: {}", first_error(built.output)));

  compiled->library_file_ = built.path;
  compiled->library_.emplace(built.path);
  if (!options.packed.empty()) {
    compiled->packed_ = MappedFile(options.packed);
    compiled->session_.emplace(compiled->library_->module(result.module_name), compiled->packed_.bytes(), backend, options.threads);
    return compiled;
  }
  compiled->session_.emplace(compiled->library_->module(result.module_name),
                             result.needs_checkpoint ? compiled->files_.checkpoint() : std::nullopt,
                             compiled->files_.external(result.external_locations), backend, options.threads,
                             [&](std::int64_t done, std::int64_t total, std::span<const std::byte> idle) {
                               compiled->files_.let_go(idle);
                               progress.say(fmt::format("preparing weights: {:.0f} of {:.0f} MB", static_cast<double>(done) / 1e6,
                                                        static_cast<double>(total) / 1e6));
                             });
  progress.clear();
  return compiled;
}

}  // namespace loam::cli
