// Between a module's typed boundary and the harness's raw one. Templates over the module's own tensors, since a module
// that carries its runtime has types of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "runtime/harness.hpp"
#include "runtime/string_list.hpp"

namespace loam::harness {

template <class T>
constexpr std::int32_t dtype_of() {
  if constexpr (std::is_same_v<T, float>) return 1;
  else if constexpr (std::is_same_v<T, std::uint8_t>) return 2;
  else if constexpr (std::is_same_v<T, std::int8_t>) return 3;
  else if constexpr (std::is_same_v<T, std::uint16_t>) return 4;
  else if constexpr (std::is_same_v<T, std::int16_t>) return 5;
  else if constexpr (std::is_same_v<T, std::int32_t>) return 6;
  else if constexpr (std::is_same_v<T, std::int64_t>) return 7;
  else if constexpr (std::is_same_v<T, bool>) return 9;
  else if constexpr (std::is_same_v<T, double>) return 11;
  else if constexpr (std::is_same_v<T, std::uint32_t>) return 12;
  else if constexpr (std::is_same_v<T, std::uint64_t>) return 13;
  else if constexpr (std::is_same_v<T, std::string>) return 8;
  else return T::onnx_type;
}

inline int fail(char* error, std::size_t size, std::string_view message) {
  if (size == 0) return 1;
  const std::size_t n = std::min(size - 1, message.size());
  std::memcpy(error, message.data(), n);
  error[n] = 0;
  return 1;
}

// The raw tensor under the module's type; false with a message where its type, rank or size is another.
template <class Tensor>
bool take(const RawTensor& raw, Tensor& tensor, std::string_view name, char* error, std::size_t size) {
  using T = typename Tensor::element;
  if (raw.dtype != dtype_of<T>() || raw.rank != Tensor::rank) {
    fail(error, size, std::string(name) + ": is of element type " + std::to_string(raw.dtype) + " with " + std::to_string(raw.rank) +
                          " axes, and the module takes type " + std::to_string(dtype_of<T>()) + " with " + std::to_string(Tensor::rank));
    return false;
  }
  typename Tensor::Extents extents{};
  std::uint64_t elements = 1;
  for (int i = 0; i < Tensor::rank; ++i) {
    extents[static_cast<std::size_t>(i)] = raw.extents[i];
    elements *= static_cast<std::uint64_t>(raw.extents[i]);
  }
  if constexpr (std::is_same_v<T, std::string>) {
    tensor = Tensor(extents);
    if (read_strings(raw, tensor.span())) return true;
    fail(error, size, std::string(name) + ": its offsets do not lie within its " + std::to_string(raw.bytes) + " bytes");
    return false;
  } else if (raw.bytes != elements * sizeof(T)) {
    fail(error, size, std::string(name) + ": has " + std::to_string(raw.bytes) + " bytes, and its shape needs " + std::to_string(elements * sizeof(T)));
    return false;
  } else {
    tensor = Tensor::borrow(extents, static_cast<const T*>(raw.data));
    return true;
  }
}

template <class Tensor>
RawTensor describe(const Tensor& tensor) {
  RawTensor raw{};
  raw.dtype = dtype_of<typename Tensor::element>();
  raw.rank = Tensor::rank;
  for (int i = 0; i < Tensor::rank; ++i) raw.extents[i] = tensor.extent(i);
  return raw;
}

template <class Tensor>
RawTensor give(const Tensor& tensor) {
  RawTensor raw = describe(tensor);
  raw.data = tensor.data();
  raw.bytes = static_cast<std::uint64_t>(tensor.elements()) * sizeof(typename Tensor::element);
  return raw;
}

// Of strings: written as a list that `lists` keeps.
using Lists = std::deque<std::vector<std::byte>>;
template <class Tensor>
RawTensor give(const Tensor& tensor, Lists& lists) {
  RawTensor raw = describe(tensor);
  const std::vector<std::byte>& list = lists.emplace_back(write_strings(tensor.span()));
  raw.data = list.data();
  raw.bytes = list.size();
  return raw;
}

// One module on one backend, its weights loaded.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual int run(const RawTensor* in, RawTensor* out, char* error, std::size_t size) = 0;
};

}  // namespace loam::harness
