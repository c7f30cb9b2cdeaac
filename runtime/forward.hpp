// What a generated forward is written with beside the kernels: refusals, and the arena's layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/backend.hpp"

namespace loam {

// Lays activations out one after another, each on a 64-byte boundary.
struct Arena {
  std::int64_t bytes = 0;
  std::int64_t take(std::int64_t size) {
    const std::int64_t at = bytes;
    bytes += (size + 63) / 64 * 64;
    return at;
  }
};

// An input's axis is not as long as its spelling says.
inline Refusal wrong_extent(std::string_view input, std::string_view axis, std::int64_t found, std::int64_t expected) {
  return {std::string(input) + ": axis " + std::string(axis) + " is " + std::to_string(found) + " long, and the inputs given make it " + std::to_string(expected)};
}

// A condition that `reason` relies on does not hold: its slack is negative.
inline Refusal unmet(std::string_view site, std::string_view reason, std::int64_t slack) {
  return {std::string(site) + ": " + std::string(reason) + ", and the inputs miss it by " + std::to_string(-slack)};
}

// A node gives what no length may be, or not here.
inline Refusal no_length(std::string_view site, std::int64_t value, std::int64_t low, std::int64_t high) {
  return {std::string(site) + ": gives the length " + std::to_string(value) + ", which must lie between " + std::to_string(low) + " and " + std::to_string(high)};
}

// Sizes that grow with `lengths` would leave 64 bits.
inline Refusal too_large(std::string_view lengths) {
  return {"forward: " + std::string(lengths) + " is larger than the sizes computed from it may be"};
}

inline Refusal out_of_memory(std::int64_t bytes) {
  return {"forward: the backend has no " + std::to_string(bytes) + " bytes for the activations"};
}
inline Refusal no_prepared_weights() { return {"forward: the backend had no memory for the weights as it computes with them"}; }

// One element of a value, as a value of no axes.
template <class B, class T, class... Axes>
Value<B, T> element(const Value<B, T, Axes...>& v, std::int64_t index) {
  Value<B, T> e;
  e.storage = v.storage;
  e.dims.offset = v.dims.offset;
  for (int i = v.dims.rank; i-- > 0;) {
    const std::int64_t extent = v.dims.extent(i);
    e.dims.offset += extent ? index % extent * v.dims.stride(i) : 0;
    if (extent) index /= extent;
  }
  return e;
}

}  // namespace loam
