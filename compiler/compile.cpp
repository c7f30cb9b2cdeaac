#include "compiler/compile.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/emit/emit.hpp"
#include "compiler/emit/identifiers.hpp"
#include "compiler/kernel/cache.hpp"
#include "compiler/kernel/describe.hpp"
#include "compiler/kernel/fuse.hpp"
#include "compiler/kernel/lowering.hpp"
#include "compiler/kernel/plan.hpp"
#include "compiler/kernel/prepare.hpp"
#include "compiler/kernel/visit.hpp"
#include "compiler/nearest.hpp"
#include "compiler/read/model.hpp"
#include "compiler/read/safetensors.hpp"
#include "compiler/stage0/stage0.hpp"

namespace loam {

namespace {

std::optional<Model> read(const CompileInput& input, Diagnostics& diagnostics) {
  return read_model(input.graph_name, input.graph, diagnostics);
}

std::string name_of(const CompileInput& input, const CompileOptions& options) {
  if (!options.module_name.empty()) return options.module_name;
  std::string_view name = input.graph_name;
  name = name.substr(name.find_last_of('/') + 1);
  name = name.substr(0, name.rfind('.'));
  std::string id = identifier(name);
  return is_cpp_keyword(id) || is_macro(id) || id == "std" || id == "loam" ? id + "_model" : id;
}

// Integer data the graph keeps in files, which stage 0 may read, put inline; and what a cut graph needs dropped.
void specialize(Model& model, const CompileInput& input, const CompileOptions& options, std::vector<Node>& cut, Diagnostics& diagnostics) {
  for (TensorData& tensor : model.graph.initializers) {
    const auto* external = std::get_if<ExternalData>(&tensor.data);
    if (!external || is_float(tensor.dtype)) continue;
    for (const ExternalFile& file : input.external) {
      if (file.location != external->location) continue;
      const std::uint64_t bytes = dense_bytes(tensor.dtype, tensor.elements()).value_or(0);
      const auto offset = static_cast<std::uint64_t>(external->offset);
      if (offset > file.bytes.size() || bytes > file.bytes.size() - offset) {
        diagnostics.error(Code::external_data, tensor.name, "its " + std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                                                               " are not in " + file.location + ", of " + std::to_string(file.bytes.size()));
        continue;
      }
      tensor.data = Bytes::borrow(file.bytes.subspan(offset, bytes));
      break;
    }
  }
  if (options.outputs.empty()) return;
  // The graph is cut to what the outputs asked for read, and to those a cache keeps.
  std::set<std::string, std::less<>> read(options.outputs.begin(), options.outputs.end());
  const auto need = [&](const auto& self, const Node& node) -> void {
    for (const std::string& in : node.inputs) read.insert(in);
    for (const Attribute& a : node.attributes) {
      if (const auto* g = std::get_if<std::shared_ptr<const Graph>>(&a.value)) {
        for (const Node& inner : (*g)->nodes) self(self, inner);
        for (const ValueInfo& out : (*g)->outputs) read.insert(out.name);
      }
    }
  };
  std::vector<Node> kept;
  for (auto it = model.graph.nodes.rbegin(); it != model.graph.nodes.rend(); ++it) {
    if (std::ranges::none_of(it->outputs, [&](const std::string& o) { return read.contains(o); })) {
      cut.push_back(std::move(*it));
      continue;
    }
    need(need, *it);
    kept.push_back(std::move(*it));
  }
  std::ranges::reverse(kept);
  std::ranges::reverse(cut);
  model.graph.nodes = std::move(kept);
  std::erase_if(model.graph.inputs, [&](const ValueInfo& v) { return !read.contains(v.name); });
  std::erase_if(model.graph.initializers, [&](const TensorData& t) { return !read.contains(t.name); });
}

// Where outputs are chosen, those that a cache appends to are kept beside them.
void keep_cached(const Model& model, CompileOptions& options) {
  if (options.outputs.empty() || options.cache.empty()) return;
  std::vector<std::string> inputs;
  for (const ValueInfo& input : model.graph.inputs) inputs.push_back(input.name);
  for (std::string& output : cached_outputs(inputs, options.cache))
    if (std::ranges::find(options.outputs, output) == options.outputs.end()) options.outputs.push_back(std::move(output));
}

// A value's name, wherever the graph reads or makes it.
void rename(Graph& graph, const std::string& from, const std::string& to) {
  for (Node& node : graph.nodes) {
    std::ranges::replace(node.inputs, from, to);
    std::ranges::replace(node.outputs, from, to);
    for (Attribute& a : node.attributes)
      if (auto* inner = std::get_if<std::shared_ptr<const Graph>>(&a.value)) {
        auto copy = std::make_shared<Graph>(**inner);
        rename(*copy, from, to);
        *inner = std::move(copy);
      }
  }
  for (ValueInfo& info : graph.value_infos)
    if (info.name == from) info.name = to;
}

// Of the outputs named, the last place of the axis before the last: [batch, sequence, vocabulary] becomes
// [batch, 1, vocabulary]. Fusion takes the slice as far up as rows are computed apart.
void keep_last(Model& model, const CompileOptions& options, Diagnostics& diagnostics) {
  if (options.last.empty()) return;
  model.graph.initializers.push_back({.name = "loam last place", .dtype = DType::int64, .dims = {1},
                                      .data = Bytes::own(std::vector<std::byte>(8, std::byte{0xff})), .strings = {}});  // -1
  const std::set<std::string> asked(options.last.begin(), options.last.end());
  for (const std::string& name : asked) {
    const auto refuse = [&](std::string message, std::string note) {
      diagnostics.error(Code::bad_option, "--last " + name, std::move(message), std::move(note));
    };
    const auto output = std::ranges::find(model.graph.outputs, name, &ValueInfo::name);
    if (output == model.graph.outputs.end()) {
      std::vector<std::string_view> names;
      for (const ValueInfo& o : model.graph.outputs) names.push_back(o.name);
      const std::string meant = nearest(name, names);
      refuse("the graph has no such output", meant.empty() ? "" : "did you mean " + meant + "?");
      continue;
    }
    if (!options.outputs.empty() && std::ranges::find(options.outputs, name) == options.outputs.end()) {
      refuse("--output leaves this output out", "name it there too");
      continue;
    }
    if (std::ranges::none_of(model.graph.nodes, [&](const Node& node) { return std::ranges::count(node.outputs, name) > 0; })) {
      refuse("no node computes this output: it is an input or a constant, given as it is", "");
      continue;
    }
    const std::string whole = name + " at every place";
    rename(model.graph, name, whole);
    if (auto& shape = output->type.shape; shape && shape->size() >= 2) (*shape)[shape->size() - 2] = std::int64_t{1};
    model.graph.nodes.push_back({.name = name, .op_type = "Gather", .domain = {}, .inputs = {whole, "loam last place"}, .outputs = {name},
                                 .attributes = {{"axis", std::int64_t{-2}, {}}}, .overload = {}});
  }
}

void check_checkpoint(const CheckpointHeader& header, StageZero& stage, const CompileOptions& options, StoredType& stored, Diagnostics& diagnostics) {
  const TypedGraph& graph = stage.graph();
  for (const ValueId id : graph.initializers) {
    const TypedValue& value = graph.values[id];
    const CheckpointTensor* tensor = header.find(value.name);
    if (!tensor) continue;
    const bool float_apart = tensor->dtype != value.data->dtype && is_float(tensor->dtype) && is_float(value.data->dtype);
    if (float_apart && options.store_checkpoint) {
      stored.emplace(value.name, tensor->dtype);
    } else if (tensor->dtype != value.data->dtype) {
      diagnostics.error(Code::checkpoint_mismatch, value.name,
                        "is " + std::string(dtype_name(tensor->dtype)) + " in the checkpoint and " + std::string(dtype_name(value.data->dtype)) + " in the graph",
                        float_apart ? "--store checkpoint holds the weights as the checkpoint has them" : "");
      continue;
    }
    if (tensor->dims.size() != value.data->dims.size()) {
      diagnostics.error(Code::checkpoint_mismatch, value.name,
                        "has " + std::to_string(tensor->dims.size()) + " axes in the checkpoint and " + std::to_string(value.data->dims.size()) + " in the graph");
      continue;
    }
    for (std::size_t i = 0; i < tensor->dims.size(); ++i) {
      if (tensor->dims[i] == value.data->dims[i]) continue;
      std::string name = std::to_string(i);
      const auto words = graph.axes.spelled(value.type->axes[i]);
      if (!words.empty() && !words[0].empty()) {
        name.clear();
        for (const std::string& word : words) name += (name.empty() ? "" : " ") + word;
      }
      diagnostics.error(Code::checkpoint_mismatch, value.name,
                        "axis " + name + " is " + std::to_string(tensor->dims[i]) + " in the checkpoint and " + std::to_string(value.data->dims[i]) + " in the graph");
    }
  }
}

// Where each weight the program reads comes from when the module loads.
std::map<TensorId, WeightSource> weight_sources(const Program& program, const CompileInput& input, const CompileOptions& options,
                                                const CheckpointHeader* header, Diagnostics& diagnostics) {
  std::map<TensorId, WeightSource> sources;
  for (const TensorId t : program.weights) {
    const TensorData& data = *program.tensors[t].data;
    WeightSource& source = sources[t];
    const CheckpointTensor* stored = header ? header->find(data.name) : nullptr;
    if (stored) {
      source.kind = WeightSource::Kind::checkpoint;
      if (options.embed_weights) {
        if (stored->offset + stored->bytes > input.checkpoint->size()) {
          diagnostics.error(Code::missing_tensor, data.name, "its bytes are not in the part of the checkpoint given, and --embed-weights needs them");
          continue;
        }
        source.kind = WeightSource::Kind::embedded;
        source.bytes = input.checkpoint->subspan(static_cast<std::size_t>(stored->offset), static_cast<std::size_t>(stored->bytes));
      }
    } else if (const auto* bytes = std::get_if<Bytes>(&data.data)) {
      source.kind = WeightSource::Kind::embedded;
      source.bytes = bytes->span();
    } else if (const auto* external = std::get_if<ExternalData>(&data.data)) {
      source.kind = WeightSource::Kind::external;
      source.location = external->location;
      source.offset = external->offset;
      if (header) {
        // The checkpoint wins over external data, which may then be absent; what it lacks must be there.
        const bool given = std::ranges::any_of(input.external, [&](const ExternalFile& f) { return f.location == external->location; });
        if (!given) diagnostics.error(Code::missing_tensor, data.name, "the checkpoint holds no tensor of this name, and " + external->location + " is not there either");
      }
      if (options.embed_weights)
        for (const ExternalFile& file : input.external)
          if (file.location == external->location) {
            const auto n = static_cast<std::size_t>(dense_bytes(data.dtype, data.elements()).value_or(0));
            const auto offset = static_cast<std::size_t>(external->offset);
            if (offset <= file.bytes.size() && n <= file.bytes.size() - offset) {
              source.kind = WeightSource::Kind::embedded;
              source.bytes = file.bytes.subspan(offset, n);
            }
          }
    } else if (header) {
      diagnostics.error(Code::missing_tensor, data.name, "the graph carries no data for this initializer, and the checkpoint holds no tensor of this name");
    }
  }
  return sources;
}

std::size_t count_calls(const Block& block) {
  std::size_t n = 0;
  visit_steps(block, [&](const Step& step) { n += std::holds_alternative<Call>(step.what); });
  return n;
}

void count_nodes(const TypedBlock& block, CompileResult& result) {
  for (const TypedNode& node : block.nodes) {
    ++result.nodes;
    result.folded += !node.reached;
    for (const TypedBlock& inner : node.blocks) count_nodes(inner, result);
  }
}

Port port(const TypedGraph& graph, const TypedValue& value, const std::string& name) {
  Port p{.name = name, .dtype = {}, .axes = {}, .extents = {}};
  if (!value.type) return p;
  p.dtype = dtype_name(value.type->dtype);
  for (const Axis& axis : value.type->axes) {
    std::string words;
    for (const std::string& word : graph.axes.spelled(axis)) words += (words.empty() ? "" : " ") + word;
    p.axes.push_back(words);
    p.extents.push_back(graph.symbols.text(graph.symbols.simplify(axis.extent())));
  }
  return p;
}

void describe(const StageZero& stage, const TypedGraph& graph, CompileResult& result) {
  count_nodes(graph.body, result);
  for (const ValueId id : graph.body.inputs) result.inputs.push_back(port(graph, graph.values[id], graph.values[id].name));
  for (std::size_t i = 0; i < graph.body.outputs.size(); ++i)
    result.outputs.push_back(port(graph, graph.values[graph.body.outputs[i]], graph.output_names[i]));
  const auto owed = [&](const auto& self, const TypedBlock& block) -> void {
    for (const Condition& c : block.owed) result.owed.push_back(graph.symbols.text(c.slack) + " >= 0 - " + c.site + ": " + c.reason);
    for (const TypedNode& node : block.nodes)
      for (const TypedBlock& inner : node.blocks) self(self, inner);
  };
  owed(owed, graph.body);
  result.proved = stage.proved();
  result.proposed_layout = stage.proposed_layout();
}

void check_levels(const CompileOptions& options, Diagnostics& diagnostics) {
  for (const std::string& level : options.levels)
    if (std::ranges::find(processor_levels, level) == std::end(processor_levels))
      diagnostics.error(Code::bad_option, "--levels " + level, "is no level of x86-64; they are x86-64, x86-64-v2, x86-64-v3 and x86-64-v4");
  if (!options.levels.empty() && options.wasm)
    diagnostics.error(Code::bad_option, "--levels", "are of a native program, and WebAssembly has builds of its own for what an engine lacks");
}

CompileResult run(const CompileInput& input, const CompileOptions& given, Diagnostics& diagnostics, bool emits, Report* report = nullptr) {
  CompileResult result;
  result.module_name = name_of(input, given);
  check_levels(given, diagnostics);
  auto model = read(input, diagnostics);
  if (!model || diagnostics.failed()) return result;
  std::optional<CheckpointHeader> header;
  if (input.checkpoint) {
    header = read_safetensors_header(*input.checkpoint, input.checkpoint_size, diagnostics);
    if (!header) return result;
  }
  CompileOptions options = given;
  keep_cached(*model, options);
  std::vector<Node> cut;  // what the outputs asked for do not read
  specialize(*model, input, options, cut, diagnostics);
  keep_last(*model, options, diagnostics);
  if (diagnostics.failed()) return result;
  StageZero stage(*model, options, diagnostics);
  TypedGraph& graph = stage.run();
  StoredType stored;
  if (header) check_checkpoint(*header, stage, options, stored, diagnostics);
  describe(stage, graph, result);
  if (diagnostics.failed()) return result;

  Lowering lowering(stage, stored);
  Program program = lowering.run();
  if (diagnostics.failed()) return result;
  make_caches(program, graph, options.cache, diagnostics);
  if (diagnostics.failed()) return result;
  if (program.caches.empty()) {
    Diagnostics ignored;
    make_caches(program, graph, options.prefer_cache, ignored);
  }
  for (const CacheEntry& entry : program.caches) result.cached.emplace_back(entry.input, entry.output);
  Lowered lowered(program);
  lowered.fuse = options.fuse;
  if (options.fuse) lowered.fusions = fuse(program, graph);
  if (options.prepare) lowered.prepared = prepare(program, graph);
  result.calls = count_calls(program.body);
  const auto sources = weight_sources(program, input, options, header ? &*header : nullptr, diagnostics);
  for (const auto& [t, source] : sources) {
    result.needs_checkpoint = result.needs_checkpoint || source.kind == WeightSource::Kind::checkpoint;
    if (source.kind == WeightSource::Kind::external && std::ranges::find(result.external_locations, source.location) == result.external_locations.end())
      result.external_locations.push_back(source.location);
  }
  if (diagnostics.failed() || !emits) return result;
  const Plan placed = plan(program, graph.symbols);
  if (report) {
    report->module_name = result.module_name;
    report->proved = result.proved;
    describe(graph, cut, lowered, program, placed, *report);
    return result;
  }
  auto files = emit({graph, program, placed, options, result.module_name, sources}, diagnostics);
  if (!diagnostics.failed()) result.files = std::move(files);
  return result;
}

}  // namespace

CompileResult compile(const CompileInput& input, const CompileOptions& options, Diagnostics& diagnostics) {
  return run(input, options, diagnostics, true);
}

CompileResult check(const CompileInput& input, const CompileOptions& options, Diagnostics& diagnostics) {
  return run(input, options, diagnostics, false);
}

std::optional<Report> report(const CompileInput& input, const CompileOptions& options, Diagnostics& diagnostics) {
  Report made;
  run(input, options, diagnostics, true, &made);
  return diagnostics.failed() ? std::nullopt : std::optional(std::move(made));
}

}  // namespace loam
