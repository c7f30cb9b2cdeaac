// What forward appends to and keeps from call to call: tensors with room for more places along an axis than there are yet.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ops/map/map.hpp"
#include "runtime/backend.hpp"
#include "runtime/functions.hpp"
#include "runtime/packed.hpp"
#include "runtime/places.hpp"

namespace loam {

// A cache would hold more places than it has room for.
inline Refusal no_places(std::string_view axis, std::int64_t needed, std::int64_t capacity) {
  return {"cache: has room for " + std::to_string(capacity) + " places of " + std::string(axis) + ", and this call makes them " +
          std::to_string(needed) + "; it is as it was, and a copy of it can have more room"};
}
inline Refusal no_room(std::int64_t capacity) {
  return {"cache: the backend has no memory for " + std::to_string(capacity) + " places"};
}

// A tensor of these extents in the cache's memory; false where there is none.
template <class B, class T, class... Axes>
bool make_room(B& b, typename B::Memory& memory, Value<B, T, Axes...>& v, const std::array<std::int64_t, sizeof...(Axes)>& extents) {
  double bytes = sizeof(T);
  for (const std::int64_t extent : extents) bytes *= static_cast<double>(extent);
  if (bytes > static_cast<double>(PTRDIFF_MAX)) return false;
  v = make_prepared<T, Axes...>(b, memory, extents);
  return static_cast<bool>(memory);
}

// The first `length` places along an axis.
template <std::size_t Axis, class B, class T, class... Axes>
Value<B, T, Axes...> first_places(Value<B, T, Axes...> v, std::int64_t length) {
  v.dims.extents[Axis] = length;
  return v;
}

// The same, under the names that the axes have with what a call appends: the axis that grows has one of its own.
template <std::size_t Axis, class... To, class B, class T, class... Axes>
  requires(sizeof...(To) == sizeof...(Axes))
Value<B, T, To...> appended(const Value<B, T, Axes...>& v, std::int64_t length) {
  static_assert([]<std::size_t... I>(std::index_sequence<I...>) {
    return (... && (I == Axis || std::is_same_v<To, Axes>));
  }(std::index_sequence_for<Axes...>{}), "an axis that does not grow changes its name");
  Value<B, T, To...> y;
  y.storage = v.storage;
  y.dims = first_places<Axis>(v, length).dims;
  return y;
}

// Writes as many places as `from` has.
template <std::size_t Axis, class B, class T, class... Axes>
void write_places(B& b, const Value<B, T, Axes...>& to, const Value<B, T, Axes...>& from) {
  map(b, first_places<Axis>(to, from.extent(static_cast<int>(Axis))), fn::Identity{}, from);
}

}  // namespace loam
