// The harness of `loam run` and `loam test`: the module behind runtime/harness.hpp's table.
#include <fmt/format.h>

#include "compiler/emit/writer.hpp"

namespace loam {

std::string ModuleWriter::harness() {
  const std::string& m = input_.module_name;
  bool strings = false;
  std::string ports_in, ports_out, types, tensors, takes, arguments, gives;
  for (std::size_t i = 0; i < input_.program.inputs.size(); ++i) {
    const VirtualTensor& t = tensor(input_.program.inputs[i].tensor);
    ports_in += fmt::format("{{{}, {}, {}}}, ", cpp_string(t.name), static_cast<int>(t.dtype), t.axes.size());
    // Spelled where no member of the struct is named as an axis may be.
    types += fmt::format("using In{} = {};\n", i, tensor_type(t));
    tensors += fmt::format("    In{0} in{0};\n", i);
    takes += fmt::format("    if (!::loam::boundary::take(in[{0}], in{0}, {1}, why)) return ::loam::harness::fail(error, size, why);\n", i,
                         cpp_string(t.name));
    arguments += fmt::format(", in{}", i);
  }
  for (std::size_t i = 0; i < input_.program.outputs.size(); ++i) {
    const VirtualTensor& t = tensor(input_.program.outputs[i]);
    ports_out += fmt::format("{{{}, {}, {}}}, ", cpp_string(input_.program.output_names[i]), static_cast<int>(t.dtype),
                             t.axes.size());
    gives += fmt::format("    out[{}] = ::loam::boundary::give(outputs->{}{});\n", i, output_names_[i], t.dtype == DType::string ? ", strings" : "");
    strings = strings || t.dtype == DType::string;
  }
  std::string out = fmt::format(
      "#include <memory>\n#include <optional>\n#include <vector>\n\n#include \"{0}.hpp\"\n#include \"runtime/harness_glue.hpp\"\n\n"
      "namespace {0}::harness {{\n\n{1}"
      "using ::loam::harness::RawFile;\nusing ::loam::harness::RawTensor;\n\n"
      "template <class Backend>\nstruct Runner final : ::loam::harness::Runner {{\n"
      "  Backend b;\n  Weights weights;\n  Prepared<Backend> prepared;\n  std::optional<Outputs> outputs;\n{2}"
      "  Runner(Weights w, int threads) : b(threads), weights(std::move(w)), prepared(prepare(b, weights)) {{}}\n"
      "  int run([[maybe_unused]] const RawTensor* in, RawTensor* out, char* error, std::size_t size) override {{\n",
      m, types, strings ? "  ::loam::boundary::Lists strings;\n" : "");
  if (strings) tensors += "    strings.clear();\n";
  if (!takes.empty()) tensors += "    std::string why;\n";
  out += tensors + takes;
  out += fmt::format("    auto result = forward(b{}, prepared);\n", arguments);
  out += "    if (!result) return ::loam::harness::fail(error, size, result.error().message);\n    outputs = std::move(*result);\n";
  out += gives + "    return 0;\n  }\n};\n\n";
  out +=
      "inline int open(const RawFile* checkpoint, const RawFile* external, std::int32_t count, std::int32_t backend,\n"
      "                std::int32_t threads, void** state, char* error, std::size_t size) {\n"
      "  std::vector<loam::DataFile> files;\n"
      "  for (std::int32_t i = 0; i < count; ++i)\n"
      "    files.push_back({external[i].location, {static_cast<const std::byte*>(external[i].data), static_cast<std::size_t>(external[i].bytes)}});\n"
      "  std::span<const std::byte> bytes;\n"
      "  if (checkpoint) bytes = {static_cast<const std::byte*>(checkpoint->data), static_cast<std::size_t>(checkpoint->bytes)};\n"
      "  auto weights = Weights::load(bytes, files);\n"
      "  if (!weights) return ::loam::harness::fail(error, size, weights.error().message);\n"
      "  if (backend == 0) *state = static_cast<::loam::harness::Runner*>(new Runner<loam::Cpu>(std::move(*weights), threads));\n"
      "  else *state = static_cast<::loam::harness::Runner*>(new Runner<loam::Opaque>(std::move(*weights), threads));\n"
      "  return 0;\n}\n"
      "inline void close(void* state) { delete static_cast<::loam::harness::Runner*>(state); }\n"
      "inline int run(void* state, const RawTensor* in, RawTensor* out, char* error, std::size_t size) {\n"
      "  return static_cast<::loam::harness::Runner*>(state)->run(in, out, error, size);\n}\n";
  out += fmt::format("inline constexpr ::loam::harness::PortInfo inputs[] = {{{}{{}}}};\n", ports_in);
  out += fmt::format("inline constexpr ::loam::harness::PortInfo outputs[] = {{{}{{}}}};\n", ports_out);
  out += fmt::format("inline constexpr ::loam::harness::Module module = {{::loam::harness::version, \"{}\", {}, {}, inputs, outputs, open, close, run}};\n\n",
                     m, input_.program.inputs.size(), input_.program.outputs.size());
  out += fmt::format("}}  // namespace {0}::harness\n\nextern \"C\" const loam::harness::Module* loam_module_{0}() {{ return &{0}::harness::module; }}\n", m);
  return out;
}

}  // namespace loam
