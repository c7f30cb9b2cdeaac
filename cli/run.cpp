// loam run: a graph's outputs for given inputs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>

#include "cli/commands.hpp"
#include "cli/compiled.hpp"
#include "cli/failure.hpp"
#include "cli/npy.hpp"
#include "cli/printer.hpp"
#include "cli/profile.hpp"

namespace loam::cli {
namespace {

struct Options {
  std::string graph, folder;
  std::vector<std::string> inputs;  // NAME=FILE
  int profiled = 0;                 // runs; 0: none
  GraphOptions build;
};

std::pair<std::string, std::string> parse_input(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw CLI::ValidationError(fmt::format("'{}' is not of the form NAME=FILE.npy", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string port_text(const Port& port) {
  return fmt::format("{}: {}[{}]", port.name, port.dtype, fmt::join(port.extents, ", "));
}

// The graph's inputs in its order, read from the files given for them.
std::vector<HostTensor> read_inputs(const Options& options, const CompileResult& result,
                                    std::span<const harness::PortInfo> ports) {
  std::map<std::string, std::string> files;
  for (const std::string& input : options.inputs)
    if (const auto [name, file] = parse_input(input); !files.emplace(name, file).second)
      throw Failure(fmt::format("--input {} is given twice", name));

  std::vector<HostTensor> tensors;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto given = files.find(ports[i].name);
    if (given == files.end()) {
      missing.push_back("\n  " + (i < result.inputs.size() ? port_text(result.inputs[i]) : std::string(ports[i].name)));
      continue;
    }
    const std::string file = given->second;
    files.erase(given);
    const DType dtype = dtype_from_onnx(ports[i].dtype).value_or(DType::undefined);
    const bool raw = dtype_bits(dtype) == 16 || is_narrow(dtype);
    HostTensor tensor = read_npy(file, MappedFile(file).bytes(), raw ? dtype : DType::bfloat16);
    if (tensor.dtype != dtype)
      throw Failure(fmt::format("{}: is of type {}, and input {} is {}", file, dtype_name(tensor.dtype), ports[i].name,
                                dtype_name(dtype)));
    if (static_cast<std::int32_t>(tensor.extents.size()) != ports[i].rank)
      throw Failure(fmt::format("{}: has {} axes, and input {} has {}", file, tensor.extents.size(), ports[i].name,
                                ports[i].rank));
    tensors.push_back(std::move(tensor));
  }
  if (!missing.empty())
    throw Failure(fmt::format("these inputs need --input NAME=FILE.npy:{}", fmt::join(missing, "")));
  if (!files.empty()) throw Failure(fmt::format("the graph has no input {}", files.begin()->first));
  return tensors;
}

int run_graph(const Options& options) {
  const BackendKind backend = options.profiled > 0 ? BackendKind::opaque : BackendKind::cpu;
  std::optional<CompiledGraph> graph = CompiledGraph::make(options.graph, options.build, backend);
  if (!graph) return exit_failed;
  if (takes_proposal(options.build)) print_proposal(graph->result().proposed_layout);
  Session& session = graph->session();
  const std::vector<HostTensor> inputs = read_inputs(options, graph->result(), session.inputs());
  std::vector<harness::RawTensor> raw;
  for (const HostTensor& input : inputs) raw.push_back(input.raw());
  if (options.profiled > 0) {
    fmt::print("{}", profile({session, graph->result(), graph->files(), graph->options()}, raw, options.profiled));
    return exit_ok;
  }
  const std::span<const harness::RawTensor> outputs = session.run(raw);

  std::vector<std::string> texts;
  std::vector<NewFile> files;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const char* name = session.outputs()[i].name;
    const std::string what = describe(dtype_of(outputs[i]), extents_of(outputs[i]));
    if (options.folder.empty()) {
      fmt::print("{}: {}\n{}\n", name, what, print_elements(outputs[i]));
      continue;
    }
    texts.push_back(write_npy(outputs[i]));
    files.push_back({file_name_of(name) + ".npy", {}});
    fmt::print("{}: {}\n", (fs::path(options.folder) / files.back().name).string(), what);
  }
  for (std::size_t i = 0; i < files.size(); ++i) files[i].text = texts[i];
  if (!files.empty()) write_files(options.folder, files);
  return exit_ok;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Compile a graph with the host's C++ compiler and run it once");
  auto options = std::make_shared<Options>();
  command->add_option("GRAPH", options->graph, "The model: .onnx or .onnxtext")->required();
  command->add_option("--input", options->inputs, "An input of the graph, from NumPy's file format")
      ->type_name("NAME=FILE.npy")
      ->take_all()
      ->each([](const std::string& text) { parse_input(text); });
  add_graph_options(*command, options->build);
  add_packed_option(*command, options->build);
  add_threads_option(*command, options->build);
  command->add_option("-o,--out", options->folder, "Save the outputs here as NAME.npy; print them where not given")
      ->type_name("DIR");
  command->add_option("--profile", options->profiled, "Run it N times more and print where the time goes instead")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  command->footer(
      "Example: loam run mnist.onnx --layout auto --input Input3=digit.npy\n"
      "The compiled module is kept in $LOAM_CACHE, else ~/.cache/loam, and found again by its content.");
  command->callback([options, &action] {
    if (options->profiled > 0 && !options->folder.empty())
      throw CLI::ValidationError("--profile says where the time goes, and saves no outputs: leave --out away");
    action = [options] { return run_graph(*options); };
  });
}

}  // namespace loam::cli
