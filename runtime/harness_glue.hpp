// What a harness is written with beside the boundary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
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

// A module's own Progress, which carries its runtime.
template <class Progress>
void tell(const Watch& watch, const Progress& p) {
  if (watch.tell) watch.tell(watch.user, p.done, p.total, p.idle.data(), p.idle.size());
}

// The longest axis of the inputs at these places.
inline std::int64_t longest(const RawTensor* in, std::initializer_list<int> places) {
  std::int64_t most = 0;
  for (const int place : places)
    for (int k = 0; k < in[place].rank; ++k) most = std::max(most, in[place].extents[k]);
  return most;
}

template <class Backend>
const double* seconds_of(const Backend& b, std::int32_t& count) {
  if constexpr (requires { b.seconds(); }) {
    count = static_cast<std::int32_t>(b.seconds().size());
    return b.seconds().data();
  } else {
    count = 0;
    return nullptr;
  }
}

// One module on one backend, its weights loaded.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual int run(const RawTensor* in, RawTensor* out, char* error, std::size_t size) = 0;
  virtual void pack(void (*write)(void* user, const void* data, std::size_t bytes), void* user) = 0;
  virtual const double* seconds(std::int32_t& count) const = 0;
};

}  // namespace loam::harness
