// A tensor's extents and strides with its axes' names erased: what kernels see.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace loam {

// The most axes a tensor has anywhere. Eight covers every exported model at hand (the widest, a pixel shuffle, has 6).
inline constexpr int max_rank = 8;

struct Dims {
  int rank = 0;
  std::array<std::int64_t, max_rank> extents{};
  std::array<std::int64_t, max_rank> strides{};  // in elements; 0 repeats, negative runs backward
  std::int64_t offset = 0;                       // of the first element from the storage's start, in elements

  Dims() = default;
  // Row-major and dense.
  Dims(std::span<const std::int64_t> sizes) : rank(static_cast<int>(sizes.size())) {
    for (int i = 0; i < rank; ++i) extents[at(i)] = sizes[at(i)];
    make_dense();
  }
  Dims(std::initializer_list<std::int64_t> sizes)
      : Dims(std::span<const std::int64_t>(sizes.begin(), sizes.size())) {}

  std::int64_t extent(int i) const { return extents[at(i)]; }
  std::int64_t stride(int i) const { return strides[at(i)]; }
  std::int64_t elements() const {
    std::int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= extents[at(i)];
    return n;
  }
  bool dense() const {
    std::int64_t expected = 1;
    for (int i = rank; i-- > 0;) {
      if (extents[at(i)] != 1 && strides[at(i)] != expected) return elements() == 0;
      expected *= extents[at(i)];
    }
    return true;
  }
  void make_dense() {
    std::int64_t step = 1;
    for (int i = rank; i-- > 0;) {
      strides[at(i)] = step;
      step *= extents[at(i)];
    }
  }
  std::span<const std::int64_t> shape() const { return {extents.data(), at(rank)}; }

 private:
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
};

}  // namespace loam
