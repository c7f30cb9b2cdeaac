// How long a build takes: `loam build` on zoo/gpt2-124m-past, and g++ -O2 on the module. Figures, not a test.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

// What a command takes: seconds on the clock, and of a processor, which other work on the machine disturbs less.
struct Taken {
  double clock, processor;
};

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Runs it; ends the program where it fails.
Taken run(const std::string& command) {
  const auto start = std::chrono::steady_clock::now();
  const double before = processor_seconds();
  if (std::system(command.c_str()) != 0) {
    std::fprintf(stderr, "failed: %s\n", command.c_str());
    std::exit(1);
  }
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          processor_seconds() - before};
}

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

}  // namespace

int main() {
  const fs::path graph = fs::path(LOAM_SHARED_DIR) / "models/zoo/gpt2-124m-past/model.onnx";
  if (!fs::exists(graph)) {
    std::puts("build_time: skipped, zoo/gpt2-124m-past is not here");
    return 0;
  }
  const fs::path folder = fs::path(LOAM_BINARY_DIR) / "bench/build_time";
  fs::create_directories(folder);
  const Taken build = run(quoted(LOAM_BINARY) + " build " + quoted(graph) + " --layout auto --namespace model -o " +
                          quoted(folder) + " >/dev/null");
  std::printf("loam build gpt2-124m-past: %.2f s, %.2f s of a processor (to be under 2 s); %.1f MB of C++\n",
              build.clock, build.processor, static_cast<double>(fs::file_size(folder / "model.hpp")) / 1e6);

  // The address makes the compiler instantiate all of forward.
  std::ofstream(folder / "caller.cpp")
      << "#include \"model.hpp\"\nauto* const caller = &model::forward<model::loam::Cpu>;\n"
         "const void* use() { return reinterpret_cast<const void*>(caller); }\n";
  std::fflush(stdout);
  const Taken compile =
      run("g++ -std=c++20 -O2 -c " + quoted(folder / "caller.cpp") + " -o " + quoted(folder / "caller.o"));
  std::printf("g++ -O2 on its module: %.1f s, %.1f s of a processor (to be under 60 s)\n", compile.clock,
              compile.processor);
}
