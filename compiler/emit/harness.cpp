// The harness of `loam run` and `loam test`: the module behind runtime/harness.hpp's table.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/emit/writer.hpp"

namespace loam {

// The cache of one runner. A past that comes with elements is written to it first; one of no element type (0) is what the
// cache has, cut to that length, and its present is not given back. Room is made for as many places more as any other
// input is long, and twice that where the cache grows.
ModuleWriter::HarnessCache ModuleWriter::harness_cache(const std::string& others) {
  const Program& program = input_.program;
  HarnessCache made;
  std::string writes, lengths, same;
  for (std::size_t k = 1; k < cache_members_.size(); ++k)
    for (const CacheEntry& entry : program.caches) {
      const auto axis = std::ranges::find_if(entry.extents, [&](const Polynomial& p) { return p.as_symbol() == cache_members_[k].first; });
      if (axis == entry.extents.end()) continue;
      const std::string length = fmt::format("in[{}].extents[{}]", entry.input_place, axis - entry.extents.begin());
      lengths += ", " + length;
      same += fmt::format(" || cache->{} != {}", cache_members_[k].second, length);
      break;
    }
  for (std::size_t i = 0; i < cache_names_.size(); ++i) {
    const CacheEntry& entry = program.caches[i];
    made.types += fmt::format("using Kept{} = {};\n", i, tensor_type(tensor(entry.before)));
    made.members += fmt::format("  Kept{0} kept{0};\n", i);
    writes += fmt::format("      In{0} in{0};\n      if (!::loam::boundary::take(in[{0}], in{0}, {1}, why)) return ::loam::harness::fail(error, size, why);\n"
                          "      loam::write_places<{2}>(b, cache->{3}, b.upload(in{0}));\n",
                          entry.input_place, cpp_string(entry.input), entry.axis, cache_names_[i]);
    made.gives += fmt::format("    if (!as_kept) kept{0} = b.download(loam::first_places<{1}>(cache->{2}, cache->length()));\n"
                              "    out[{3}] = as_kept ? RawTensor{{}} : ::loam::boundary::give(kept{0});\n",
                              i, entry.axis, cache_names_[i], entry.output_place);
  }
  made.members += "  std::optional<Cache<Backend>> cache;\n";
  const CacheEntry& first = program.caches.front();
  made.takes = fmt::format(
      "    const bool as_kept = in[{0}].dtype == 0;\n"
      "    const std::int64_t length = in[{0}].extents[{1}], room = length + ::loam::harness::longest(in, {{{2}}});\n"
      "    if (!cache || cache->capacity() < room{3}) {{\n"
      "      auto made = as_kept && cache ? copy_cache(b, *cache, 2 * room) : make_cache(b, room{4});\n"
      "      if (!made) return ::loam::harness::fail(error, size, made.error().message);\n"
      "      cache = std::move(*made);\n    }}\n"
      "    cache->truncate(as_kept ? length : 0);\n"
      "    if (!as_kept) {{\n{5}      cache->extend(length);\n    }}\n",
      first.input_place, first.axis, others, same, lengths, writes);
  return made;
}

std::string ModuleWriter::harness() {
  const std::string& m = input_.module_name;
  const Program& program = input_.program;
  bool strings = false;
  // The graph's inputs and outputs in its own order, those of a cache among them.
  const std::size_t inputs = program.inputs.size() + program.caches.size(), outputs = program.outputs.size() + program.caches.size();
  std::vector<TensorId> in(inputs, no_tensor), out_tensors(outputs, no_tensor);
  std::vector<std::string> in_names(inputs), out_names(outputs);
  for (const CacheEntry& entry : program.caches) {
    in[entry.input_place] = entry.before;
    out_tensors[entry.output_place] = entry.tensor;
    in_names[entry.input_place] = entry.input;
    out_names[entry.output_place] = entry.output;
  }
  const auto next_free = [](const std::vector<TensorId>& places, std::size_t from) {
    return static_cast<std::size_t>(std::find(places.begin() + static_cast<std::ptrdiff_t>(from), places.end(), no_tensor) - places.begin());
  };
  std::string ports_in, ports_out, types, tensors, takes, arguments, gives, others;
  std::size_t at = 0;
  for (const ProgramInput& input : program.inputs) {
    at = next_free(in, at);
    in[at] = input.tensor;
    in_names[at] = tensor(input.tensor).name;
    tensors += fmt::format("    In{0} in{0};\n", at);
    takes += fmt::format("    if (!::loam::boundary::take(in[{0}], in{0}, {1}, why)) return ::loam::harness::fail(error, size, why);\n", at,
                         cpp_string(in_names[at]));
    arguments += fmt::format(", in{}", at);
    others += fmt::format("{}{}", others.empty() ? "" : ", ", at);
  }
  at = 0;
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    at = next_free(out_tensors, at);
    const TensorId t = out_tensors[at] = program.outputs[i];
    out_names[at] = program.output_names[i];
    gives += fmt::format("    out[{}] = ::loam::boundary::give(outputs->{}{});\n", at, output_names_[i], tensor(t).dtype == DType::string ? ", strings" : "");
    strings = strings || tensor(t).dtype == DType::string;
  }
  const auto port = [&](const std::string& name, TensorId t) {
    return fmt::format("{{{}, {}, {}}}, ", cpp_string(name), static_cast<int>(tensor(t).dtype), tensor(t).axes.size());
  };
  for (std::size_t i = 0; i < inputs; ++i) {
    ports_in += port(in_names[i], in[i]);
    types += fmt::format("using In{} = {};\n", i, tensor_type(tensor(in[i])));  // where no member of the struct is named as an axis may be
  }
  for (std::size_t i = 0; i < outputs; ++i) ports_out += port(out_names[i], out_tensors[i]);
  std::string members;
  if (!program.caches.empty()) {
    const HarnessCache cache = harness_cache(others);
    types += cache.types;
    members = cache.members;
    takes += cache.takes;
    gives += cache.gives;
    arguments += ", *cache";
  }
  constexpr std::string_view packed_runner =
      "  explicit Runner(int threads) : b(threads) {}\n"
      "  bool load(std::span<const std::byte> file, std::string& why) {\n"
      "    auto loaded = load_packed(b, file);\n    if (!loaded) why = loaded.error().message;\n    else prepared = std::move(*loaded);\n"
      "    return static_cast<bool>(loaded);\n  }\n"
      "  void pack([[maybe_unused]] void (*write)(void*, const void*, std::size_t), [[maybe_unused]] void* user) override {\n"
      "    if constexpr (std::is_same_v<Backend, loam::Cpu>)\n"
      "      write_packed(prepared, [&](const void* data, std::size_t bytes) { write(user, data, bytes); });\n  }\n";
  std::string out = fmt::format(
      "#include <memory>\n#include <optional>\n#include <vector>\n\n#include \"{0}.hpp\"\n#include \"runtime/harness_glue.hpp\"\n\n"
      "namespace {0}::harness {{\n\n{1}"
      "using ::loam::harness::RawFile;\nusing ::loam::harness::RawTensor;\n\n"
      "template <class Backend>\nstruct Runner final : ::loam::harness::Runner {{\n"
      "  Backend b;\n  Weights weights;\n  Prepared<Backend> prepared;\n  std::optional<Outputs> outputs;\n{2}{3}"
      "  Runner(Weights w, int threads, ::loam::harness::Watch watch)\n"
      "      : b(threads), weights(std::move(w)), prepared(prepare(b, weights, [&](const loam::Progress& p) {{ ::loam::harness::tell(watch, p); }})) {{}}\n{4}"
      "  int run([[maybe_unused]] const RawTensor* in, RawTensor* out, char* error, std::size_t size) override {{\n",
      m, types, strings ? "  ::loam::boundary::Lists strings;\n" : "", members,
      input_.options.packed ? packed_runner : "  void pack(void (*)(void*, const void*, std::size_t), void*) override {}\n");
  if (strings) tensors += "    strings.clear();\n";
  if (!takes.empty()) tensors += "    std::string why;\n";
  out += tensors + takes;
  out += fmt::format("    auto result = forward(b{}, prepared);\n", arguments);
  out += "    if (!result) return ::loam::harness::fail(error, size, result.error().message);\n    outputs = std::move(*result);\n";
  out += gives + "    return 0;\n  }\n  const double* seconds(std::int32_t& count) const override { return ::loam::harness::seconds_of(b, count); }\n};\n\n";
  out +=
      "inline int open(const RawFile* checkpoint, const RawFile* external, std::int32_t count, std::int32_t backend,\n"
      "                std::int32_t threads, ::loam::harness::Watch watch, void** state, char* error, std::size_t size) {\n"
      "  std::vector<loam::DataFile> files;\n"
      "  for (std::int32_t i = 0; i < count; ++i)\n"
      "    files.push_back({external[i].location, {static_cast<const std::byte*>(external[i].data), static_cast<std::size_t>(external[i].bytes)}});\n"
      "  std::span<const std::byte> bytes;\n"
      "  if (checkpoint) bytes = {static_cast<const std::byte*>(checkpoint->data), static_cast<std::size_t>(checkpoint->bytes)};\n"
      "  auto weights = Weights::load(bytes, files);\n"
      "  if (!weights) return ::loam::harness::fail(error, size, weights.error().message);\n"
      "  if (backend == 0) *state = static_cast<::loam::harness::Runner*>(new Runner<loam::Cpu>(std::move(*weights), threads, watch));\n"
      "  else *state = static_cast<::loam::harness::Runner*>(new Runner<loam::Opaque>(std::move(*weights), threads, watch));\n"
      "  return 0;\n}\n"
      "inline void close(void* state) { delete static_cast<::loam::harness::Runner*>(state); }\n"
      "inline int run(void* state, const RawTensor* in, RawTensor* out, char* error, std::size_t size) {\n"
      "  return static_cast<::loam::harness::Runner*>(state)->run(in, out, error, size);\n}\n"
      "inline const double* seconds(void* state, std::int32_t* count) {\n"
      "  return static_cast<::loam::harness::Runner*>(state)->seconds(*count);\n}\n";
  if (input_.options.packed)
    out +=
        "inline int open_packed(const void* data, std::uint64_t bytes, std::int32_t backend, std::int32_t threads, void** state, char* error,\n"
        "                       std::size_t size) {\n"
        "  const auto load = [&](auto runner) {\n    std::string why;\n"
        "    if (!runner->load({static_cast<const std::byte*>(data), static_cast<std::size_t>(bytes)}, why)) return ::loam::harness::fail(error, size, why);\n"
        "    *state = static_cast<::loam::harness::Runner*>(runner.release());\n    return 0;\n  };\n"
        "  return backend == 0 ? load(std::make_unique<Runner<loam::Cpu>>(threads)) : load(std::make_unique<Runner<loam::Opaque>>(threads));\n}\n"
        "inline void pack(void* state, void (*write)(void*, const void*, std::size_t), void* user) {\n"
        "  static_cast<::loam::harness::Runner*>(state)->pack(write, user);\n}\n";
  out += fmt::format("inline constexpr ::loam::harness::PortInfo inputs[] = {{{}{{}}}};\n", ports_in);
  out += fmt::format("inline constexpr ::loam::harness::PortInfo outputs[] = {{{}{{}}}};\n", ports_out);
  out += fmt::format("inline constexpr ::loam::harness::Module module = {{::loam::harness::version, \"{}\", {}, {}, inputs, outputs, open, {}, {}, close, run, seconds}};\n\n",
                     m, inputs, outputs, input_.options.packed ? "open_packed" : "nullptr", input_.options.packed ? "pack" : "nullptr");
  out += fmt::format("}}  // namespace {0}::harness\n\nextern \"C\" const loam::harness::Module* loam_module_{0}() {{ return &{0}::harness::module; }}\n", m);
  return out;
}

}  // namespace loam
