// A module as WebAssembly: what its exported functions are written with. docs/generated-module.md says what they take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/boundary.hpp"

namespace loam::wasm {

// The page writes and reads these by their bytes.
static_assert(sizeof(boundary::RawTensor) == 88 && offsetof(boundary::RawTensor, extents) == 8 &&
              offsetof(boundary::RawTensor, data) == 72 && offsetof(boundary::RawTensor, bytes) == 80);
static_assert(sizeof(boundary::RawFile) == 16 && offsetof(boundary::RawFile, data) == 4 && offsetof(boundary::RawFile, bytes) == 8);

// The threads that a model loaded next shares its work among. In a build for several the page says how many.
#if defined(__wasm_atomics__)
inline int threads = 1;
#else
inline constexpr int threads = 1;
#endif

// Weights, loaded, and the outputs of the last call. The files' bytes lie in the module's memory and stay.
template <class Backend, class Weights, class Prepared, class Outputs>
struct Session {
  Backend backend{threads};
  Weights weights;
  Prepared prepared;
  std::optional<Outputs> outputs;
  boundary::Lists strings;
  explicit Session(Weights loaded) : weights(std::move(loaded)), prepared(prepare(backend, weights)) {}
};

// What a Result holds, for the page to keep; null, and `why`, where it holds none.
template <class Result>
auto kept(Result made, std::string& why) {
  using T = std::remove_reference_t<decltype(*made)>;
  if (made) return new T(*std::move(made));
  why = made.error().message;
  return static_cast<T*>(nullptr);
}

inline std::span<const std::byte> bytes_of(const boundary::RawFile& file) {
  return {static_cast<const std::byte*>(file.data), static_cast<std::size_t>(file.bytes)};
}

// The data files among those given: all but the checkpoint, which has no location.
template <class DataFile>
std::vector<DataFile> data_files(std::span<const boundary::RawFile> files) {
  std::vector<DataFile> found;
  for (const boundary::RawFile& file : files)
    if (*file.location != 0) found.push_back({file.location, bytes_of(file)});
  return found;
}

inline std::span<const std::byte> checkpoint(std::span<const boundary::RawFile> files) {
  for (const boundary::RawFile& file : files)
    if (*file.location == 0) return bytes_of(file);
  return {};
}

}  // namespace loam::wasm
