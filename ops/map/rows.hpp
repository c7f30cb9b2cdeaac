// The loop of a map: the output's rows, as long as its operands allow. What map and the kernels that a map stands behind
// share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

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

inline constexpr std::int64_t map_chunk = 32;

// What a stretch of a row reads of an operand that is repeated along it or has its neighbours side by side: the former's one
// element stands in a chunk of its own, so that the loop over a chunk reads neighbours of all. Read at a stride that only the
// run knows, 144 channels of 56 x 56 times a number each took 178 us for 85.
template <class O>
struct MapStretch {
  O operand;
  std::int64_t offset, step;
  MapStretch(const O& o, std::int64_t at, std::int64_t stride) : operand(o), offset(at), step(stride) {}
  auto from(std::int64_t i) const { return [this, at = offset + i * step](std::int64_t k) { return operand(at + k * step); }; }
};
template <class T>
  requires requires(MapOperand<T> o) { o.data; }
struct MapStretch<MapOperand<T>> {
  std::remove_const_t<T> repeated[map_chunk];
  const T* data;
  std::int64_t step;
  MapStretch(const MapOperand<T>& o, std::int64_t at, std::int64_t stride) : data(o.data + at), step(stride) {
    if (step != 0) return;
    std::fill_n(repeated, map_chunk, *data);
  }
  auto from(std::int64_t i) const {
    const T* const p = step == 0 ? repeated : data + i;
    return [p](std::int64_t k) { return load(p[k]); };
  }
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

template <class Expression, class T, class... In>
class MapRows {
 public:
  explicit MapRows(const View<T>& out, const In&... in) : out_(out.data), operands_{map_operand(in, out.dims)...} {
    extents_ = out.dims.extents;
    strides_ = out.dims.strides;
    rank_ = std::apply(
        [&](auto&... o) { return collapse<1 + sizeof...(In)>(out.rank(), extents_, {&strides_, &o.strides...}); }, operands_);
    for (int i = 0; i < rank_ - 1; ++i) rows_ *= extents_[static_cast<std::size_t>(i)];
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t length() const { return extents_[static_cast<std::size_t>(rank_ - 1)]; }

  // Places [begin, end) of a row.
  void row(std::int64_t index, std::int64_t begin, std::int64_t end) const {
    const auto inner = static_cast<std::size_t>(rank_ - 1);
    std::int64_t out_offset = 0;
    std::array<std::int64_t, sizeof...(In) + 1> offsets{};
    for (int axis = rank_ - 2; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      const std::int64_t c = index % extents_[a];
      index /= extents_[a];
      out_offset += c * strides_[a];
      std::apply([&](const auto&... o) { std::size_t k = 0; ((offsets[k++] += c * o.strides[a]), ...); }, operands_);
    }
    std::apply(
        [&]<class... O>(const O&... o) {
          const Expression e{};
          T* const to = out_ + out_offset;
          // Contiguous and repeated operands get loops of their own, which the compiler turns into vectors. WebAssembly's hold
          // two integers of 64 bits, and such loops were 0.7 KB of the 39.5 of gpt2-124m by brotli, for masks and positions.
#if defined(__wasm__)
          constexpr bool vectors = !(... || (std::is_integral_v<decltype(o(0))> && sizeof(o(0)) == 8));
#else
          constexpr bool vectors = true;
#endif
          const bool unit = vectors && strides_[inner] == 1 && (... && (o.strides[inner] == 1 || o.strides[inner] == 0));
          [&]<std::size_t... K>(std::index_sequence<K...>) {
            if (unit && (... && (o.strides[inner] == 1 || O::anywhere))) {
              fill(to + begin, end - begin, [=](std::int64_t i) { return store<T>(e(o(offsets[K] + begin + i)...)); });
            } else if (unit) {
              std::tuple stretches{MapStretch<O>(o, offsets[K] + begin * o.strides[inner], o.strides[inner])...};
              std::apply([&](const auto&... s) { stretch(e, to + begin, end - begin, s...); }, stretches);
            } else {
              const std::int64_t s = strides_[inner];
#if defined(__wasm__)  // clang would make another loop of vectors, for strides that turn out to be 1
#  pragma clang loop vectorize(disable) interleave(disable) unroll(disable)
#endif
              for (std::int64_t i = begin; i < end; ++i)
                to[i * s] = store<T>(e(o(offsets[K] + i * o.strides[inner])...));
            }
          }(std::index_sequence_for<O...>{});
        },
        operands_);
  }

  // `count` places from the row-major number `first` on.
  void places(std::int64_t first, std::int64_t count) const {
    const std::int64_t n = length();
    for (std::int64_t index = first / n, begin = first % n; count > 0; ++index, begin = 0) {
      const std::int64_t end = std::min(n, begin + count);
      row(index, begin, end);
      count -= end - begin;
    }
  }

 private:
  template <class... S>
  static void stretch(const Expression& e, T* out, std::int64_t n, const S&... stretches) {
    std::int64_t i = 0;
    for (; i + map_chunk <= n; i += map_chunk)
      [&](auto... at) { fill(out + i, map_chunk, [=](std::int64_t k) { return store<T>(e(at(k)...)); }); }(stretches.from(i)...);
    [&](auto... at) { fill(out + i, n - i, [=](std::int64_t k) { return store<T>(e(at(k)...)); }); }(stretches.from(i)...);
  }

  T* out_;
  std::tuple<decltype(map_operand(std::declval<const In&>(), std::declval<const Dims&>()))...> operands_;
  std::array<std::int64_t, max_rank> extents_, strides_;
  int rank_;
  std::int64_t rows_ = 1;
};

}  // namespace detail

}  // namespace loam
