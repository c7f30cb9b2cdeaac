// loam split: a model as a text without its weights, and a checkpoint of them.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/graph_options.hpp"
#include "cli/printer.hpp"
#include "compiler/read/model.hpp"
#include "compiler/read/nested.hpp"
#include "compiler/read/print_onnxtext.hpp"
#include "compiler/read/write_safetensors.hpp"
#include "compiler/stage0/known.hpp"

namespace loam::cli {
namespace {

struct Options {
  std::string graph, folder;
};

// Whether a checkpoint is to supply the tensor. What a build may read stays in the graph: a float of one element is a
// constant, a short list of them may be a Resize's scales, and integers are shapes and indices, but for those that are
// too many to be known to a build.
bool is_weight(const TensorData& tensor) {
  constexpr std::int64_t short_list = 16;
  const std::int64_t elements = tensor.elements();
  if (dtype_to_safetensors(tensor.dtype).empty() || tensor.name == "__metadata__") return false;
  if (!is_float(tensor.dtype)) return elements > most_known;
  return elements > (tensor.dims.size() > 1 ? 1 : short_list);
}

// Takes the weights out of a model. They are borrowed from the model given and from its data files.
class Splitter {
 public:
  Splitter(const Model& model, std::span<const ExternalFile> files) : model_(model), files_(files) {
    visit_defined_names(model.graph, [&](const std::string& name) { ++definitions_[name]; });
  }

  Model split() {
    Model rest = model_;
    rest.graph = without_weights(model_.graph, true);
    std::ranges::move(moved_, std::back_inserter(rest.graph.initializers));
    return rest;
  }
  std::vector<StoredTensor> take_weights() { return std::move(weights_); }

 private:
  Graph without_weights(Graph graph, bool is_main);
  bool takes_constant(const Node& node, const Graph& graph);
  void load(TensorData& tensor) const;
  TensorData take(TensorData weight);

  const Model& model_;
  std::span<const ExternalFile> files_;
  std::unordered_map<std::string, int> definitions_;  // of each name, which two nested graphs may both have
  std::vector<StoredTensor> weights_;
  std::vector<TensorData> moved_;  // weights of nested graphs and of Constants, as initializers of the main graph
};

Graph Splitter::without_weights(Graph graph, bool is_main) {
  std::erase_if(graph.initializers, [&](TensorData& tensor) {
    load(tensor);
    if (!tensor.inline_data() || !is_weight(tensor) || definitions_[tensor.name] > 1) return false;
    TensorData weight = take(tensor);
    if (is_main) tensor = std::move(weight);
    else moved_.push_back(std::move(weight));
    return !is_main;
  });
  std::erase_if(graph.nodes, [&](const Node& node) { return takes_constant(node, graph); });
  for (Node& node : graph.nodes) {
    for (Attribute& attribute : node.attributes) {
      if (auto* tensor = std::get_if<TensorData>(&attribute.value)) load(*tensor);
      transform_graphs(attribute, [&](const Graph& nested) { return without_weights(nested, false); });
    }
  }
  return graph;
}

// A Constant may be a weight too: some exporters write no others.
bool Splitter::takes_constant(const Node& node, const Graph& graph) {
  if (node.op_type != "Constant" || !node.domain.empty() || node.outputs.size() != 1) return false;
  const Attribute* value = node.attribute("value");
  const auto* tensor = value == nullptr ? nullptr : std::get_if<TensorData>(&value->value);
  if (tensor == nullptr || node.attributes.size() != 1) return false;
  TensorData weight = *tensor;
  weight.name = node.outputs[0];
  const bool is_output = std::ranges::find(graph.outputs, weight.name, &ValueInfo::name) != graph.outputs.end();
  if (is_output || !is_weight(weight) || definitions_[weight.name] > 1) return false;
  load(weight);
  moved_.push_back(take(std::move(weight)));
  return true;
}

// Puts data inline that lies in a file: the text is written elsewhere.
void Splitter::load(TensorData& tensor) const {
  const auto* external = std::get_if<ExternalData>(&tensor.data);
  if (external == nullptr) return;
  const auto found = std::ranges::find(files_, external->location, &ExternalFile::location);
  if (found == files_.end()) {
    throw Failure(
        fmt::format("{}: its data lies in {}, which is not beside the graph", tensor.name, external->location));
  }
  const auto offset = static_cast<std::uint64_t>(external->offset);
  const std::uint64_t bytes = dense_bytes(tensor.dtype, tensor.elements()).value_or(0);
  if (offset > found->bytes.size() || bytes > found->bytes.size() - offset) {
    throw Failure(fmt::format("{}: its {} bytes at {} are not in {}, of {}", tensor.name, bytes, offset,
                              external->location, found->bytes.size()));
  }
  tensor.data = Bytes::borrow(found->bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes)));
}

// Stores the weight, and gives what remains of it in the graph.
TensorData Splitter::take(TensorData weight) {
  weights_.push_back({weight.name, weight.dtype, weight.dims, std::get<Bytes>(weight.data).span()});
  weight.data = std::monostate();
  return weight;
}

int split(const Options& options) {
  const GraphFiles files(options.graph, {}, true);
  const CompileInput input = files.input();
  Diagnostics diagnostics;
  const std::optional<Model> model = read_model(input.graph_name, input.graph, diagnostics);
  print(diagnostics);
  if (!model) return exit_failed;

  Splitter splitter(*model, input.external);
  const std::string text = print_onnxtext(splitter.split());
  const std::string checkpoint = write_safetensors(splitter.take_weights());
  const fs::path graph = options.graph;
  const std::vector<NewFile> written{{graph.stem().string() + ".onnxtext", text},
                                     {graph.stem().string() + ".safetensors", checkpoint}};
  for (const NewFile& file : written) {
    std::error_code none;
    if (fs::equivalent(graph, fs::path(options.folder) / file.name, none))
      throw Failure(options.graph + ": the split would replace it; name another folder");
  }
  write_files(options.folder, written);
  for (const NewFile& file : written) {
    fmt::print("{} ({:.1f} KB)\n", (fs::path(options.folder) / file.name).string(),
               static_cast<double>(file.text.size()) / 1e3);
  }
  return exit_ok;
}

}  // namespace

void add_split(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("split", "Split a model into a text without its weights and a checkpoint of them");
  auto options = std::make_shared<Options>();
  command->add_option("GRAPH", options->graph, "The model: .onnx or .onnxtext")->required();
  command->add_option("-o,--out", options->folder, "Where GRAPH.onnxtext and GRAPH.safetensors are written")
      ->required()
      ->type_name("DIR");
  command->footer("Example: loam split mnist.onnx -o split\n"
                  "         loam build split/mnist.onnxtext --checkpoint split/mnist.safetensors -o generated");
  command->callback([options, &action] { action = [options] { return split(*options); }; });
}

}  // namespace loam::cli
