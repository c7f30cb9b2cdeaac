// loam build: a graph to a module's files, or to WebAssembly and what loads it on a page.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/graph_options.hpp"
#include "cli/printer.hpp"
#include "cli/progress.hpp"
#include "cli/wasm_compiler.hpp"

namespace loam::cli {
namespace {

struct Options {
  std::string graph, folder, target = "c++";
  bool wasm_threads = false;
  GraphOptions build;
};

double kilobytes(std::int64_t bytes) { return static_cast<double>(bytes) / 1e3; }

void print_size(const fs::path& file) {
  const SentSize size = sent_size(file);
  const auto sent = [](std::int64_t bytes, const char* by) {
    return bytes < 0 ? fmt::format("{} is not installed", by) : fmt::format("{:.1f} KB by {}", kilobytes(bytes), by);
  };
  fmt::print("{} ({:.1f} KB; {}, {})\n", file.string(), kilobytes(size.raw), sent(size.gzip, "gzip"),
             sent(size.brotli, "brotli"));
}

// The module's source among the files becomes WebAssembly modules beside them.
void build_wasm(const WasmCompiler& compiler, const fs::path& folder, const std::string& module, bool threads) {
  Progress progress(fmt::format("compiling {} with {}", module, compiler.name()));
  std::vector<fs::path> built;
  for (const bool shared : {false, true})
    for (const bool relaxed : {false, true}) {
      if (shared && !threads) continue;
      built.push_back(folder / fmt::format("{}{}{}.wasm", module, relaxed ? ".relaxed" : "", shared ? ".threads" : ""));
      compiler.build(folder / (module + "_wasm.cpp"), built.back(), {.relaxed_simd = relaxed, .threads = shared},
                     [&] { progress.tick(); });
    }
  progress.clear();
  for (const fs::path& file : built) print_size(file);
}

int build(const Options& options) {
  Diagnostics diagnostics;
  CompileOptions compile_with = compile_options(options.build, diagnostics);
  compile_with.wasm = options.target == "wasm";
  compile_with.wasm_threads = options.wasm_threads;
  if (options.wasm_threads && !compile_with.wasm)
    diagnostics.error(Code::bad_option, "--wasm-threads", "is of WebAssembly, and the target is c++", "--target wasm");
  const std::optional<WasmCompiler> wasm = compile_with.wasm ? std::make_optional<WasmCompiler>() : std::nullopt;
  const GraphFiles files(options.graph, options.build.checkpoint);
  CompileResult result;
  if (!diagnostics.failed()) result = compile(files.input(), compile_with, diagnostics);
  print(diagnostics);
  if (diagnostics.failed()) return exit_failed;
  if (compile_with.auto_layout) print_proposal(result.proposed_layout);

  std::vector<NewFile> written;
  for (const OutputFile& file : result.files) written.push_back({file.name, file.text});
  write_files(options.folder, written);
  for (const NewFile& file : written)
    fmt::print("{} ({:.1f} KB)\n", (fs::path(options.folder) / file.name).string(),
               kilobytes(static_cast<std::int64_t>(file.text.size())));
  if (wasm) build_wasm(*wasm, options.folder, result.module_name, options.wasm_threads);
  return exit_ok;
}

}  // namespace

void add_build(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("build", "Compile a graph to the files of a C++20 module, or to WebAssembly");
  auto options = std::make_shared<Options>();
  command->add_option("GRAPH", options->graph, "The model: .onnx or .onnxtext")->required();
  add_graph_options(*command, options->build);
  command->add_option("-o,--out", options->folder, "Where the files are written")->required()->type_name("DIR");
  command->add_flag("--packed", options->build.with_packed,
                    "The module also writes its prepared weights to a file, and reads them where it lies: write_packed, load_packed");
  command
      ->add_option("--levels", options->build.levels,
                   "Compiled at each of these levels of x86-64: a program takes the highest that the processor has")
      ->delimiter(',')
      ->type_name("LEVEL,...");
  command
      ->add_option("--target", options->target,
                   "c++: the header alone; wasm: also a WebAssembly module and the JavaScript that loads it")
      ->type_name("c++|wasm")
      ->check(CLI::IsMember({"c++", "wasm"}));
  command->add_flag("--wasm-threads", options->wasm_threads,
                    "Also WebAssembly modules that share their work among workers, where a page may share memory");
  command->footer("Example: loam build gpt2.onnx --checkpoint gpt2.safetensors --layout gpt2.layout.json -o generated");
  command->callback([options, &action] { action = [options] { return build(*options); }; });
}

}  // namespace loam::cli
