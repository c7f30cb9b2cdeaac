// What `prepare` tells a program that watches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace loam {

// After a weight that `prepare` has read for the last time.
struct Progress {
  std::int64_t done, total;         // bytes of weights: read so far, and all that `prepare` reads
  // The weight's bytes, where nothing will read more of them than a few rows: a program that mapped their file may let
  // their pages go. They must stay readable.
  std::span<const std::byte> idle;
};

struct Unwatched {
  void operator()(const Progress&) const {}
};

template <class Watch>
class Preparing {
 public:
  Preparing(Watch& watch, std::int64_t total) : watch_(watch), total_(total) {}

  // `forward` reads the weight too.
  template <class Tensor>
  void read(const Tensor& weight) {
    done_ += static_cast<std::int64_t>(bytes_of(weight).size());
    watch_(Progress{done_, total_, {}});
  }
  template <class Tensor>
  void let_go(const Tensor& weight) {
    done_ += static_cast<std::int64_t>(bytes_of(weight).size());
    watch_(Progress{done_, total_, bytes_of(weight)});
  }

 private:
  template <class Tensor>
  static std::span<const std::byte> bytes_of(const Tensor& weight) {
    return std::as_bytes(weight.span());
  }

  Watch& watch_;
  std::int64_t total_, done_ = 0;
};

}  // namespace loam
