// A tensor on a backend while forward runs, and the views that re-describe one without moving an element.
//
// A backend B gives `B::Storage<T>`, a small copyable handle of where elements lie. Everything here works on handles
// and dims alone, so it is the same on every backend.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/axes.hpp"
#include "runtime/dims.hpp"

namespace loam {

// What a kernel is given: where elements lie and how, with the axes' names erased.
template <class B, class T>
struct Operand {
  using backend = B;
  using element = T;
  typename B::template Storage<T> storage{};
  Dims dims;
};

template <class B, class T, class... Axes>
struct Value : Operand<B, T> {
  using axes = List<Axes...>;
  std::int64_t extent(int axis) const { return this->dims.extent(axis); }
  const Operand<B, T>& operand() const { return *this; }
};

// An absent optional operand.
struct None {
  const None& operand() const { return *this; }
};
inline constexpr None none{};

// The axes a value carries.
template <class V>
using axes_of = typename V::axes;

template <class B, class T, class L>
struct ValueOf;
template <class B, class T, class... Axes>
struct ValueOf<B, T, List<Axes...>> { using type = Value<B, T, Axes...>; };

// The value's elements under other axes and extents of the same count. Only for dense values: a regrouping cannot state
// its relation in a signature, so the call spells both axis lists.
template <class From, class... To, class B, class T, class... Axes>
  requires same_axes<From, List<Axes...>>
Value<B, T, To...> reshape(const Value<B, T, Axes...>& x, const std::array<std::int64_t, sizeof...(To)>& extents) {
  Value<B, T, To...> y;
  y.storage = x.storage;
  const std::int64_t offset = x.dims.offset;
  y.dims = Dims(std::span<const std::int64_t>(extents.data(), extents.size()));
  y.dims.offset = offset;
  return y;
}

// Axis i of the result is axis Order[i] of x (ONNX Transpose).
template <std::size_t... Order, class B, class T, class... Axes>
  requires(sizeof...(Order) == sizeof...(Axes))
Value<B, T, typename detail::At<Order, List<Axes...>>::type...> transpose(const Value<B, T, Axes...>& x) {
  Value<B, T, typename detail::At<Order, List<Axes...>>::type...> y;
  y.storage = x.storage;
  y.dims = x.dims;
  std::size_t i = 0;
  ((y.dims.extents[i] = x.dims.extents[Order], y.dims.strides[i] = x.dims.strides[Order], ++i), ...);
  return y;
}

// Result axis i is axis Source[i] of x, or an axis of one element where Source[i] is `inserted`; axes of x that no
// entry names are dropped and must have one element. (ONNX Squeeze and Unsqueeze, on any strides.)
inline constexpr std::size_t inserted = static_cast<std::size_t>(-1);
template <class... To>
struct Units {
  template <std::size_t... Source, class B, class T, class... Axes>
  static Value<B, T, To...> of(const Value<B, T, Axes...>& x, std::index_sequence<Source...>) {
    static_assert(sizeof...(Source) == sizeof...(To));
    static_assert((... && fits<Source, To, Axes...>()), "an axis changes its name where only units come and go");
    Value<B, T, To...> y;
    y.storage = x.storage;
    y.dims.rank = static_cast<int>(sizeof...(To));
    y.dims.offset = x.dims.offset;
    std::size_t i = 0;
    ((y.dims.extents[i] = Source == inserted ? 1 : x.dims.extents[Source == inserted ? 0 : Source],
      y.dims.strides[i] = Source == inserted ? 0 : x.dims.strides[Source == inserted ? 0 : Source], ++i), ...);
    return y;
  }

 private:
  template <std::size_t Source, class Axis, class... Axes>
  static constexpr bool fits() {
    if constexpr (Source == inserted) return true;
    else return std::is_same_v<Axis, typename detail::At<Source, List<Axes...>>::type>;
  }
};

// Extents start, start + step, ... of each axis (ONNX Slice with its bounds already clamped). The axes sliced take new
// names, so the call spells the result's; an axis untouched must keep its own, which the caller's checks hold.
template <class From, class... To, class B, class T, class... Axes>
  requires same_axes<From, List<Axes...>> && (sizeof...(To) == sizeof...(Axes))
Value<B, T, To...> slice(const Value<B, T, Axes...>& x, const std::array<std::int64_t, sizeof...(To)>& starts,
                         const std::array<std::int64_t, sizeof...(To)>& steps,
                         const std::array<std::int64_t, sizeof...(To)>& extents) {
  Value<B, T, To...> y;
  y.storage = x.storage;
  y.dims = x.dims;
  for (std::size_t i = 0; i < sizeof...(To); ++i) {
    if (extents[i] > 0) y.dims.offset += starts[i] * x.dims.strides[i];
    y.dims.strides[i] = x.dims.strides[i] * steps[i];
    y.dims.extents[i] = extents[i];
  }
  return y;
}

// x stretched to the extents given, its axes aligned at the end: an axis of one element, or an absent one, repeats.
template <class... To, class B, class T, class... Axes>
  requires broadcasts<List<To...>, List<Axes...>>
Value<B, T, To...> expand(const Value<B, T, Axes...>& x, const std::array<std::int64_t, sizeof...(To)>& extents) {
  Value<B, T, To...> y;
  y.storage = x.storage;
  y.dims.rank = static_cast<int>(sizeof...(To));
  y.dims.offset = x.dims.offset;
  constexpr std::size_t lead = sizeof...(To) - sizeof...(Axes);
  for (std::size_t i = 0; i < sizeof...(To); ++i) {
    y.dims.extents[i] = extents[i];
    y.dims.strides[i] = i < lead || x.dims.extents[i - lead] == 1 ? 0 : x.dims.strides[i - lead];
  }
  return y;
}

// The same elements under other axes of the same extents, where a branch or a loop names apart what is one.
template <class From, class... To, class B, class T, class... Axes>
  requires same_axes<From, List<Axes...>> && (sizeof...(To) == sizeof...(Axes))
Value<B, T, To...> relabel(const Value<B, T, Axes...>& x) {
  Value<B, T, To...> y;
  y.storage = x.storage;
  y.dims = x.dims;
  return y;
}

}  // namespace loam
