// The module's sections: its axes, weights and outputs, and the order they stand in.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/emit/embedded.hpp"
#include "compiler/emit/writer.hpp"
#include "compiler/kernel/lowering.hpp"

namespace loam {

ModuleWriter::ModuleWriter(const EmitInput& input, Diagnostics& diagnostics)
    : input_(input), diagnostics_(diagnostics), symbols_(input.graph.symbols),
      size_bounds_(size_bounds(input.program, input.plan, symbols_)) {
  for (const char* own : {"loam", "std", "Weights", "Prepared", "Outputs", "Backend", "forward", "prepare", "constants",
                          "expressions", "b", "weights", "prepared", "Watch", "watch", "progress"})
    names_.take(own);
  if (input.options.packed)
    for (const char* own : {"packed_contents", "write_packed", "load_packed", "file", "bytes"}) names_.take(own);
  if (!input.program.caches.empty())
    // And what its struct has of its own, which would hide an axis of that name within it.
    for (const char* own : {"Cache", "make_cache", "copy_cache", "cache", "Places", "length", "capacity", "truncate", "extend", "memory"})
      names_.take(own);
  if (!input.options.levels.empty())
    for (const char* own : {"Compiled", "compiled", "ForwardFunction", "LOAM_LEVEL", "x86_64", "x86_64_v2", "x86_64_v3",
                            "x86_64_v4", "portable"})
      names_.take(own);
  collect_axes();
  name_boundary();
}

void ModuleWriter::collect_axes() {
  const auto note = [&](const std::string& word, const std::optional<std::int64_t>& extent) {
    const auto [it, is_new] = axis_extents_.try_emplace(word, extent);
    if (is_new) axis_order_.push_back(word);
    else if (it->second != extent) it->second = std::nullopt;
  };
  for (const VirtualTensor& t : input_.program.tensors)
    for (const Axis& axis : t.axes) {
      const auto words = axis_words(input_.graph, axis);
      if (words.size() == 1) {
        note(words[0], symbols_.simplify(axis.extent()).constant());
        continue;
      }
      for (const Part& part : axis.parts) {
        const auto own = axis_words(input_.graph, {{part}});
        if (own.size() == 1) note(own[0], part.extent.overflowed() ? std::nullopt : symbols_.simplify(part.extent).constant());
        else
          for (const std::string& word : own) note(word, std::nullopt);
      }
    }
  for (const std::string& word : axis_order_) {
    if (word.empty()) continue;
    const std::string marker = identifier(word);
    if (marker != "extent" && names_.take(marker)) {  // a type has no member of its own name
      axis_types_[word] = marker;
    } else if (input_.options.auto_layout) {
      axis_types_[word] = names_.mint(word + "Axis");
    } else {
      diagnostics_.error(Code::name_taken, "axis " + word, "is what the module names something of its own", "give the axis another name in the layout");
      axis_types_[word] = names_.mint(word + "Axis");
    }
  }
}

void ModuleWriter::name_boundary() {
  // A member is named otherwise than the types that its struct's members have.
  Identifiers fields, results;
  for (const auto& [word, type] : axis_types_) {
    fields.take(type);
    results.take(type);
  }
  for (const char* own : {"loam", "std", "Weights", "Prepared", "Backend", "load", "embedded", "memory"}) fields.take(own);
  for (const char* own : {"loam", "std", "Outputs"}) results.take(own);
  for (const TensorId t : input_.program.weights) weight_names_[t] = fields.mint(tensor(t).name);
  for (const Step& step : input_.program.prepare.steps)
    if (const auto* call = std::get_if<Call>(&step.what))
      for (const TensorId t : call->outputs) weight_names_[t] = fields.mint(tensor(t).name);
  locals_ = names_;
  locals_.take("slack");
  for (const ProgramInput& in : input_.program.inputs) input_names_.push_back(locals_.mint(tensor(in.tensor).name));
  for (const std::string& output : input_.program.output_names) output_names_.push_back(results.mint(output));
  name_cache();
}

std::string ModuleWriter::axis_type(const Axis& axis) const {
  std::vector<std::string> words = axis_words(input_.graph, axis);
  std::erase_if(words, [](const std::string& w) { return w.empty(); });
  if (words.empty()) return "loam::One";
  const bool unit = symbols_.simplify(axis.extent()).is(1);
  if (unit && words.size() == 1) {
    const auto it = axis_extents_.find(words[0]);
    if (it == axis_extents_.end() || it->second != 1) return "loam::One";
  }
  if (words.size() == 1) return axis_types_.at(words[0]);
  std::string parts;
  for (const std::string& word : words) parts += (parts.empty() ? "" : ", ") + axis_types_.at(word);
  return "loam::Merged<" + parts + ">";
}

std::string ModuleWriter::axis_list(const std::vector<Axis>& axes, std::string_view before) const {
  std::string list;
  for (const Axis& axis : axes) list += (list.empty() ? std::string(before) : ", ") + axis_type(axis);
  return list;
}

std::string ModuleWriter::tensor_type(const VirtualTensor& t, std::string_view head) const {
  const bool owns = t.dtype == DType::string && head == "loam::Tensor<";
  std::string element(owns ? "std::string" : dtype_cpp(t.dtype));
  if (!t.form.empty()) element = "loam::Packed<" + element + ", " + t.form + ">";
  return std::string(head) + element + axis_list(t.axes) + ">";
}

std::string ModuleWriter::axis_label(const Axis& axis) const {
  std::string type = axis_type(axis);
  if (type == "loam::One") return "1";
  if (type.starts_with("loam::Merged<")) {
    std::string label = "(";
    for (const char c : type.substr(13, type.size() - 14))
      if (c != ',') label += c;
    return label + ")";
  }
  return type;
}

std::vector<Polynomial> ModuleWriter::extents_of(const VirtualTensor& t) const {
  std::vector<Polynomial> extents;
  for (const Axis& axis : t.axes) extents.push_back(symbols_.simplify(axis.extent()));
  return extents;
}

std::string ModuleWriter::axes_section() {
  std::string out;
  for (const std::string& word : axis_order_) {
    if (word.empty()) continue;
    const auto& extent = axis_extents_[word];
    if (extent) out += fmt::format("struct {} {{ static constexpr std::int64_t extent = {}; }};\n", axis_types_[word], *extent);
    else out += fmt::format("struct {} {{}};  // its extent is the run's\n", axis_types_[word]);
  }
  return out.empty() ? out : "// The axes: two axes are one only where they are one type.\n" + out + "\n";
}

namespace {

// Bytes as a string literal: octal where they are no plain character, so that no digit after one joins it.
std::string byte_literal(std::span<const std::byte> bytes) {
  std::string out = "\n    \"";
  std::size_t column = 0;
  for (const std::byte byte : bytes) {
    const auto c = static_cast<unsigned char>(byte);
    const std::size_t before = out.size();
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '?') {
      out += static_cast<char>(c);
    } else {
      out += '\\';
      out += static_cast<char>('0' + (c >> 6));
      out += static_cast<char>('0' + ((c >> 3) & 7));
      out += static_cast<char>('0' + (c & 7));
    }
    column += out.size() - before;
    if (column > 100) {
      out += "\"\n    \"";
      column = 0;
    }
  }
  return out + "\"";
}

}  // namespace

std::string ModuleWriter::constants_section() {
  return constants_.empty() ? constants_ : "namespace constants {\n" + constants_ + "}  // namespace constants\n\n";
}

std::string ModuleWriter::expressions_section() {
  std::string out;
  for (const auto& [name, text] : expression_order_) out += text;
  return out.empty() ? out : "// What is computed at every place of a tensor.\nnamespace expressions {\n" + out + "}  // namespace expressions\n\n";
}

std::string ModuleWriter::weights_section(bool loads) {
  std::string data, fields, reads;
  bool all_embedded = true, of_checkpoint = false;
  for (const TensorId t : input_.program.weights) {
    const VirtualTensor& w = tensor(t);
    const std::string& field = weight_names_[t];
    fields += fmt::format("  {} {};\n", tensor_type(w), field);
    std::string extents, labels;
    for (const Axis& axis : w.axes) {
      extents += (extents.empty() ? "" : ", ") + text(symbols_.simplify(axis.extent()));
      labels += (labels.empty() ? "\"" : ", \"") + axis_label(axis) + "\"";
    }
    const WeightSource& source = input_.weights.at(t);
    const std::string quoted = cpp_string(w.name);
    switch (source.kind) {
      case WeightSource::Kind::embedded:
        if (!loads) break;
        data += fmt::format("alignas(64) inline constexpr char {}[] ={};\n", field, byte_literal(unpacked(w.dtype, source.bytes, w.data->elements())));
        reads += fmt::format("    loader.embedded(w.{}, {{{}}}, weight_data::{});\n", field, extents, field);
        break;
      case WeightSource::Kind::checkpoint:
        all_embedded = false;
        of_checkpoint = true;
        reads += fmt::format("    loader.checkpoint(w.{}, {}, {{{}}}, {{{}}});\n", field, quoted, extents, labels);
        break;
      case WeightSource::Kind::external:
        all_embedded = false;
        reads += fmt::format("    loader.external(w.{}, {}, {}, {}, {{{}}});\n", field, quoted, cpp_string(source.location), source.offset, extents);
        break;
    }
  }
  if (!loads) return "struct Weights {\n" + fields + "};\n\n";
  std::string out;
  if (!data.empty()) out += "namespace weight_data {\n" + data + "}  // namespace weight_data\n\n";
  out += "// The weights on the host. Bytes given to load are used where they lie, so they must outlive the weights.\n";
  out += "struct Weights {\n" + fields + (fields.empty() ? "" : "\n");
  out +=
      "  // Checks every tensor against what the module was built for; an error names each tensor and axis that disagrees.\n"
      "  static loam::Result<Weights, loam::LoadError> load([[maybe_unused]] std::span<const std::byte> checkpoint = {},\n"
      "                                                     std::span<const loam::DataFile> files = {}) {\n"
      "    Weights w;\n    loam::" + std::string(of_checkpoint ? "Loader loader(checkpoint, files)" : "FileLoader loader(files)") + ";\n" + reads +
      "    if (loader.failed()) return loader.error();\n    return w;\n  }\n";
  if (all_embedded)
    out += "\n  // The weights the module carries.\n  static Weights embedded() { return *load(); }\n";
  return out + "};\n\n";
}

std::string ModuleWriter::outputs_section() {
  std::string out = "struct Outputs {\n";
  for (std::size_t i = 0; i < output_names_.size(); ++i) {
    const VirtualTensor& t = tensor(input_.program.outputs[i]);
    VirtualTensor host = t;
    out += fmt::format("  {} {};\n", tensor_type(host), output_names_[i]);
  }
  return out + "};\n\n";
}

std::string ModuleWriter::comment_section() const {
  std::string out = fmt::format("// {}: generated by Loam from the graph {}. Do not edit: build it again.\n//\n", input_.module_name,
                                input_.graph.body.graph ? comment_text(input_.graph.body.graph->name) : "");
  const auto list = [&](std::string_view kind, const std::string& name, TensorId id) {
    const VirtualTensor& t = tensor(id);
    std::string shape;
    for (std::size_t k = 0; k < t.axes.size(); ++k) {
      const std::string label = axis_label(t.axes[k]);
      shape += (k ? ", " : "") + label + (label == "1" ? "" : " = " + comment_text(symbols_.text(symbols_.simplify(t.axes[k].extent()))));
    }
    out += fmt::format("//   {:<5} {}: {} [{}]\n", kind, name, dtype_name(t.dtype), shape);
  };
  for (std::size_t i = 0; i < input_.program.inputs.size(); ++i) list("in", input_names_[i], input_.program.inputs[i].tensor);
  for (std::size_t i = 0; i < input_.program.outputs.size(); ++i) list("out", output_names_[i], input_.program.outputs[i]);
  for (std::size_t i = 0; i < cache_names_.size(); ++i) list("cache", cache_names_[i], input_.program.caches[i].tensor);
  return out;
}

std::string ModuleWriter::module() {
  // The body first: it says which kernels, constants and expressions the rest declares.
  const std::string forward = forward_section();
  const bool level = !input_.options.levels.empty();  // of a program that has several
  const std::string name = input_.module_name + (level ? "::LOAM_LEVEL" : "");
  const std::string weights = weights_section(!level);
  const std::string prepared = prepared_section(), cache = cache_section(), packed = packed_section();
  std::set<std::string> roots = {"runtime/checkpoint.hpp", "runtime/cpu.hpp", "runtime/extents.hpp", "runtime/forward.hpp", "runtime/progress.hpp"};
  if (level) roots.insert("runtime/crossing.hpp");
  if (functions_) roots.insert("runtime/functions.hpp");
  for (const std::string& folder : folders_)
    for (const EmbeddedFile& file : embedded_runtime())
      if (file.path.starts_with("ops/" + folder + "/")) roots.insert(std::string(file.path));

  if (narrow_ || std::ranges::any_of(input_.program.tensors, [](const VirtualTensor& t) { return is_narrow(t.dtype); }))
    roots.insert("runtime/narrow.hpp");
  if (std::ranges::any_of(input_.program.tensors, [](const VirtualTensor& t) { return t.dtype == DType::string; }))
    roots.insert("runtime/strings.hpp");
  if (regroups_) roots.insert("runtime/regroup.hpp");
  if (!cache.empty()) roots.insert({"runtime/cache.hpp", "ops/map/cpu.hpp"});
  if (!packed.empty()) roots.insert("runtime/packed_file.hpp");
  if (loops_) roots.insert({"runtime/loop.hpp", "ops/map/cpu.hpp"});
  if (input_.options.harness) roots.insert("runtime/opaque.hpp");
  if (input_.options.wasm_threads) roots.insert("runtime/threads.hpp");

  std::string out = comment_section() + "#pragma once\n\n";
  if (input_.options.include_runtime) {
    out += "#include <limits>\n";
    for (const std::string& root : roots) out += "#include \"" + root + "\"\n";
    out += "\n";
  } else {
    RuntimeText runtime = amalgamate(roots, name, input_.options.wasm);
    runtime.system_includes.push_back("#include <limits>");
    if (input_.options.wasm) runtime.system_includes.push_back("#include <tuple>");
    std::ranges::sort(runtime.system_includes);
    runtime.system_includes.erase(std::ranges::unique(runtime.system_includes).begin(), runtime.system_includes.end());
    for (const std::string& include : runtime.system_includes) out += include + "\n";
    if (level) out += "\n#include \"" + input_.module_name + ".hpp\"\n";
    out += "\n// ---- The runtime and the kernels this model uses. The model itself is at the end. ----\n\n" + runtime.text;
    out += "// ---- " + input_.module_name + " ----\n\n";
  }
  // Forward runs once a call and is a quarter of a WebAssembly module, which is sent: small is what it is to be, and what
  // it calls fast.
  if (input_.options.wasm) out += std::string(small_begins) + "\n";
  out += "namespace " + name + " {\n\n";
  out += axes_section() + expressions_section() + constants_section() + weights + prepared + packed + cache + outputs_section() + forward;
  if (level) out += compiled_section();
  out += "}  // namespace " + name + "\n";
  if (input_.options.wasm) out += "\n" + std::string(small_ends);
  return out;
}

std::vector<OutputFile> emit(const EmitInput& input, Diagnostics& diagnostics) {
  ModuleWriter writer(input, diagnostics);
  std::vector<OutputFile> files;
  if (input.options.levels.empty()) {
    files.push_back({input.module_name + ".hpp", writer.module()});
  } else {
    files.push_back({input.module_name + "_level.hpp", writer.module()});
    files.push_back({input.module_name + ".hpp", writer.facade()});
    std::ranges::move(writer.level_sources(), std::back_inserter(files));
  }
  if (input.options.wasm) {
    PageModule page = writer.page_module();
    // Its stack, a megabyte, and its data, of which no byte takes less than one of the text.
    if (input.options.wasm_threads) page.shared_pages = 32 + static_cast<std::int64_t>(files.front().text.size() / 65536);
    files.push_back({input.module_name + "_wasm.cpp", writer.wasm_source()});
    files.push_back({input.module_name + ".js", javascript(page)});
    files.push_back({input.module_name + ".d.ts", typescript_declarations(page)});
  }
  if (input.options.harness) files.push_back({input.module_name + "_harness.cpp", writer.harness()});
  return files;
}

}  // namespace loam
