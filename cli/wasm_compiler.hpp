// A generated module to WebAssembly: clang and lld for wasm32-wasi, and a module that imports nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/files.hpp"

namespace loam::cli {

// Of each feature a build of its own: a page takes the one that its engine runs (web/loader.js).
enum class WasmFeatures : std::uint8_t {
  simd,          // 128-bit vectors, which every engine has
  relaxed_simd,  // and multiply-adds in one instruction, rounded once or twice as the machine does it
};

class WasmCompiler {
 public:
  // $LOAM_WASM_CXX, else clang++-19, else clang++ on PATH; $LOAM_WASM_CXXFLAGS comes after the flags that Loam gives.
  // Throws a Failure where there is none.
  WasmCompiler();

  // The module of `source`, which lies in a folder with the headers it includes, is written to `out`. Throws a Failure
  // with the first error where it does not compile, or imports something.
  void build(const fs::path& source, const fs::path& out, WasmFeatures features,
             const std::function<void()>& tick = {}) const;

  const std::string& name() const { return command_.front(); }

 private:
  std::vector<std::string> command_;
};

// How many bytes a file is, and is sent as: by gzip and brotli at their best. -1 where the program is not there.
struct SentSize {
  std::int64_t raw, gzip, brotli;
};
SentSize sent_size(const fs::path& file);

}  // namespace loam::cli
