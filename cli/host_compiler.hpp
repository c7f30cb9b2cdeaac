// The machine's C++ compiler: makes a shared library of generated modules, or finds it where it was made before.
//
// Libraries lie in the cache folder under a hash of all that decides them: the sources, the runtime they include, the
// flags, the compiler and its version, and the processor where the code is made for it. A library is written under
// another name and renamed, so any number of processes may build and use one at once.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/files.hpp"
#include "compiler/compile.hpp"

namespace loam::cli {

enum class CodeFor : std::uint8_t {
  small_tests,  // -Og: many small modules that run once; it takes g++ the least time, 0.7 of what -O1 does
  large_tests,  // -O1: a model that takes a while to run too
  speed,        // -O2 -march=native
};

struct HostLibrary {
  fs::path path;  // empty where the sources do not compile
  bool cached = false;
  std::string output;  // what the compiler said, where they do not
};

class HostCompiler {
 public:
  // $CXX, else the compiler Loam itself was built with, else c++, g++ or clang++ on PATH. $LOAM_CXXFLAGS comes after
  // the flags that Loam gives. Throws a Failure where there is none.
  explicit HostCompiler(CodeFor purpose);

  // The harness library (runtime/harness.hpp) of modules compiled with the options `harness` and `include_runtime`.
  HostLibrary build(std::span<const CompileResult* const> modules, std::chrono::seconds limit,
                    const std::function<void()>& tick = {}) const;

  const std::string& name() const { return command_.front(); }

 private:
  fs::path cache_;
  fs::path runtime_;                  // the folder that holds runtime/ and ops/
  std::vector<std::string> command_;  // the compiler and the arguments that are always given
  std::string identity_;              // all of the above that a library depends on
};

// The first error of a compiler's output in one line, without the folders of generated files.
std::string first_error(std::string_view output);

}  // namespace loam::cli
