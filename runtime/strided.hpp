// Walking strided tensors in row-major order: what kernels that move elements are made of.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "runtime/threads.hpp"

namespace loam {

namespace detail {

constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// The offset of the place whose row-major number is `index`.
inline std::int64_t offset_of(const Dims& dims, std::int64_t index) {
  std::int64_t offset = 0;
  for (int axis = dims.rank; axis-- > 0;) {
    offset += index % dims.extent(axis) * dims.stride(axis);
    index /= dims.extent(axis);
  }
  return offset;
}

// The dims without axes [axis, axis + count), or with the axis cut to its first elements.
inline Dims without(const Dims& dims, int axis, int count = 1) {
  Dims d = dims;
  d.rank -= count;
  for (int i = axis; i < d.rank; ++i) {
    d.extents[at(i)] = dims.extents[at(i + count)];
    d.strides[at(i)] = dims.strides[at(i + count)];
  }
  return d;
}
inline Dims leading(const Dims& dims, int rank) {
  Dims d = dims;
  d.rank = rank;
  return d;
}
inline Dims trailing(const Dims& dims, int rank) { return without(dims, 0, dims.rank - rank); }

// The axes in another order: axis i of the result is axis order[i].
template <class T, std::size_t N>
View<T> permuted(const View<T>& view, const std::array<int, N>& order) {
  View<T> v = view;
  for (std::size_t i = 0; i < N; ++i) {
    v.dims.extents[i] = view.extent(order[i]);
    v.dims.strides[i] = view.stride(order[i]);
  }
  return v;
}

// Calls f(index, offset in each tensor...) for the places of row-major numbers [begin, end). The first dims give the
// extents, the others only their strides.
template <class F, class... D>
void walk(std::int64_t begin, std::int64_t end, F&& f, const Dims& shape, const D&... others) {
  if (begin >= end) return;
  constexpr std::size_t count = 1 + sizeof...(D);
  const std::array<const Dims*, count> dims{&shape, &others...};
  std::array<std::int64_t, max_rank> place{};
  std::array<std::int64_t, count> offsets{};
  std::int64_t rest = begin;
  for (int axis = shape.rank; axis-- > 0;) {
    place[at(axis)] = rest % shape.extent(axis);
    rest /= shape.extent(axis);
    for (std::size_t k = 0; k < count; ++k) offsets[k] += place[at(axis)] * dims[k]->stride(axis);
  }
  for (std::int64_t index = begin;;) {
    [&]<std::size_t... K>(std::index_sequence<K...>) { f(index, offsets[K]...); }(std::make_index_sequence<count>{});
    if (++index == end) return;
    for (int axis = shape.rank - 1;; --axis) {
      if (++place[at(axis)] < shape.extent(axis)) {
        for (std::size_t k = 0; k < count; ++k) offsets[k] += dims[k]->stride(axis);
        break;
      }
      for (std::size_t k = 0; k < count; ++k) offsets[k] -= (shape.extent(axis) - 1) * dims[k]->stride(axis);
      place[at(axis)] = 0;
    }
  }
}
template <class F, class... D>
void walk(F&& f, const Dims& shape, const D&... others) { walk(0, shape.elements(), f, shape, others...); }

// Every element of x, converted to U, in row-major order from `to` on.
template <class U, class T>
void copy_to(U* to, const View<T>& x) {
  if (x.dims.dense()) {
    for (std::int64_t i = 0, n = x.elements(); i < n; ++i) to[i] = static_cast<U>(load(x.data[i]));
  } else {
    walk([&](std::int64_t i, std::int64_t from) { to[i] = static_cast<U>(load(x.data[from])); }, x.dims);
  }
}
template <class T>
void copy_to(T* to, const View<T>& x) {
  if (x.data == to && x.dims.dense()) return;  // an input updated in place
  if (x.dims.dense()) {
    std::copy_n(x.data, x.elements(), to);
  } else {
    walk([&](std::int64_t i, std::int64_t from) { to[i] = x.data[from]; }, x.dims);
  }
}
template <class T>
void fill_elements(const View<T>& dense, T value) { std::fill_n(dense.data, dense.elements(), value); }

// The row-major number of a coordinate as a message shows it: "[1, 0, 2]".
inline std::string place_text(const Dims& dims, std::int64_t index) {
  std::string text = "]";
  for (int axis = dims.rank; axis-- > 0;) {
    text = std::to_string(index % dims.extent(axis)) + text;
    index /= dims.extent(axis);
    if (axis > 0) text = ", " + text;
  }
  return "[" + text;
}

// Arrays in a kernel's scratch memory. The bytes of all of them are asked for at once, since a second call of
// Cpu::scratch takes back the first's.
class Scratch {
 public:
  Scratch(Cpu& cpu, std::int64_t bytes) : next_(cpu.scratch(std::max<std::int64_t>(bytes, 64))) {
    if (!next_) cpu.fail(Site{"scratch"}, "no memory for " + std::to_string(bytes) + " bytes");
  }
  explicit operator bool() const { return next_ != nullptr; }

  template <class T>
  static constexpr std::int64_t bytes(std::int64_t elements) {
    return (elements * static_cast<std::int64_t>(sizeof(T)) + 63) / 64 * 64;
  }
  template <class T>
  T* take(std::int64_t elements) {
    T* taken = reinterpret_cast<T*>(next_);
    next_ += bytes<T>(elements);
    return taken;
  }

 private:
  std::byte* next_;
};

// Whether an optional operand is there.
template <class O>
inline constexpr bool present = true;
template <>
inline constexpr bool present<None> = false;

}  // namespace detail

}  // namespace loam
