// What a harness is written with beside the boundary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "runtime/boundary.hpp"
#include "runtime/harness.hpp"

namespace loam::harness {

inline int fail(char* error, std::size_t size, std::string_view message) {
  if (size == 0) return 1;
  const std::size_t n = std::min(size - 1, message.size());
  std::memcpy(error, message.data(), n);
  error[n] = 0;
  return 1;
}

// One module on one backend, its weights loaded.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual int run(const RawTensor* in, RawTensor* out, char* error, std::size_t size) = 0;
};

}  // namespace loam::harness
