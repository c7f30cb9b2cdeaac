// A cache's length and capacity: what a program that keeps one asks and sets.
#pragma once

#include <algorithm>
#include <cstdint>

namespace loam {

// How many places a cache holds, and how many it has room for.
class Places {
 public:
  Places() = default;
  explicit Places(std::int64_t capacity) : capacity_(capacity) {}
  std::int64_t length() const { return length_; }
  std::int64_t capacity() const { return capacity_; }
  // Forgets the places from `length` on: the next call appends there. Nothing is moved.
  void truncate(std::int64_t length) { length_ = std::clamp<std::int64_t>(length, 0, length_); }
  // The first `length` places have been written: forward says so when all else is done.
  void extend(std::int64_t length) { length_ = std::clamp<std::int64_t>(length, length_, capacity_); }

 private:
  std::int64_t length_ = 0, capacity_ = 0;
};

}  // namespace loam
