// What a module makes of its weights once, before the first run: elements in the order a kernel reads them in, and results
// of what depends on weights alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/backend.hpp"

namespace loam {

// Where they lie; Prepared owns it. False once memory was lacking.
class HostMemory {
 public:
  template <class T>
  T* take(std::int64_t elements) {
    Buffer buffer(static_cast<std::size_t>(elements) * sizeof(T));
    complete_ = complete_ && buffer;
    buffers_.push_back(std::move(buffer));
    return reinterpret_cast<T*>(buffers_.back().data());
  }
  explicit operator bool() const { return complete_; }

 private:
  std::vector<Buffer> buffers_;
  bool complete_ = true;
};

// An element of a tensor that lies as `Form` says, not row-major. Its extents are the tensor's; its strides say nothing.
template <class T, class Form>
struct Packed {
  T element;
};

namespace kernels {
template <class Form>
struct Pack {};
}  // namespace kernels

// A tensor of the lifetime of `memory`.
template <class T, class... Axes, class B>
Value<B, T, Axes...> make_prepared(B& b, typename B::Memory& memory, const std::array<std::int64_t, sizeof...(Axes)>& extents) {
  Value<B, T, Axes...> v;
  v.dims = Dims(std::span<const std::int64_t>(extents.data(), extents.size()));
  v.storage = b.template hold<T>(memory, v.dims.elements());
  return v;
}

// w as a kernel reads it. `Form::element<T>` is the type kept of elements of T, `Form::elements<T>(dims)` how many.
template <class Form, class B, class T, class... Axes>
Value<B, Packed<typename Form::template element<T>, Form>, Axes...> pack(B& b, typename B::Memory& memory, const Value<B, T, Axes...>& w) {
  using E = Packed<typename Form::template element<T>, Form>;
  Value<B, E, Axes...> v;
  v.dims = Dims(std::span<const std::int64_t>(w.dims.extents.data(), sizeof...(Axes)));
  v.storage = b.template hold<E>(memory, Form::template elements<T>(w.dims));
  if (memory) b.call(kernels::Pack<Form>{}, v.operand(), w.operand());
  return v;
}

}  // namespace loam
