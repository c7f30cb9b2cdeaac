// How a tool calls a module it knows nothing of: plain tensors in and out through one table of functions.
//
// Only `loam run`, `loam test` and `loam generate` use this; a module built for a program does not contain it. The
// table crosses a shared library's boundary, so it is plain data and C functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/raw_tensor.hpp"

namespace loam::harness {

inline constexpr std::uint32_t version = 5;

using boundary::RawFile;
using boundary::RawTensor;

struct PortInfo {
  const char* name;
  std::int32_t dtype;
  std::int32_t rank;
};

struct Watch {
  void (*tell)(void* user, std::int64_t done, std::int64_t total, const void* idle, std::uint64_t idle_bytes);  // or null
  void* user;
};

// Every function that can fail returns 0, or 1 with a message in `error` (zero-terminated, cut to `error_size`).
struct Module {
  std::uint32_t version;
  const char* name;
  std::int32_t inputs, outputs;
  const PortInfo* input_ports;
  const PortInfo* output_ports;

  // Weights: from the checkpoint's bytes (null where the module needs none), and from the external files the graph
  // names. The bytes must stay where they are while `weights` lives. `backend` is 0 for Cpu, 1 for the opaque test
  // backend (null state where the harness was compiled without it). `threads` is the backend's; 0: the machine's. `watch`,
  // where there is one, is told what runtime/progress.hpp's Progress says.
  int (*open)(const RawFile* checkpoint, const RawFile* external, std::int32_t external_count, std::int32_t backend,
              std::int32_t threads, Watch watch, void** state, char* error, std::size_t error_size);
  // The same from a file of packed weights. Null where the module was built without them (compile's `packed`).
  int (*open_packed)(const void* data, std::uint64_t bytes, std::int32_t backend, std::int32_t threads, void** state, char* error,
                     std::size_t error_size);
  // Writes a state's prepared weights by write(user, pointer, bytes). Null likewise.
  void (*pack)(void* state, void (*write)(void* user, const void* data, std::size_t bytes), void* user);
  void (*close)(void* state);
  // Runs forward. Of a module with a cache, every cached input may be of element type 0, with its extents: then it is what
  // the last run left, cut to that length, and no cached output is given. `out` is filled with tensors that live until the next run or close of this state.
  int (*run)(void* state, const RawTensor* in, RawTensor* out, char* error, std::size_t error_size);
  // Of the opaque backend the seconds that each kernel of the last run took, in the order of the calls, `count` of them,
  // until the next; null of another.
  const double* (*seconds)(void* state, std::int32_t* count);
};

}  // namespace loam::harness

// The one symbol a harness exports: its modules, `count` of them.
extern "C" const loam::harness::Module* const* loam_harness_modules(std::int32_t* count);
