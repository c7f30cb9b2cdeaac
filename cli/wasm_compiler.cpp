#include "cli/wasm_compiler.hpp"

#include <fmt/format.h>

#include "cli/failure.hpp"
#include "cli/host_compiler.hpp"
#include "cli/process.hpp"
#include "cli/programs.hpp"

namespace loam::cli {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> find_clang() {
  if (const std::vector<std::string> chosen = words(environment("LOAM_WASM_CXX")); !chosen.empty()) {
    if (!on_path(chosen.front()))
      throw Failure(fmt::format("LOAM_WASM_CXX is '{}', and there is no such program", chosen.front()));
    return chosen;
  }
  for (const char* program : {"clang++-19", "clang++"})
    if (on_path(program)) return {program};
  throw Failure(
      "no clang++ is found, which makes WebAssembly: set LOAM_WASM_CXX, or install clang-19, lld-19, wasi-libc, "
      "libc++-19-dev-wasm32, libc++abi-19-dev-wasm32 and libclang-rt-19-dev-wasm32");
}

// The bytes that `program` with these arguments makes of the file, counted where it writes them: at `made`.
std::int64_t size_by(std::vector<std::string> command, const fs::path& file, const fs::path& made) {
  if (!on_path(command.front())) return -1;
  command.push_back(file.string());
  if (run_process(command, 600s).status != 0) return -1;
  return static_cast<std::int64_t>(fs::file_size(made));
}

}  // namespace

WasmCompiler::WasmCompiler() : command_(find_clang()) { command_.push_back("--target=wasm32-wasi"); }

void WasmCompiler::build(const fs::path& source, const fs::path& out, WasmFeatures features,
                         const std::function<void()>& tick) const {
  const fs::path object = fs::path(out).concat(".o");
  std::vector<std::string> compile = command_, link = command_;
  // Unrolled loops took a fifth of gpt2-124m's bytes and gave 2 to 4 % of speed; -Oz takes another fifth, and 1.2 to
  // 1.6 times the time. wasm-opt makes the module smaller, and what brotli makes of it larger. Functions that came out alike
  // for several types are one: smollm2-135m was 748 KB, 82.5 by brotli, and is 444 and 76.5, as fast.
  compile.insert(compile.end(), {"-std=c++20", "-w", "-O2", "-fno-unroll-loops", "-fno-exceptions", "-fno-rtti", "-fvisibility=hidden",
                                 "-msimd128", "-mbulk-memory", "-mnontrapping-fptoint", "-Xclang", "-fmerge-functions"});
  if (features.relaxed_simd) compile.push_back("-mrelaxed-simd");
  if (features.threads) compile.push_back("-matomics");
  for (std::string& word : words(environment("LOAM_WASM_CXXFLAGS"))) compile.push_back(std::move(word));
  compile.insert(compile.end(), {"-c", source.string(), "-o", object.string()});
  // Compiled and linked by two calls: with -O on the link line clang runs whichever wasm-opt is on PATH. A megabyte of
  // stack lies before the data, so that what runs past it traps, and spoils nothing.
  link.insert(link.end(), {"-mexec-model=reactor", "-Wl,--strip-all,--stack-first,-z,stack-size=1048576",
                           object.string(), "-o", out.string()});
  // What is linked of wasi-libc and libc++ knows no atomics, and is only called by one thread, or keeps nothing.
  if (features.threads)
    link.push_back("-Wl,--shared-memory,--import-memory,--export-memory,--max-memory=4294967296,--export=__stack_pointer,"
                   "--no-check-features");
  for (const std::vector<std::string>& step : {compile, link}) {
    const Finished finished = run_process(step, 3600s, tick);
    if (finished.status != 0)
      throw Failure(fmt::format("the module does not compile to WebAssembly: {}", first_error(finished.output)));
  }
  fs::remove(object);
}

SentSize sent_size(const fs::path& file) {
  const TemporaryFolder folder(cache_folder() / "build");
  const fs::path copy = folder.path() / "module";
  fs::copy_file(file, copy);
  SentSize size{static_cast<std::int64_t>(fs::file_size(file)), -1, -1};
  size.gzip = size_by({"gzip", "-9", "-k"}, copy, fs::path(copy).concat(".gz"));
  size.brotli = size_by({"brotli", "-q", "11", "-k"}, copy, fs::path(copy).concat(".br"));
  return size;
}

}  // namespace loam::cli
