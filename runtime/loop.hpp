// What a loop keeps from turn to turn. A body's arena is laid out anew in each turn, so what outlives the turn is copied
// into segments of its own: two for each value, filled by turns, since one is read while the other is written.
#pragma once

#include <array>
#include <cstdint>

#include "ops/map/map.hpp"
#include "runtime/backend.hpp"
#include "runtime/functions.hpp"

namespace loam {

// Copies what a turn made into a segment, and points `kept` at it. False where there is no memory for it.
template <class B, class T, class... Axes>
bool keep(B& b, int segment, const Value<B, T, Axes...>& made, Value<B, T, Axes...>& kept) {
  Value<B, T, Axes...> copy;
  copy.dims = Dims(made.dims.shape());
  if (!b.reserve(segment, copy.dims.elements() * static_cast<std::int64_t>(sizeof(T)))) return false;
  copy.storage = b.template at<T>(segment, 0);
  b.call(kernels::Map<fn::Identity>{}, copy.operand(), made.operand());
  kept = copy;
  return true;
}

// The parts of all turns, one after another, in a segment that doubles when it is full.
template <class B, class T>
class Gathered {
 public:
  bool push(B& b, int segment, const Operand<B, T>& part) {
    const std::int64_t elements = part.dims.elements();
    if (count_ > 0 && elements != part_.elements()) return false;  // the parts of one output are all of one shape
    part_ = part.dims;
    if (count_ == capacity_) {
      const std::int64_t grown = capacity_ == 0 ? 4 : 2 * capacity_;
      const int next = 1 - which_;
      if (!b.reserve(segment + next, grown * elements * static_cast<std::int64_t>(sizeof(T)))) return false;
      if (count_ > 0) b.call(kernels::Map<fn::Identity>{}, run(b, segment + next, 0, count_ * elements), run(b, segment + which_, 0, count_ * elements));
      which_ = next;
      capacity_ = grown;
    }
    Operand<B, T> to = run(b, segment + which_, count_ * elements, elements);
    to.dims = Dims(part.dims.shape());
    b.call(kernels::Map<fn::Identity>{}, to, part);
    ++count_;
    return true;
  }

  // The length of a part's axis; 0 where no turn ran.
  std::int64_t part_extent(int axis) const { return count_ > 0 ? part_.extent(axis) : 0; }

  template <class... Axes>
  Value<B, T, Axes...> value(B& b, int segment, const std::array<std::int64_t, sizeof...(Axes)>& extents) {
    if (capacity_ == 0) b.reserve(segment, 0);
    return make<T, Axes...>(b, segment + (capacity_ == 0 ? 0 : which_), 0, extents);
  }

 private:
  static Operand<B, T> run(B& b, int segment, std::int64_t first, std::int64_t elements) {
    Operand<B, T> o;
    o.storage = b.template at<T>(segment, first * static_cast<std::int64_t>(sizeof(T)));
    o.dims = Dims({elements});
    return o;
  }

  Dims part_;
  std::int64_t count_ = 0, capacity_ = 0;
  int which_ = 1;
};

}  // namespace loam
