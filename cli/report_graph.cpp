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
  std::string graph, format = "text";
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
  fmt::print("{}", options.format == "json" ? report_json(*made) : report_text(*made));
  return exit_ok;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("report", "Say what became of each node, tensor and condition of a graph");
  auto options = std::make_shared<Options>();
  command->add_option("GRAPH", options->graph, "The model: .onnx or .onnxtext")->required();
  add_graph_options(*command, options->build);
  command->add_option("--format", options->format, "text, or json")->check(CLI::IsMember({"text", "json"}));
  command->footer(
      "Example: loam report model.onnx --layout auto\n"
      "Nodes are folded (the build computed them), aliased (a view of what is there), fused (part of another's kernel)\n"
      "or computed by kernels of their own. Sizes are polynomials over the graph's symbols.");
  command->callback([options, &action] { action = [options] { return report_graph(*options); }; });
}

}  // namespace loam::cli
