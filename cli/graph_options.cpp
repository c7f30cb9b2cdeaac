#include "cli/graph_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "cli/failure.hpp"
#include "cli/zoo_weights.hpp"
#include "compiler/read/model.hpp"

namespace loam::cli {
namespace {

// "x=1,0,-2": a name, and integers, none of them where nothing follows "=".
std::optional<std::pair<std::string, std::vector<std::int64_t>>> parse_values(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  std::vector<std::int64_t> values;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data() + equals + 1; at != end;) {
    const auto [stop, error] = std::from_chars(at, end, values.emplace_back());
    if (error != std::errc{} || (stop != end && (*stop != ',' || stop + 1 == end))) return std::nullopt;
    at = stop == end ? end : stop + 1;
  }
  return std::pair(text.substr(0, equals), std::move(values));
}

std::pair<std::string, std::int64_t> parse_number(const std::string& text) {
  const auto parsed = parse_values(text);
  if (!parsed || parsed->second.size() != 1 || parsed->second[0] < 0)
    throw CLI::ValidationError(fmt::format("'{}' is not of the form NAME=N", text));
  return {parsed->first, parsed->second[0]};
}

void add_number_option(CLI::App& command, const std::string& option, std::vector<std::string>& values,
                       const std::string& what) {
  command.add_option(option, values, what)->type_name("NAME=N")->take_all()->each([](const std::string& text) {
    parse_number(text);  // the error is given the option's name
  });
}

std::map<std::string, std::int64_t> numbers(const std::vector<std::string>& texts) {
  std::map<std::string, std::int64_t> map;
  for (const std::string& text : texts) map.insert(parse_number(text));
  return map;
}

void collect(const TensorData& tensor, std::set<std::string>& locations) {
  if (const auto* external = std::get_if<ExternalData>(&tensor.data)) locations.insert(external->location);
}

void collect(const Graph& graph, std::set<std::string>& locations) {
  for (const TensorData& tensor : graph.initializers) collect(tensor, locations);
  for (const Node& node : graph.nodes)
    for (const Attribute& attribute : node.attributes) {
      if (const auto* tensor = std::get_if<TensorData>(&attribute.value)) collect(*tensor, locations);
      if (const auto* nested = std::get_if<std::shared_ptr<const Graph>>(&attribute.value))
        collect(**nested, locations);
      if (const auto* many = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute.value))
        for (const auto& one : *many) collect(*one, locations);
    }
}

}  // namespace

void add_layout_option(CLI::App& command, GraphOptions& options) {
  command
      .add_option("--layout", options.layouts,
                  "Name the axes by this layout file; 'auto' takes Loam's proposal for what no rule names")
      ->type_name("FILE|auto")
      ->take_all();
}

void add_rewrite_options(CLI::App& command, GraphOptions& options) {
  command.add_flag_callback(
      "--no-fuse", [&options] { options.fuse = false; }, "Compute every operator by a kernel of its own");
  command.add_flag_callback(
      "--no-prepare", [&options] { options.prepare = false; },
      "Use weights as they lie: less memory and an earlier start, and products slower");
}

void add_packed_option(CLI::App& command, GraphOptions& options) {
  command
      .add_option("--packed", options.packed, "The weights as `loam pack` wrote them for the same options, used where they lie")
      ->type_name("FILE");
}

void add_threads_option(CLI::App& command, GraphOptions& options) {
  command
      .add_option("--threads", options.threads,
                  options.threads == 0
                      ? "Threads that kernels share their work among; as many as the machine has where not given"
                      : "Threads that kernels share their work among; 1 where not given")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
}

void add_graph_options(CLI::App& command, GraphOptions& options) {
  command
      .add_option("--checkpoint", options.checkpoint,
                  "Weights by initializer name (safetensors); wins over external data")
      ->type_name("FILE");
  add_layout_option(command, options);
  command.add_flag("--strict-layout", options.strict_layout, "Every initializer's axes must be named by a layout rule");
  add_number_option(command, "--dim", options.dims, "Settle a symbolic extent at build time");
  add_number_option(command, "--elements", options.elements,
                    "How many tensors an input that is a sequence holds, or an optional: 0 or 1");
  add_number_option(command, "--rank", options.ranks, "How many axes an input has that is declared without a rank");
  command.add_option("--value", options.values, "The elements of an input of integers or bools, which forward then lacks")
      ->type_name("NAME=N,N...")
      ->take_all()
      ->each([](const std::string& text) {
        if (!parse_values(text))
          throw CLI::ValidationError(fmt::format("'{}' is not of the form NAME=N,N...", text));
      });
  command.add_option("--output", options.outputs, "An output that forward returns; all of them where not given")
      ->type_name("NAME")
      ->take_all();
  command
      .add_option("--last", options.last,
                  "An output of which forward gives the last place alone, on the axis before the last: logits, say")
      ->type_name("NAME")
      ->take_all();
  command
      .add_option("--cache", options.cache,
                  "Inputs and outputs that are one buffer, which forward appends to: past_key_values.*=present.*, say")
      ->type_name("INPUT=OUTPUT")
      ->take_all();
  command.add_option("--store", options.store, "'checkpoint' holds weights in the checkpoint's own 16-bit type")
      ->type_name("checkpoint")
      ->check(CLI::IsMember({"checkpoint"}));
  command.add_flag("--embed-weights", options.embed_weights, "Put the weights into the module");
  add_rewrite_options(command, options);
  command.add_option("--namespace", options.module_name, "The module's namespace; the graph's name where not given")
      ->type_name("NAME");
}

bool takes_proposal(const GraphOptions& options) { return std::ranges::count(options.layouts, "auto") > 0; }

CompileOptions compile_options(const GraphOptions& options, Diagnostics& diagnostics) {
  CompileOptions compile;
  compile.module_name = options.module_name;
  compile.auto_layout = takes_proposal(options);
  for (const std::string& layout : options.layouts) {
    if (layout == "auto") continue;
    if (std::optional<Layout> parsed = parse_layout(read_text(layout), diagnostics)) {
      std::ranges::move(parsed->rules, std::back_inserter(compile.layout.rules));
      std::ranges::move(parsed->meets, std::back_inserter(compile.layout.meets));
    }
  }
  compile.strict_layout = options.strict_layout;
  compile.dims = numbers(options.dims);
  compile.elements = numbers(options.elements);
  compile.ranks = numbers(options.ranks);
  for (const std::string& text : options.values) compile.values.insert(*parse_values(text));
  compile.outputs = options.outputs;
  compile.last = options.last;
  compile.cache = options.cache;
  compile.packed = options.with_packed;
  compile.levels = options.levels;
  compile.prefer_cache = options.prefer_cache;
  compile.store_checkpoint = options.store == "checkpoint";
  compile.embed_weights = options.embed_weights;
  compile.fuse = options.fuse;
  compile.prepare = options.prepare;
  return compile;
}

GraphFiles::GraphFiles(const fs::path& graph, const std::string& checkpoint, bool make_weights)
    : path_(graph), graph_(graph) {
  if (!checkpoint.empty()) checkpoint_.emplace(checkpoint);
  std::set<std::string> locations;
  Diagnostics ignored;  // of a graph that cannot be read compile() says what is wrong
  if (std::optional<Model> model = read_model(graph.string(), graph_.bytes(), ignored)) {
    collect(model->graph, locations);
    inputs_ = std::move(model->graph.inputs);
    outputs_ = std::move(model->graph.outputs);
  }
  for (const std::string& location : locations) {
    fs::path file = beside_model(graph.parent_path(), location);
    if (file.empty()) continue;  // compile() refuses it
    const fs::path formula = graph.parent_path() / "weights.json";
    if (!fs::exists(file) && make_weights && fs::exists(formula)) file = make_zoo_weights(formula, cache_folder());
    if (fs::exists(file)) external_.push_back({location, MappedFile(file)});
  }
}

CompileInput GraphFiles::input() const {
  CompileInput input{path_.filename().string(), graph_.bytes(), {}, {}, {}};
  if (checkpoint_) {
    input.checkpoint = checkpoint_->bytes();
    input.checkpoint_size = checkpoint_->bytes().size();
  }
  for (const Opened& opened : external_) input.external.push_back({opened.location, opened.file.bytes()});
  return input;
}

std::optional<std::span<const std::byte>> GraphFiles::checkpoint() const {
  return checkpoint_ ? std::optional(checkpoint_->bytes()) : std::nullopt;
}

std::vector<DataFile> GraphFiles::external(const std::vector<std::string>& locations) const {
  std::vector<DataFile> files;
  for (const std::string& location : locations) {
    const auto found = std::ranges::find(external_, location, &Opened::location);
    if (found == external_.end())
      throw Failure(fmt::format("{}: the graph's weights lie in {}, which is not beside it", path_.string(), location));
    files.push_back({location, found->file.bytes()});
  }
  return files;
}

void GraphFiles::let_go(std::span<const std::byte> bytes) const {
  graph_.let_go(bytes);
  if (checkpoint_) checkpoint_->let_go(bytes);
  for (const Opened& opened : external_) opened.file.let_go(bytes);
}

}  // namespace loam::cli
