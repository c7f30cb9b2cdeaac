// loam pack: a model's weights as its module computes with them, in a file that is used where it lies.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.hpp"
#include "cli/compiled.hpp"
#include "cli/failure.hpp"
#include "cli/printer.hpp"
#include "cli/progress.hpp"

namespace loam::cli {
namespace {

struct Options {
  std::string graph, file;
  GraphOptions build;
};

int pack(Options options) {
  options.build.with_packed = true;
  UnfinishedFile file(options.file);  // before the work that would be lost
  std::optional<CompiledGraph> graph = CompiledGraph::make(options.graph, options.build);
  if (!graph) return exit_failed;
  Progress progress;
  double written = 0;
  graph->session().pack([&](std::span<const std::byte> bytes) {
    constexpr std::size_t most = std::size_t{16} << 20;
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), most))) {
      const std::size_t count = std::min(bytes.size(), most);
      file.write(bytes.first(count));
      progress.say(fmt::format("writing {}: {:.0f} MB", options.file, (written += static_cast<double>(count)) / 1e6));
    }
  });
  progress.clear();
  file.finish();
  fmt::print("{} ({:.1f} MB)\n", options.file, written / 1e6);
  return exit_ok;
}

}  // namespace

void add_pack(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("pack", "Write a model's weights as this machine computes with them, to be mapped");
  auto options = std::make_shared<Options>();
  command->add_option("GRAPH", options->graph, "The model: .onnx or .onnxtext")->required();
  add_graph_options(*command, options->build);
  add_threads_option(*command, options->build);
  command->add_option("-o,--out", options->file, "The file to write")->required()->type_name("FILE");
  command->footer(
      "Example: loam pack gpt2.onnx --checkpoint gpt2.safetensors --layout auto -o gpt2.loam\n"
      "The same options and --packed FILE run it: loam run, loam generate. A program's own module, built with --packed,\n"
      "writes such a file by write_packed and reads it by load_packed.");
  command->callback([options, &action] { action = [options] { return pack(*options); }; });
}

}  // namespace loam::cli
