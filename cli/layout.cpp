// loam layout: a layout file that names every axis of a graph, to be edited.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/graph_options.hpp"
#include "cli/printer.hpp"

namespace loam::cli {
namespace {

struct Options {
  std::string graph, file;
  GraphOptions build;
};

int propose(const Options& options) {
  Diagnostics diagnostics;
  CompileOptions compile_with = compile_options(options.build, diagnostics);
  compile_with.auto_layout = true;
  const GraphFiles files(options.graph, options.build.checkpoint);
  CompileResult result;
  if (!diagnostics.failed()) result = check(files.input(), compile_with, diagnostics);
  print(diagnostics);
  if (diagnostics.failed()) return exit_failed;

  // The rules given come first: the first that matches a tensor wins, as it did here.
  Layout layout = compile_with.layout;
  layout.rules.insert(layout.rules.end(), result.proposed_layout.rules.begin(), result.proposed_layout.rules.end());
  layout.meets.insert(layout.meets.end(), result.proposed_layout.meets.begin(), result.proposed_layout.meets.end());
  const std::string text = print_layout(layout);
  if (options.file.empty())
    fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  else
    write_file(options.file, text);
  return exit_ok;
}

}  // namespace

void add_layout(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("layout", "Propose a layout: the names of a graph's axes");
  auto options = std::make_shared<Options>();
  command->add_option("GRAPH", options->graph, "The model: .onnx or .onnxtext")->required();
  add_graph_options(*command, options->build);
  command->add_option("-o,--out", options->file, "Write the layout here; to stdout where not given")->type_name("FILE");
  command->footer("Example: loam layout gpt2.onnx -o gpt2.layout.json");
  command->callback([options, &action] { action = [options] { return propose(*options); }; });
}

}  // namespace loam::cli
