#pragma once

#include "ops/top_k/top_k.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

template <class T>
struct Ranked {
  T value;
  std::int64_t index;
};

// Whether a stands before b: a total order, since no two indices are equal. x != x only for a NaN.
template <bool Largest>
struct RanksBefore {
  template <class T>
  bool operator()(const Ranked<T>& a, const Ranked<T>& b) const {
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan != b_nan) return Largest ? a_nan : b_nan;
    if (!a_nan && a.value != b.value) return Largest ? a.value > b.value : a.value < b.value;
    return a.index < b.index;
  }
};

template <class T, class Before>
void rank_first(Ranked<T>* items, std::int64_t count, std::int64_t k, Before before) {
  if (k > count / 8) {  // a heap of k costs a comparison or two an element, and log k more where one enters it
    if (k < count) std::nth_element(items, items + k, items + count, before);
    std::sort(items, items + k, before);
  } else {
    std::partial_sort(items, items + k, items + count, before);
  }
}

}  // namespace detail

template <class T, class I>
void run(kernels::TopK, Cpu& cpu, const View<T>& values, const View<I>& indices, int axis, bool largest, bool,
         const View<T>& x) {
  if (values.elements() == 0) return;
  using Item = detail::Ranked<compute_t<T>>;
  const std::int64_t length = x.extent(axis), k = std::min(values.extent(axis), length);
  const Dims to_lines = detail::without(values.dims, axis), from_lines = detail::without(x.dims, axis);
  const std::int64_t lines = to_lines.elements(), lanes = detail::lanes_of(lines, 8 * length);
  detail::Scratch scratch(cpu, detail::Scratch::bytes<Item>(lanes * length));
  if (!scratch) return;
  Item* const all = scratch.take<Item>(lanes * length);
  const auto run_lane = [&](std::int64_t lane) {
    Item* const items = all + lane * length;
    detail::walk(
        lane * lines / lanes, (lane + 1) * lines / lanes,
        [&](std::int64_t, std::int64_t to, std::int64_t index_to, std::int64_t from) {
          for (std::int64_t i = 0; i < length; ++i) items[i] = {load(x.data[from + i * x.stride(axis)]), i};
          if (largest) detail::rank_first(items, length, k, detail::RanksBefore<true>{});
          else detail::rank_first(items, length, k, detail::RanksBefore<false>{});
          for (std::int64_t i = 0; i < k; ++i) {
            values.data[to + i * values.stride(axis)] = store<T>(items[i].value);
            indices.data[index_to + i * indices.stride(axis)] = static_cast<I>(items[i].index);
          }
        },
        to_lines, detail::without(indices.dims, axis), from_lines);
  };
  cpu.parallel(lanes, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t lane = begin; lane < end; ++lane) run_lane(lane);
  });
}

}  // namespace loam
