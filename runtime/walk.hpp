// The positions of a set of axes in row-major order, as offsets into several tensors at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/dims.hpp"

namespace loam {

template <std::size_t Lists>
class Walk {
 public:
  using Offsets = std::array<std::int64_t, Lists>;

  // An axis inside those already there, and the offset one step along it makes in each tensor. Axes of one element are
  // left out, and one that every tensor walks as part of the axis before it is joined with that. Each kernel adds an axis
  // at a time from some places: a copy in each was 2 % of gpt2-124m as WebAssembly.
  [[gnu::noinline]] void add(std::int64_t extent, const Offsets& steps) {
    count_ *= extent;
    if (extent == 1) return;
    bool joins = rank_ > 0;
    for (std::size_t l = 0; l < Lists; ++l) joins = joins && strides_[at(rank_ - 1)][l] == steps[l] * extent;
    if (joins) {
      extents_[at(rank_ - 1)] *= extent;
    } else {
      extents_[at(rank_++)] = extent;
    }
    strides_[at(rank_ - 1)] = steps;
  }

  std::int64_t count() const { return count_; }
  int rank() const { return rank_; }
  std::int64_t extent(int axis) const { return extents_[at(axis)]; }
  const Offsets& strides(int axis) const { return strides_[at(axis)]; }

  // Takes the innermost axis out: its extent, and the steps along it. Without axes, one element.
  [[gnu::noinline]] std::int64_t split_inner(Offsets& steps) {
    if (rank_ == 0) {
      steps = {};
      const std::int64_t n = count_;
      count_ = 1;
      return n;
    }
    --rank_;
    steps = strides_[at(rank_)];
    const std::int64_t n = extents_[at(rank_)];
    count_ = 1;
    for (int i = 0; i < rank_; ++i) count_ *= extents_[at(i)];
    return n;
  }

  // Calls f(offsets) for the positions [begin, end).
  template <class F>
  void each(std::int64_t begin, std::int64_t end, F&& f) const {
    if (begin >= end) return;
    std::array<std::int64_t, max_rank> place{};
    Offsets offsets{};
    std::int64_t rest = begin;
    for (int i = rank_; i-- > 0;) {
      place[at(i)] = rest % extents_[at(i)];
      rest /= extents_[at(i)];
      for (std::size_t l = 0; l < Lists; ++l) offsets[l] += place[at(i)] * strides_[at(i)][l];
    }
    for (std::int64_t n = begin;;) {
      f(offsets);
      if (++n == end) return;
      for (int i = rank_; i-- > 0;) {
        const auto& steps = strides_[at(i)];
        if (++place[at(i)] < extents_[at(i)]) {
          for (std::size_t l = 0; l < Lists; ++l) offsets[l] += steps[l];
          break;
        }
        for (std::size_t l = 0; l < Lists; ++l) offsets[l] -= (extents_[at(i)] - 1) * steps[l];
        place[at(i)] = 0;
      }
    }
  }
  template <class F>
  void each(F&& f) const { each(0, count_, f); }

  Offsets offsets(std::int64_t index) const {
    Offsets found{};
    each(index, index + 1, [&](const Offsets& o) { found = o; });
    return found;
  }

 private:
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int rank_ = 0;
  std::int64_t count_ = 1;
  std::array<std::int64_t, max_rank> extents_{};
  std::array<Offsets, max_rank> strides_{};
};

}  // namespace loam
