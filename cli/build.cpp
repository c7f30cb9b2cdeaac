// loam build: a graph to a module's files.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/graph_options.hpp"
#include "cli/printer.hpp"

namespace loam::cli {
namespace {

struct Options {
  std::string graph, folder;
  GraphOptions build;
};

int build(const Options& options) {
  Diagnostics diagnostics;
  const CompileOptions compile_with = compile_options(options.build, diagnostics);
  const GraphFiles files(options.graph, options.build.checkpoint);
  CompileResult result;
  if (!diagnostics.failed()) result = compile(files.input(), compile_with, diagnostics);
  print(diagnostics);
  if (diagnostics.failed()) return exit_failed;
  if (compile_with.auto_layout) print_proposal(result.proposed_layout);

  std::vector<NewFile> written;
  for (const OutputFile& file : result.files) written.push_back({file.name, file.text});
  write_files(options.folder, written);
  for (const NewFile& file : written)
    fmt::print("{} ({:.1f} KB)\n", (fs::path(options.folder) / file.name).string(),
               static_cast<double>(file.text.size()) / 1e3);
  return exit_ok;
}

}  // namespace

void add_build(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("build", "Compile a graph to the files of a C++20 module");
  auto options = std::make_shared<Options>();
  command->add_option("GRAPH", options->graph, "The model: .onnx or .onnxtext")->required();
  add_graph_options(*command, options->build);
  command->add_option("-o,--out", options->folder, "Where the files are written")->required()->type_name("DIR");
  command->footer("Example: loam build gpt2.onnx --checkpoint gpt2.safetensors --layout gpt2.layout.json -o generated");
  command->callback([options, &action] { action = [options] { return build(*options); }; });
}

}  // namespace loam::cli
