#include "cli/host_compiler.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <system_error>

#include "cli/failure.hpp"
#include "cli/hash.hpp"
#include "cli/process.hpp"
#include "cli/programs.hpp"
#include "compiler/emit/embedded.hpp"

#ifndef LOAM_HOST_CXX
#define LOAM_HOST_CXX ""
#endif

namespace loam::cli {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> find_compiler() {
  if (const std::vector<std::string> chosen = words(environment("CXX")); !chosen.empty()) {
    if (!on_path(chosen.front()))
      throw Failure(fmt::format("CXX is '{}', and there is no such program", chosen.front()));
    return chosen;
  }
  for (const std::string program : {LOAM_HOST_CXX, "c++", "g++", "clang++"})
    if (!program.empty() && on_path(program)) return {program};
  throw Failure("no C++ compiler is found: set CXX, or install g++ (12 or later) or clang++ (16 or later)");
}

// What -march=native makes of this machine: code from another one's cache might not run here.
std::string processor() {
  std::ifstream lines("/proc/cpuinfo");
  std::string identity;
  for (std::string line; std::getline(lines, line) && !line.empty();)  // up to the end of the first core's
    if (line.starts_with("flags") || line.starts_with("Features") || line.starts_with("model name")) identity += line;
  return identity;
}

// Writes the embedded headers out once for each version of them.
fs::path write_runtime(const fs::path& cache, const std::string& hash) {
  const fs::path folder = cache / "runtime" / hash;
  if (fs::exists(folder)) {
    mark_as_used(folder);
    return folder;
  }
  const TemporaryFolder temporary(cache / "runtime");
  std::vector<NewFile> files;
  for (const EmbeddedFile& file : embedded_runtime()) files.push_back({std::string(file.path), file.text});
  write_files(temporary.path() / "all", files);
  std::error_code error;
  fs::rename(temporary.path() / "all", folder, error);
  if (error && !fs::exists(folder))
    throw Failure(fmt::format("{}: cannot write: {}", folder.string(), error.message()));
  return folder;
}

// The one translation unit: every harness, and the table that names their modules.
std::string translation_unit(std::span<const CompileResult* const> modules) {
  std::string text = "#include <cstdint>\n#include \"runtime/harness.hpp\"\n";
  std::string table;
  for (const CompileResult* module : modules) {
    text += fmt::format("#include \"{}_harness.cpp\"\n", module->module_name);
    table += fmt::format("    loam_module_{}(),\n", module->module_name);
  }
  return text + fmt::format(
                    "\nextern \"C\" const loam::harness::Module* const* loam_harness_modules(std::int32_t* count) {{\n"
                    "  static const loam::harness::Module* const modules[] = {{\n{}  }};\n"
                    "  *count = {};\n"
                    "  return modules;\n"
                    "}}\n",
                    table, modules.size());
}

}  // namespace

HostCompiler::HostCompiler(CodeFor purpose) : cache_(cache_folder()), command_(find_compiler()) {
  std::vector<std::string> ask = command_;  // all of it: CXX may be "ccache g++"
  ask.push_back("--version");
  const Finished version = run_process(ask, 60s);
  if (version.status != 0) throw Failure(fmt::format("{} --version failed: {}", name(), version.output));

  for (const char* kept : {"modules", "runtime"}) remove_unused(cache_ / kept, 24h * 30);
  remove_unused(cache_ / "build", 24h);  // of processes that were killed
  Sha256 hash;
  for (const EmbeddedFile& file : embedded_runtime()) hash.add(file.path).add(file.text);
  const std::string runtime_hash = hash.hex();
  runtime_ = write_runtime(cache_, runtime_hash);

  command_.insert(command_.end(), {"-std=c++20", "-shared", "-fPIC", "-pthread", "-w"});
  switch (purpose) {
    case CodeFor::small_tests:
      command_.push_back("-Og");
      break;
    case CodeFor::large_tests:
      command_.push_back("-O1");
      break;
    case CodeFor::speed:
      command_.insert(command_.end(), {"-O2", "-march=native"});
      break;
  }
  const std::vector<std::string> more = words(environment("LOAM_CXXFLAGS"));
  command_.insert(command_.end(), more.begin(), more.end());

  for (const std::string& word : command_) identity_ += word + '\n';
  identity_ += version.output + runtime_hash;
  if (identity_.find("-march=native") != std::string::npos) identity_ += processor();
  command_.push_back("-I" + runtime_.string());
}

HostLibrary HostCompiler::build(std::span<const CompileResult* const> modules, std::chrono::seconds limit,
                                const std::function<void()>& tick) const {
  const std::string main = translation_unit(modules);
  Sha256 hash;
  hash.add(identity_).add(main);
  for (const CompileResult* module : modules)
    for (const OutputFile& file : module->files) hash.add(file.name).add(file.text);
  const fs::path path = cache_ / "modules" / (hash.hex() + ".so");
  if (fs::exists(path)) {
    mark_as_used(path);
    return {path, true, {}};
  }

  const TemporaryFolder folder(cache_ / "build");
  std::vector<NewFile> files{{"modules.cpp", main}};
  for (const CompileResult* module : modules)
    for (const OutputFile& file : module->files) files.push_back({file.name, file.text});
  write_files(folder.path(), files);

  std::vector<std::string> command = command_;
  const fs::path library = folder.path() / "modules.so";
  command.insert(command.end(),
                 {"-I" + folder.path().string(), (folder.path() / "modules.cpp").string(), "-o", library.string()});
  Finished finished = run_process(command, limit, tick);
  if (finished.timed_out) finished.output = fmt::format("error: {} did not finish within {} s", name(), limit.count());
  if (finished.status != 0 || finished.timed_out) return {{}, false, std::move(finished.output)};

  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  fs::rename(library, path, error);
  if (error) throw Failure(fmt::format("{}: cannot write: {}", path.string(), error.message()));
  return {path, false, {}};
}

std::string first_error(std::string_view output) {
  std::istringstream lines{std::string(output)};
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (first.empty()) first = line;
    if (line.find("error:") == std::string::npos && line.find("error: ") == std::string::npos) continue;
    // "/cache/build/loam.1a2b/gpt2.hpp:12:3: error: ..." begins with the file alone.
    const std::size_t slash = line.substr(0, line.find(": ")).rfind('/');
    return slash == std::string::npos ? line : line.substr(slash + 1);
  }
  return first.empty() ? "the compiler said nothing" : first;
}

}  // namespace loam::cli
