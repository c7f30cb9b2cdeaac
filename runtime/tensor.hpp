// A tensor on the host, as it crosses a module's boundary: dense, row-major, its axes in its type.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "runtime/axes.hpp"
#include "runtime/dims.hpp"
#include "runtime/pages.hpp"

namespace loam {

// Bytes on a 64-byte boundary, the widest vector's alignment, uninitialised; many of them on large pages.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes) : data_(allocate(bytes), Free{alignment(bytes)}), bytes_(data_ ? bytes : 0) {}

  // Takes what another one let go of, of a copy of this class in another namespace too.
  Buffer(std::byte* released, std::size_t bytes) : data_(released, Free{alignment(bytes)}), bytes_(bytes) {}

  std::byte* data() const { return data_.get(); }
  std::byte* release() {
    bytes_ = 0;
    return data_.release();
  }
  std::size_t size() const { return bytes_; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  struct Free {
    std::size_t alignment;
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{alignment}); }
  };
  static std::size_t alignment(std::size_t bytes) { return bytes < least_large ? 64 : large_page; }
  static std::byte* allocate(std::size_t bytes) {
    void* const memory = ::operator new(bytes == 0 ? 1 : bytes, std::align_val_t{alignment(bytes)}, std::nothrow);
    if (bytes >= least_large) prefer_large_pages(memory, bytes);
    return static_cast<std::byte*>(memory);
  }
  std::unique_ptr<std::byte, Free> data_;
  std::size_t bytes_ = 0;
};

template <class T, class... Axes>
class Tensor {
 public:
  using element = T;
  using axes = List<Axes...>;
  static constexpr int rank = static_cast<int>(sizeof...(Axes));
  using Extents = std::array<std::int64_t, sizeof...(Axes)>;
  using Memory = Buffer;

  Tensor() = default;
  // Uninitialised elements of these extents.
  explicit Tensor(Extents extents) : extents_(extents), buffer_(bytes()), data_(reinterpret_cast<T*>(buffer_.data())) {}
  // A copy of `values`, which must be as many as the extents hold.
  Tensor(Extents extents, std::span<const T> values) : Tensor(extents) {
    std::copy_n(values.data(), std::min(values.size(), static_cast<std::size_t>(elements())), data_);
  }
  // The caller's elements, which must outlive the tensor and every call that reads it.
  static Tensor borrow(Extents extents, const T* data) {
    Tensor t;
    t.extents_ = extents;
    t.data_ = const_cast<T*>(data);
    return t;
  }
  // Takes a buffer that holds the elements from its first byte on.
  static Tensor adopt(Extents extents, Buffer buffer) {
    Tensor t;
    t.extents_ = extents;
    t.buffer_ = std::move(buffer);
    t.data_ = reinterpret_cast<T*>(t.buffer_.data());
    return t;
  }
  // The elements' memory, where it is the tensor's own.
  Memory release() { return std::move(buffer_); }
  Tensor clone() const { return Tensor(extents_, span()); }

  std::int64_t extent(int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  const Extents& extents() const { return extents_; }
  std::int64_t elements() const {
    std::int64_t n = 1;
    for (const std::int64_t e : extents_) n *= e;
    return n;
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  std::span<T> span() { return {data_, static_cast<std::size_t>(elements())}; }
  std::span<const T> span() const { return {data_, static_cast<std::size_t>(elements())}; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }
  Dims dims() const { return Dims(std::span<const std::int64_t>(extents_.data(), extents_.size())); }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(elements()) * sizeof(T); }
  Extents extents_{};
  Buffer buffer_;
  T* data_ = nullptr;
};

}  // namespace loam
