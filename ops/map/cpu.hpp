#pragma once

#include <array>
#include <tuple>

#include "ops/map/map.hpp"
#include "runtime/cpu.hpp"
#include "runtime/loops.hpp"

namespace loam {

namespace detail {

// An operand of the loop: its element at an element offset. A coordinate's "element" is the offset itself, with a
// stride of 1 on its axis and 0 elsewhere, so it needs no case of its own.
template <class T>
struct MapOperand {
  static constexpr bool anywhere = false;  // whether the element is one at every offset
  const T* data;
  std::array<std::int64_t, max_rank> strides{};
  auto operator()(std::int64_t offset) const { return load(data[offset]); }
};
template <>
struct MapOperand<Coordinate> {
  static constexpr bool anywhere = false;
  std::array<std::int64_t, max_rank> strides{};
  std::int64_t operator()(std::int64_t offset) const { return offset; }
};
template <class T>
struct MapOperand<Scalar<T>> {
  static constexpr bool anywhere = true;
  T value;
  std::array<std::int64_t, max_rank> strides{};
  T operator()(std::int64_t) const { return value; }
};

template <class T>
MapOperand<T> map_operand(const View<T>& view, const Dims& out) {
  MapOperand<T> o{view.data};
  const int lead = out.rank - view.rank();
  for (int i = 0; i < view.rank(); ++i)
    o.strides[static_cast<std::size_t>(lead + i)] = view.extent(i) == 1 ? 0 : view.stride(i);
  return o;
}
inline MapOperand<Coordinate> map_operand(const Coordinate& c, const Dims&) {
  MapOperand<Coordinate> o;
  o.strides[static_cast<std::size_t>(c.axis)] = 1;
  return o;
}
template <class T>
MapOperand<Scalar<T>> map_operand(const Scalar<T>& s, const Dims&) { return {s.value}; }

// Axes with one element go, and neighbours that every stride list walks as one axis are joined, so that the innermost
// loop is as long as it can be. Returns the axes left, at least one.
template <std::size_t Lists>
int collapse(int rank, std::array<std::int64_t, max_rank>& extents,
             const std::array<std::array<std::int64_t, max_rank>*, Lists>& strides) {
  int kept = 0;
  for (int i = 0; i < rank; ++i) {
    const auto from = static_cast<std::size_t>(i);
    if (extents[from] == 1) continue;
    const auto last = static_cast<std::size_t>(kept - 1);
    bool joins = kept > 0;
    for (auto* s : strides) joins = joins && (*s)[last] == (*s)[from] * extents[from];
    const auto to = static_cast<std::size_t>(joins ? kept - 1 : kept);
    extents[to] = joins ? extents[to] * extents[from] : extents[from];
    for (auto* s : strides) (*s)[to] = (*s)[from];
    if (!joins) ++kept;
  }
  if (kept == 0) {
    extents[0] = 1;
    for (auto* s : strides) (*s)[0] = 0;
    kept = 1;
  }
  return kept;
}

}  // namespace detail

template <class Expression, class T, class... In>
void run(kernels::Map<Expression>, Cpu& cpu, const View<T>& out, const In&... in) {
  if (out.elements() == 0) return;
  auto extents = out.dims.extents;
  auto out_strides = out.dims.strides;
  std::tuple operands{detail::map_operand(in, out.dims)...};
  const int rank = std::apply(
      [&](auto&... o) {
        return detail::collapse<1 + sizeof...(In)>(out.rank(), extents, {&out_strides, &o.strides...});
      },
      operands);
  const auto inner = static_cast<std::size_t>(rank - 1);
  const std::int64_t length = extents[inner];
  std::int64_t rows = 1;
  for (int i = 0; i < rank - 1; ++i) rows *= extents[static_cast<std::size_t>(i)];

  const auto row = [&](std::int64_t index, std::int64_t begin, std::int64_t end) {
    std::int64_t out_offset = 0;
    std::array<std::int64_t, sizeof...(In) + 1> offsets{};
    for (int axis = rank - 2; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      const std::int64_t c = index % extents[a];
      index /= extents[a];
      out_offset += c * out_strides[a];
      std::apply([&](const auto&... o) { std::size_t k = 0; ((offsets[k++] += c * o.strides[a]), ...); }, operands);
    }
    std::apply(
        [&]<class... O>(const O&... o) {
          const Expression e{};
          T* const to = out.data + out_offset;
          // Contiguous and repeated operands get loops of their own, which the compiler turns into vectors.
          const bool unit = out_strides[inner] == 1 && (... && (o.strides[inner] == 1 || o.strides[inner] == 0));
          [&]<std::size_t... K>(std::index_sequence<K...>) {
            if (unit && (... && (o.strides[inner] == 1 || O::anywhere))) {
              fill(to + begin, end - begin, [=](std::int64_t i) { return store<T>(e(o(offsets[K] + begin + i)...)); });
            } else if (unit) {
              // A repeated operand: one element read again and again.
              fill(to + begin, end - begin, [=](std::int64_t i) { return store<T>(e(o(offsets[K] + (begin + i) * o.strides[inner])...)); });
            } else {
              const std::int64_t s = out_strides[inner];
              for (std::int64_t i = begin; i < end; ++i)
                to[i * s] = store<T>(e(o(offsets[K] + i * o.strides[inner])...));
            }
          }(std::index_sequence_for<O...>{});
        },
        operands);
  };
  if (rows == 1) {
    cpu.parallel(length, 1 << 14, [&](std::int64_t begin, std::int64_t end) { row(0, begin, end); });
  } else {
    const std::int64_t grain = std::max<std::int64_t>(1, (1 << 14) / length);
    cpu.parallel(rows, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) row(i, 0, length);
    });
  }
}

}  // namespace loam
