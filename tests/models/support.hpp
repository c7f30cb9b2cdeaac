// Graphs written in a test, compiled by compile() and by the host's compiler, and run on both backends.
//
// Modules are kept in the build folder by their content, so a test's second run compiles nothing.
#pragma once

#include <stdlib.h>

#include <cstring>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cli/failure.hpp"
#include "cli/host_compiler.hpp"
#include "cli/module.hpp"
#include "cli/tensor.hpp"
#include "compiler/compile.hpp"
#include "tests/read/read_support.hpp"

namespace loam::test {

namespace fs = std::filesystem;

inline const bool cache_is_in_the_build_folder = ::setenv("LOAM_CACHE", LOAM_BINARY_DIR "/test-cache", 1) == 0;

// An input or output of these axes in words: "N 4 ?" is a symbol, an extent and a length nothing says; "" no axis.
inline Proto value(std::string_view name, DType dtype, std::string_view axes) {
  Proto shape;
  std::istringstream words{std::string(axes)};
  for (std::string word; words >> word;) {
    const bool number = word.find_first_not_of("0123456789") == std::string::npos;
    shape.message(1, number ? Proto().integer(1, std::stoll(word)) : word == "?" ? Proto() : Proto().text(2, word));
  }
  return Proto().text(1, name).message(
      2, Proto().message(1, Proto().integer(1, static_cast<std::int64_t>(dtype)).message(2, shape)));
}

// Elements as a file holds them, in this machine's byte order.
template <class T>
std::string bytes_as_text(const std::vector<T>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
}

template <class T>
Proto data(std::string_view name, DType dtype, std::initializer_list<std::int64_t> dims,
           const std::vector<T>& elements) {
  return tensor(name, dtype, dims).text(9, bytes_as_text(elements));
}

inline Proto graph_of(const std::vector<Proto>& nodes, const std::vector<Proto>& inputs,
                      const std::vector<Proto>& outputs, const std::vector<Proto>& initializers = {},
                      std::string_view name = "g") {
  Proto proto;
  for (const Proto& node : nodes) proto.message(1, node);
  proto.text(2, name);
  for (const Proto& initializer : initializers) proto.message(5, initializer);
  for (const Proto& input : inputs) proto.message(11, input);
  for (const Proto& output : outputs) proto.message(12, output);
  return proto;
}

// A safetensors file of these entries.
struct StoredTensor {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::string bytes;
};
inline std::string safetensors(const std::vector<StoredTensor>& tensors) {
  std::string header, payload;
  for (const StoredTensor& t : tensors) {
    std::string shape;
    for (const std::int64_t extent : t.shape) shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    header += (header.empty() ? "{\"" : ",\"") + t.name + "\":{\"dtype\":\"" + t.dtype + "\",\"shape\":[" + shape +
              "],\"data_offsets\":[" + std::to_string(payload.size()) + "," +
              std::to_string(payload.size() + t.bytes.size()) + "]}";
    payload += t.bytes;
  }
  header += header.empty() ? "{}" : "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  return Proto::little_endian(std::uint64_t{header.size()}) + header + payload;
}

template <class T>
cli::HostTensor host(DType dtype, std::vector<std::int64_t> extents, const std::vector<T>& elements) {
  const std::string bytes = bytes_as_text(elements);
  const std::span<const std::byte> all = bytes_of(bytes);
  return {dtype, std::move(extents), std::vector<std::byte>(all.begin(), all.end())};
}
inline cli::HostTensor floats(std::vector<std::int64_t> extents, const std::vector<float>& elements) {
  return host(DType::float32, std::move(extents), elements);
}

// What a module gives, kept past its next run.
inline cli::HostTensor kept(const harness::RawTensor& raw) {
  const auto extents = cli::extents_of(raw);
  const auto* data = static_cast<const std::byte*>(raw.data);
  return {cli::dtype_of(raw), {extents.begin(), extents.end()}, {data, data + raw.bytes}};
}

// Every axis named by Loam's proposal.
inline CompileOptions automatic(std::string module_name = "model") {
  CompileOptions options;
  options.module_name = std::move(module_name);
  options.auto_layout = true;
  return options;
}

// A graph compiled: the result, and what was wrong.
class Build {
 public:
  explicit Build(std::string graph, CompileOptions options = automatic(), std::optional<std::string> checkpoint = {},
                 std::string file_name = "model.onnx")
      : graph_(std::move(graph)), checkpoint_(std::move(checkpoint)) {
    options.include_runtime = options.harness = true;
    CompileInput input{
        .graph_name = std::move(file_name), .graph = bytes_of(graph_), .checkpoint = {}, .checkpoint_size = {}, .external = {}};
    if (checkpoint_) {
      input.checkpoint = bytes_of(*checkpoint_);
      input.checkpoint_size = checkpoint_->size();
    }
    result_ = compile(input, options, diagnostics_);
  }
  explicit Build(const Proto& graph, CompileOptions options = automatic(), std::optional<std::string> checkpoint = {})
      : Build(model(graph).bytes, std::move(options), std::move(checkpoint)) {}

  // "(inputs) => (outputs) { nodes }" in ONNX's text, at opset 21 or another.
  static Build of_text(std::string module_name, std::string_view text, int opset = 21) {
    return Build("<ir_version: 10, opset_import: [\"\": " + std::to_string(opset) +
                     ", \"ai.onnx.ml\": 5, \"com.microsoft\": 1]>\ng " + std::string(text),
                 automatic(std::move(module_name)), {}, "model.onnxtext");
  }

  const CompileResult& result() const { return result_; }
  std::string errors() const {
    std::string text;
    for (const Diagnostic& d : diagnostics_.list()) text += (text.empty() ? "" : "\n") + d.site + ": " + d.message;
    return text;
  }
  // The module's header.
  std::string_view header() const {
    return result_.files.empty() ? std::string_view() : std::string_view(result_.files.front().text);
  }

 private:
  std::string graph_;
  std::optional<std::string> checkpoint_;
  Diagnostics diagnostics_;
  CompileResult result_;
};

// The modules of several builds in one library.
class Modules {
 public:
  explicit Modules(const std::vector<const Build*>& builds) {
    std::vector<const CompileResult*> results;
    for (const Build* build : builds) {
      EXPECT_EQ(build->errors(), "");
      if (!build->errors().empty()) return;
      results.push_back(&build->result());
    }
    const cli::HostLibrary built =
        cli::HostCompiler(cli::CodeFor::small_tests).build(results, std::chrono::minutes(10));
    EXPECT_FALSE(built.path.empty()) << built.output;
    if (!built.path.empty()) library_.emplace(built.path);
  }
  explicit operator bool() const { return library_.has_value(); }

  // What the module gives, an output by its name, which must be the same bytes on both backends; or its refusal, or why
  // its weights could not be had.
  struct Ran {
    std::map<std::string, cli::HostTensor, std::less<>> outputs;
    std::string error;

    template <class T>
    std::vector<T> get(std::string_view name) const {
      const auto it = outputs.find(name);
      if (it == outputs.end() || it->second.data.empty()) return {};
      std::vector<T> elements(it->second.data.size() / sizeof(T));
      std::memcpy(elements.data(), it->second.data.data(), elements.size() * sizeof(T));
      return elements;
    }
  };
  Ran run(std::string_view module, const std::vector<cli::HostTensor>& inputs,
          std::optional<std::string_view> checkpoint = {}, const std::vector<cli::DataFile>& external = {}) const {
    const Ran ran = run_on(cli::BackendKind::cpu, module, inputs, checkpoint, external);
    const Ran opaque = run_on(cli::BackendKind::opaque, module, inputs, checkpoint, external);
    EXPECT_EQ(ran.error, opaque.error);
    for (const auto& [name, output] : ran.outputs) EXPECT_EQ(output.data, opaque.outputs.at(name).data) << name;
    return ran;
  }

 private:
  Ran run_on(cli::BackendKind backend, std::string_view module, const std::vector<cli::HostTensor>& inputs,
             std::optional<std::string_view> checkpoint, const std::vector<cli::DataFile>& external) const {
    Ran ran;
    try {
      std::optional<std::span<const std::byte>> bytes;
      if (checkpoint) bytes = bytes_of(*checkpoint);
      cli::Session session(library_->module(module), bytes, external, backend);
      std::vector<harness::RawTensor> raw;
      for (const cli::HostTensor& input : inputs) raw.push_back(input.raw());
      const auto outputs = session.run(raw);
      for (std::size_t i = 0; i < outputs.size(); ++i) ran.outputs[session.outputs()[i].name] = kept(outputs[i]);
    } catch (const cli::Failure& failure) {
      ran.error = failure.what();
    }
    return ran;
  }
  std::optional<cli::Library> library_;
};

}  // namespace loam::test
