// loam report: what became of a graph's nodes, tensors and conditions.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/graph_options.hpp"
#include "cli/printer.hpp"
#include "compiler/report.hpp"

namespace loam::cli {
namespace {

struct Options {
  std::string graph, format = "text", file;
  GraphOptions build;
};

int report_graph(const Options& options) {
  Diagnostics diagnostics;
  const CompileOptions compile_with = compile_options(options.build, diagnostics);
  const GraphFiles files(options.graph, options.build.checkpoint);
  std::optional<Report> made;
  if (!diagnostics.failed()) made = report(files.input(), compile_with, diagnostics);
  print(diagnostics);
  if (!made) return exit_failed;
  const std::string text = options.format == "json"   ? report_json(*made)
                           : options.format == "html" ? report_html(*made)
                                                      : report_text(*made);
  if (options.file.empty()) {
    fmt::print("{}", text);
    return exit_ok;
  }
  write_file(options.file, text);
  return exit_ok;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("report", "Say what became of each node, tensor and condition of a graph");
  auto options = std::make_shared<Options>();
  command->add_option("GRAPH", options->graph, "The model: .onnx or .onnxtext")->required();
  add_graph_options(*command, options->build);
  command->add_option("--format", options->format, "text; json, for tools; html, one page with the graph drawn")
      ->check(CLI::IsMember({"text", "json", "html"}));
  command->add_option("-o,--out", options->file, "Where it is written; printed where not given")->type_name("FILE");
  command->footer(
      "Example: loam report model.onnx --layout auto --format html -o report.html\n"
      "Nodes are folded (the build computed them), unread (no run needs them), aliased (a view of what is there),\n"
      "fused (part of another's kernel), prepared (computed once, of weights alone) or computed by kernels of their\n"
      "own; each says why. Sizes are polynomials over the graph's symbols. The page needs nothing beside it.");
  command->callback([options, &action] { action = [options] { return report_graph(*options); }; });
}

}  // namespace loam::cli
