// The seam between a generated module and the place its kernels run.
//
// A backend is a value that owns its tensors' representation. Generated code reaches elements through these members
// alone; the test backend, whose storage is an opaque handle, holds it to that.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "runtime/result.hpp"
#include "runtime/tensor.hpp"
#include "runtime/value.hpp"

namespace loam {

// Where a call that can fail stands in the graph: "output = Operator".
struct Site {
  const char* node = "";
};

// What every backend offers; `B::Storage<T>` is a copyable handle, default-constructible.
//
//   bool reserve(int segment, int64 bytes)       makes an arena segment at least this large; false where it cannot
//   Storage<T> at<T>(int segment, int64 offset)  the storage at a byte offset of a segment
//   Storage<T> output<T>(int64 elements)         storage that download hands over to the caller
//   Storage<T> hold<T>(Memory&, int64 elements)  storage that lives as long as the memory (runtime/packed.hpp)
//   Storage<T> constant<T>(const T*, int64)      elements that live as long as the program
//   Value upload(const Tensor&)                  an input or weight on the backend; it may borrow the tensor
//   Tensor download(const Value&)                the elements on the host, dense
//   T read<T>(const Value&)                      the one element of a value: a synchronisation on a device
//   void call(Tag, arguments and operands...)    runs a kernel
//   void clear_fault(); const std::string* fault()  the first failure a kernel reported since clear_fault, or null
template <class B>
concept Backend = requires(B& b, const std::string* message) {
  typename B::template Storage<float>;
  { b.reserve(0, std::int64_t{}) } -> std::same_as<bool>;
  { b.template at<float>(0, std::int64_t{}) } -> std::same_as<typename B::template Storage<float>>;
  { b.template output<float>(std::int64_t{}) } -> std::same_as<typename B::template Storage<float>>;
  message = b.fault();
};

// A new value at a byte offset of an arena segment.
template <class T, class... Axes, class B>
Value<B, T, Axes...> make(B& b, int segment, std::int64_t offset,
                          const std::array<std::int64_t, sizeof...(Axes)>& extents) {
  Value<B, T, Axes...> v;
  v.storage = b.template at<T>(segment, offset);
  v.dims = Dims(std::span<const std::int64_t>(extents.data(), extents.size()));
  return v;
}

// A new value that forward returns.
template <class T, class... Axes, class B>
Value<B, T, Axes...> make_output(B& b, const std::array<std::int64_t, sizeof...(Axes)>& extents) {
  Value<B, T, Axes...> v;
  v.dims = Dims(std::span<const std::int64_t>(extents.data(), extents.size()));
  v.storage = b.template output<T>(v.dims.elements());
  return v;
}

// A tensor written in the module's source, or computed from the symbols alone.
template <class T, class... Axes, class B>
Value<B, T, Axes...> make_constant(B& b, const std::array<std::int64_t, sizeof...(Axes)>& extents, const T* elements) {
  Value<B, T, Axes...> v;
  v.dims = Dims(std::span<const std::int64_t>(extents.data(), extents.size()));
  v.storage = b.template constant<T>(elements, v.dims.elements());
  return v;
}

}  // namespace loam
