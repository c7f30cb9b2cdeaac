// A generated module to WebAssembly: clang and lld for wasm32-wasi, and a module that imports nothing but
// the memory it shares.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/files.hpp"

namespace loam::cli {

// What engines may lack: for each a build of its own, of which a page takes the one that its engine runs (web/loader.js).
// Vectors of 128 bits all have.
struct WasmFeatures {
  bool relaxed_simd = false;  // multiply-adds in one instruction, rounded once or twice as the machine does it
  bool threads = false;       // memory that workers share, imported as env.memory
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
