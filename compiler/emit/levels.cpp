// A module compiled at several levels of the processor: the header that a program sees, which holds no kernel, and what
// stands between it and a level, a table of functions. docs/generated-module.md says how they are compiled and linked.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/emit/writer.hpp"

namespace loam {

namespace {

// What a compiler defines from a level on, and from the next one on: a source compiled for another level says so.
struct LevelMacros {
  std::string_view level, has, lacks;
};
constexpr LevelMacros macros[] = {{"x86-64", "__SSE2__", "__SSE3__"},
                                  {"x86-64-v2", "__SSE4_2__", "__AVX__"},
                                  {"x86-64-v3", "__AVX2__", "__AVX512F__"},
                                  {"x86-64-v4", "__AVX512VL__", "__AVX512VNNI__"}};
static_assert(std::ranges::equal(macros, processor_levels, {}, &LevelMacros::level));

std::string word_of(std::string_view level) {
  std::string word(level);
  std::ranges::replace(word, '-', '_');
  return word;
}

bool chosen(const CompileOptions& options, std::string_view level) { return std::ranges::find(options.levels, level) != options.levels.end(); }

}  // namespace

// The table, in the header: functions over the program's own tensors, and over what only a level knows.
std::string ModuleWriter::facade() {
  const std::string& m = input_.module_name;
  const bool cached = !input_.program.caches.empty();
  std::string types, parameters, arguments, lengths, length_arguments;
  for (std::size_t i = 0; i < input_.program.inputs.size(); ++i) {
    const std::string type = tensor_type(tensor(input_.program.inputs[i].tensor));
    types += fmt::format(",\n    const {}&", type);
    parameters += fmt::format(",\n    const {}& {}", type, input_names_[i]);
    arguments += ", " + input_names_[i];
  }
  for (std::size_t i = 1; i < cache_members_.size(); ++i) {
    lengths += ", std::int64_t";
    length_arguments += ", " + symbol_names_.at(cache_members_[i].first);
  }
  if (cached) {
    types += ",\n    Cache<loam::Cpu>&";
    parameters += ",\n    Cache<loam::Cpu>& cache";
    arguments += ", cache";
  }
  std::set<std::string> roots = {"runtime/checkpoint.hpp", "runtime/levels.hpp", "runtime/progress.hpp"};
  if (cached) roots.insert("runtime/places.hpp");
  const auto see = [&](TensorId t) {
    if (is_narrow(tensor(t).dtype)) roots.insert("runtime/narrow.hpp");
    if (tensor(t).dtype == DType::string) roots.insert("runtime/strings.hpp");
  };
  for (const ProgramInput& input : input_.program.inputs) see(input.tensor);
  std::ranges::for_each(input_.program.outputs, see);
  std::ranges::for_each(input_.program.weights, see);

  const RuntimeText runtime = amalgamate(roots, m, false);
  std::string out = comment_section() + fmt::format("//\n// Its kernels are in {}_level.hpp, compiled at several levels of the processor, of which Cpu takes one.\n#pragma once\n\n", m);
  for (const std::string& include : runtime.system_includes) out += include + "\n";
  out += fmt::format("\n// ---- What of the runtime a program sees. ----\n\n{0}// ---- {1} ----\n\nnamespace {1} {{\n\n", runtime.text, m);
  out += axes_section() + weights_section(true) + outputs_section();
  out += "// The weights as a level computes with them.\ntemplate <class Backend>\nstruct Prepared : loam::Held {};\n\n";
  if (cached) {
    out += "// What forward keeps from call to call and appends to. It is the caller's; a call that is refused leaves it as it was.\n"
           "template <class Backend>\nstruct Cache : loam::Places, loam::Held {\n";
    for (std::size_t i = 1; i < cache_members_.size(); ++i) out += fmt::format("  std::int64_t {} = 0;\n", cache_members_[i].second);
    out += "};\n\n";
  }
  out += fmt::format(
      "// The module at one level: functions over its own backend, prepared weights and caches, which they make.\n"
      "using ForwardFunction = loam::Result<Outputs, loam::Refusal>(void*{}, const void*);\n"
      "struct Compiled : loam::Level {{\n"
      "  void* (*prepare)(void* cpu, const Weights&, void (*watch)(void* user, const loam::Progress&), void* user);\n  void (*drop_prepared)(void*);\n  ForwardFunction* forward;\n", types);
  if (input_.options.packed)
    out += "  loam::Result<void*, loam::LoadError> (*load_packed)(void* cpu, std::span<const std::byte>);\n"
           "  void (*write_packed)(const void* prepared, void (*write)(void* user, const void* data, std::size_t bytes), void* user);\n";
  if (cached)
    out += fmt::format("  loam::Result<void*, loam::Refusal> (*make_cache)(void* cpu, std::int64_t capacity{});\n"
                       "  loam::Result<void*, loam::Refusal> (*copy_cache)(void* cpu, const Cache<loam::Cpu>& from, std::int64_t capacity);\n"
                       "  void (*drop_cache)(void*);\n", lengths);
  out += fmt::format("}};\n\n}}  // namespace {}\n\n// The levels.\nextern \"C\" {{\n#if defined(__x86_64__)\n", m);
  std::string list;
  for (const std::string_view level : processor_levels) {
    if (!chosen(input_.options, level)) continue;
    out += fmt::format("extern const {0}::Compiled {0}_{1};\n", m, word_of(level));
    list += fmt::format("{}&{}_{}", list.empty() ? "" : ", ", m, word_of(level));
  }
  out += fmt::format(
      "#else\nextern const {0}::Compiled {0}_portable;\n#endif\n}}\n\n"
      "inline std::span<const {0}::loam::Level* const> {0}::loam::built_levels() {{\n#if defined(__x86_64__)\n"
      "  static constexpr const Level* built[] = {{{1}}};\n#else\n  static constexpr const Level* built[] = {{&{0}_portable}};\n#endif\n"
      "  return built;\n}}\n\nnamespace {0} {{\n\n"
      "inline const Compiled& compiled(const loam::Cpu& b) {{ return static_cast<const Compiled&>(*b.code()); }}\n\n"
      "// The weights as the backend computes with them, made once. Those that a kernel reads as they are lie where Weights has them.\n"
      "// `watch` is told of each weight that is through, as loam::Progress says.\n"
      "template <class Watch = loam::Unwatched>\n"
      "Prepared<loam::Cpu> prepare(loam::Cpu& b, const Weights& weights, Watch watch = {{}}) {{\n"
      "  if (!b.code()) return {{}};\n"
      "  const auto tell = [](void* user, const loam::Progress& progress) {{ (*static_cast<Watch*>(user))(progress); }};\n"
      "  return {{{{b.code(), {{compiled(b).prepare(b.state(), weights, tell, &watch), compiled(b).drop_prepared}}}}}};\n}}\n\n", m, list);
  if (input_.options.packed)
    out += "// The prepared weights by write(pointer, bytes), for load_packed at a level whose vectors are as long.\n"
           "template <class Write>\nvoid write_packed(const Prepared<loam::Cpu>& prepared, Write&& write) {\n"
           "  if (!prepared.maker) return;\n"
           "  static_cast<const Compiled*>(prepared.maker)->write_packed(prepared.state.get(), [](void* user, const void* data, std::size_t bytes) {\n"
           "    (*static_cast<std::remove_reference_t<Write>*>(user))(data, bytes);\n  }, &write);\n}\n\n"
           "// The prepared weights where the file has them: its bytes must stay, on a boundary of 64.\n"
           "inline loam::Result<Prepared<loam::Cpu>, loam::LoadError> load_packed(loam::Cpu& b, std::span<const std::byte> bytes) {\n"
           "  if (!b.code()) return loam::LoadError{loam::no_level().message};\n"
           "  const auto loaded = compiled(b).load_packed(b.state(), bytes);\n  if (!loaded) return loaded.error();\n"
           "  return Prepared<loam::Cpu>{{b.code(), {*loaded, compiled(b).drop_prepared}}};\n}\n\n";
  if (cached) {
    std::string declared, set, copied;
    for (std::size_t i = 1; i < cache_members_.size(); ++i) {
      const auto& [id, member] = cache_members_[i];
      declared += fmt::format(", std::int64_t {}", symbol_names_.at(id));
      set += fmt::format(", {}", symbol_names_.at(id));
      copied += fmt::format(", from.{}", member);
    }
    out += fmt::format(
        "// A cache of no places yet, with room for so many.\n"
        "inline loam::Result<Cache<loam::Cpu>, loam::Refusal> make_cache(loam::Cpu& b, std::int64_t capacity{0}) {{\n"
        "  if (!b.code()) return loam::no_level();\n"
        "  const auto made = compiled(b).make_cache(b.state(), capacity{1});\n  if (!made) return made.error();\n"
        "  return Cache<loam::Cpu>{{loam::Places(capacity), {{b.code(), {{*made, compiled(b).drop_cache}}}}{1}}};\n}}\n\n"
        "// The same places in a cache of its own with other room; those past it are left out.\n"
        "inline loam::Result<Cache<loam::Cpu>, loam::Refusal> copy_cache(loam::Cpu& b, const Cache<loam::Cpu>& from, std::int64_t capacity) {{\n"
        "  if (!loam::fits(b, from)) return loam::misfit(b, from, \"cache\");\n"
        "  const auto made = compiled(b).copy_cache(b.state(), from, capacity);\n  if (!made) return made.error();\n"
        "  Cache<loam::Cpu> cache{{loam::Places(capacity), {{b.code(), {{*made, compiled(b).drop_cache}}}}{2}}};\n"
        "  cache.extend(from.length());\n  return cache;\n}}\n\n",
        declared, set, copied);
  }
  out += fmt::format(
      "// Runs the model. Refuses inputs whose lengths disagree, or that a node cannot take; the refusal names the node.\n"
      "inline loam::Result<Outputs, loam::Refusal> forward(loam::Cpu& b{},\n    const Prepared<loam::Cpu>& weights) {{\n"
      "  if (!loam::fits(b, weights)) return loam::misfit(b, weights, \"the prepared weights\");\n", parameters);
  if (cached) out += "  if (!loam::fits(b, cache)) return loam::misfit(b, cache, \"cache\");\n";
  out += fmt::format("  return compiled(b).forward(b.state(){}, weights.state.get());\n}}\n\n}}  // namespace {}\n", arguments, m);
  return out;
}

// The table's functions, in the level's namespace: each calls the module's own of that name.
std::string ModuleWriter::compiled_section() const {
  const std::string theirs = "::" + input_.module_name;
  std::string weights, parameters, arguments, outputs, lengths, names;
  for (const TensorId t : input_.program.weights) weights += fmt::format("{}loam::lent(from.{})", weights.empty() ? "" : ", ", weight_names_.at(t));
  for (std::size_t i = 0; i < input_.program.inputs.size(); ++i) {
    parameters += fmt::format(", const auto& in{}", i);
    arguments += fmt::format(", loam::lent(in{})", i);
  }
  for (const std::string& output : output_names_) outputs += fmt::format("{}loam::given(outputs->{})", outputs.empty() ? "" : ", ", output);
  for (std::size_t i = 1; i < cache_members_.size(); ++i) {
    lengths += fmt::format(", std::int64_t length{}", i);
    names += fmt::format(", length{}", i);
  }
  const bool cached = !input_.program.caches.empty();
  std::string out, before, after;
  if (cached) {
    out += fmt::format(
        "// The level's own of a cache, of as many places.\n"
        "inline Cache<loam::Cpu>& own_cache(const {}::Cache<{}::loam::Cpu>& cache) {{\n"
        "  auto& own = *static_cast<Cache<loam::Cpu>*>(cache.state.get());\n"
        "  own.truncate(cache.length());\n  own.extend(cache.length());\n  return own;\n}}\n\n", theirs, theirs);
    parameters += fmt::format(", {0}::Cache<{0}::loam::Cpu>& cache", theirs);
    arguments += ", own";
    before = "        auto& own = own_cache(cache);\n";
    after = "        cache.extend(own.length());\n";
  }
  out += fmt::format(
      "// What the program calls of this level.\nconstexpr {0}::Compiled compiled(const char* level) {{\n  return {{\n"
      "      {{level, [](int threads) -> void* {{ return new loam::Cpu(threads); }}, loam::drop<loam::Cpu>}},\n"
      "      [](void* cpu, [[maybe_unused]] const {0}::Weights& from, void (*watch)(void*, const {0}::loam::Progress&), void* user) -> void* {{\n"
      "        const auto tell = [&](const loam::Progress& progress) {{ watch(user, {{progress.done, progress.total, progress.idle}}); }};\n"
      "        return new Prepared<loam::Cpu>(prepare(*static_cast<loam::Cpu*>(cpu), Weights{{{1}}}, tell));\n      }},\n      loam::drop<Prepared<loam::Cpu>>,\n"
      "      [](void* cpu{2},\n         const void* prepared) -> {0}::loam::Result<{0}::Outputs, {0}::loam::Refusal> {{\n"
      "{3}        auto outputs = forward(*static_cast<loam::Cpu*>(cpu){4},\n"
      "                               *static_cast<const Prepared<loam::Cpu>*>(prepared));\n"
      "        if (!outputs) return {0}::loam::Refusal{{outputs.error().message}};\n"
      "{5}        return {0}::Outputs{{{6}}};\n      }},\n",
      theirs, weights, parameters, before, arguments, after, outputs);
  if (input_.options.packed)
    out += fmt::format(
        "      [](void* cpu, std::span<const std::byte> bytes) -> {0}::loam::Result<void*, {0}::loam::LoadError> {{\n"
        "        auto prepared = load_packed(*static_cast<loam::Cpu*>(cpu), bytes);\n"
        "        if (!prepared) return {0}::loam::LoadError{{prepared.error().message}};\n"
        "        return static_cast<void*>(new Prepared<loam::Cpu>(std::move(*prepared)));\n      }},\n"
        "      [](const void* prepared, void (*write)(void*, const void*, std::size_t), void* user) {{\n"
        "        write_packed(*static_cast<const Prepared<loam::Cpu>*>(prepared), [&](const void* data, std::size_t bytes) {{ write(user, data, bytes); }});\n"
        "      }},\n", theirs);
  if (cached)
    out += fmt::format(
        "      [](void* cpu, std::int64_t capacity{1}) -> {0}::loam::Result<void*, {0}::loam::Refusal> {{\n"
        "        auto made = make_cache(*static_cast<loam::Cpu*>(cpu), capacity{2});\n"
        "        if (!made) return {0}::loam::Refusal{{made.error().message}};\n"
        "        return static_cast<void*>(new Cache<loam::Cpu>(std::move(*made)));\n      }},\n"
        "      [](void* cpu, const {0}::Cache<{0}::loam::Cpu>& from, std::int64_t capacity) -> {0}::loam::Result<void*, {0}::loam::Refusal> {{\n"
        "        auto made = copy_cache(*static_cast<loam::Cpu*>(cpu), own_cache(from), capacity);\n"
        "        if (!made) return {0}::loam::Refusal{{made.error().message}};\n"
        "        return static_cast<void*>(new Cache<loam::Cpu>(std::move(*made)));\n      }},\n"
        "      loam::drop<Cache<loam::Cpu>>,\n", theirs, lengths, names);
  return out + "  };\n}\n\n";
}

std::vector<OutputFile> ModuleWriter::level_sources() const {
  const std::string& m = input_.module_name;
  std::vector<OutputFile> files;
  const auto add = [&](std::string_view level, const std::string& wrong, const std::string& how) {
    const std::string word = word_of(level);
    files.push_back({fmt::format("{}_{}.cpp", m, word),
                     fmt::format("// {0} at the level {1}: generated by Loam. Do not edit: build it again.\n#if {4}\n"
                                 "#error \"{0}_{2}.cpp is compiled {3}\"\n#endif\n#define LOAM_LEVEL {2}\n#include \"{0}_level.hpp\"\n\n"
                                 "constinit const {0}::Compiled {0}_{2} = {0}::{2}::compiled(\"{1}\");\n",
                                 m, level, word, how, wrong)});
  };
  for (const LevelMacros& known : macros)
    if (chosen(input_.options, known.level))
      add(known.level, fmt::format("!defined({}) || defined({})", known.has, known.lacks), fmt::format("with -march={}", known.level));
  add("portable", "defined(__x86_64__)", "on other machines than x86-64, which has levels of its own");
  return files;
}

}  // namespace loam
