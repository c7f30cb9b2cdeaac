// A tensor on its way into or out of a module: what a .npy or .pb file holds, and what the harness takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/dtype.hpp"
#include "runtime/harness.hpp"

namespace loam::cli {

struct HostTensor {
  DType dtype = DType::undefined;
  std::vector<std::int64_t> extents;
  std::vector<std::byte> data;  // dense, row-major, in this machine's byte order; sub-byte types in a byte each

  // What the harness takes. The tensor must outlive it, and have at most 8 axes.
  harness::RawTensor raw() const;
};

// A tensor of these elements: make_tensor<std::int64_t>({1, 2}, DType::int64, {3, 4}).
template <class T>
HostTensor make_tensor(std::vector<std::int64_t> extents, DType dtype, std::span<const T> elements) {
  const std::span<const std::byte> bytes = std::as_bytes(elements);
  return {dtype, std::move(extents), std::vector<std::byte>(bytes.begin(), bytes.end())};
}

DType dtype_of(const harness::RawTensor& tensor);
std::span<const std::int64_t> extents_of(const harness::RawTensor& tensor);
std::int64_t elements_of(const harness::RawTensor& tensor);

// "float32[2, 3]"
std::string describe(DType dtype, std::span<const std::int64_t> extents);

// The tensor's elements as numpy prints them, cut in the middle where they are many.
std::string print_elements(const harness::RawTensor& tensor);

// An element as a double: exact for every type but 64-bit integers past 2^53. Not for strings and complex numbers.
double element_as_double(DType dtype, const void* data, std::size_t index);

}  // namespace loam::cli
