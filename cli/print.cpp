// loam print: a graph as ONNX's textual format.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/printer.hpp"
#include "compiler/read/model.hpp"
#include "compiler/read/print_onnxtext.hpp"

namespace loam::cli {
namespace {

struct Options {
  std::string graph, file;
};

int print_graph(const Options& options) {
  const MappedFile file(options.graph);
  Diagnostics diagnostics;
  const std::optional<Model> model = read_model(options.graph, file.bytes(), diagnostics);
  print(diagnostics);
  if (!model) return exit_failed;
  const std::string text = print_onnxtext(*model);
  if (options.file.empty())
    std::fwrite(text.data(), 1, text.size(), stdout);  // whole, also where a string in it holds a NUL
  else
    write_file(options.file, text);
  return exit_ok;
}

}  // namespace

void add_print(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("print", "Print a graph as ONNX text, which Loam and onnx.parser read");
  auto options = std::make_shared<Options>();
  command->add_option("GRAPH", options->graph, "The model: .onnx or .onnxtext")->required();
  command->add_option("-o,--out", options->file, "Write the text here; to stdout where not given")->type_name("FILE");
  command->footer("Example: loam print model.onnx -o model.onnxtext");
  command->callback([options, &action] { action = [options] { return print_graph(*options); }; });
}

}  // namespace loam::cli
