// Between a module's typed tensors and plain data. Templates over the module's own tensors, since a module that carries
// its runtime has types of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "runtime/raw_tensor.hpp"
#include "runtime/string_list.hpp"

namespace loam::boundary {

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

// Why a raw tensor is not what the module takes, in words that no type of tensor carries again.
inline std::string wrong_type(std::string_view name, const RawTensor& raw, std::int32_t dtype, std::int32_t rank) {
  return std::string(name) + ": is of element type " + std::to_string(raw.dtype) + " with " + std::to_string(raw.rank) +
         " axes, and the module takes type " + std::to_string(dtype) + " with " + std::to_string(rank);
}
inline std::string wrong_bytes(std::string_view name, const RawTensor& raw, std::uint64_t needed) {
  return std::string(name) + ": has " + std::to_string(raw.bytes) + " bytes, and its shape needs " + std::to_string(needed);
}
inline std::string wrong_strings(std::string_view name, const RawTensor& raw) {
  return std::string(name) + ": its offsets do not lie within its " + std::to_string(raw.bytes) + " bytes";
}

// The raw tensor under the module's type; false, and `why`, where its type, rank or size is another.
template <class Tensor>
bool take(const RawTensor& raw, Tensor& tensor, std::string_view name, std::string& why) {
  using T = typename Tensor::element;
  if (raw.dtype != dtype_of<T>() || raw.rank != Tensor::rank) {
    why = wrong_type(name, raw, dtype_of<T>(), Tensor::rank);
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
    why = wrong_strings(name, raw);
    return false;
  } else if (raw.bytes != elements * sizeof(T)) {
    why = wrong_bytes(name, raw, elements * sizeof(T));
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

}  // namespace loam::boundary
