#pragma once

#include "ops/scatter/scatter.hpp"
#include "runtime/functions.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

inline constexpr fn::Add combine(reduction::Add) { return {}; }
inline constexpr fn::Mul combine(reduction::Mul) { return {}; }
inline constexpr fn::Min combine(reduction::Min) { return {}; }
inline constexpr fn::Max combine(reduction::Max) { return {}; }

template <class Reduction, class T>
void scatter_into(T& element, const T& update) {
  if constexpr (std::is_same_v<Reduction, reduction::Replace>) element = update;
  else element = store<T>(combine(Reduction{})(load(element), load(update)));
}

inline std::string scatter_range(const Dims& dims, std::int64_t position, std::int64_t index, int axis,
                                 std::int64_t extent) {
  return "position " + place_text(dims, position) + " holds index " + std::to_string(index) + ", and axis " +
         std::to_string(axis) + " has " + std::to_string(extent) + " elements";
}

}  // namespace detail

template <class Reduction, class T, class I>
void run(kernels::ScatterElements<Reduction>, Cpu& cpu, const Site& site, const View<T>& out, int axis,
         const View<T>& data, const View<I>& indices, const View<T>& updates) {
  detail::copy_to(out.data, data);
  if (indices.elements() == 0) return;
  for (int i = 0; i < out.rank(); ++i)
    if (i != axis && indices.extent(i) > out.extent(i))
      return cpu.fail(site, "the indices have " + std::to_string(indices.extent(i)) + " elements on axis " +
                                std::to_string(i) + ", and data has " + std::to_string(out.extent(i)));
  Dims others = out.dims;  // where an update lands, but for its index
  others.strides[detail::at(axis)] = 0;
  const std::int64_t extent = out.extent(axis), stride = out.stride(axis);
  detail::walk(
      [&](std::int64_t n, std::int64_t from, std::int64_t update, std::int64_t base) {
        const auto given = static_cast<std::int64_t>(indices.data[from]);
        const std::int64_t index = given < 0 ? given + extent : given;
        if (index < 0 || index >= extent)
          return cpu.fail(site, detail::scatter_range(indices.dims, n, given, axis, extent));
        detail::scatter_into<Reduction>(out.data[base + index * stride], updates.data[update]);
      },
      indices.dims, updates.dims, others);
}

template <class Reduction, class T, class I>
void run(kernels::ScatterNd<Reduction>, Cpu& cpu, const Site& site, const View<T>& out, const View<T>& data,
         const View<I>& indices, const View<T>& updates) {
  detail::copy_to(out.data, data);
  const int tuples = indices.rank() - 1;
  const std::int64_t depth = indices.extent(tuples);
  if (depth > out.rank())
    return cpu.fail(site, "an index has " + std::to_string(depth) + " parts, and data has " +
                              std::to_string(out.rank()) + " axes");
  const Dims slice = detail::trailing(updates.dims, updates.rank() - tuples);
  if (slice.rank != out.rank() - static_cast<int>(depth)) return cpu.fail(site, "the updates' rank does not fit");
  for (int i = 0; i < slice.rank; ++i)
    if (slice.extent(i) != out.extent(static_cast<int>(depth) + i))
      return cpu.fail(site, "the updates have " + std::to_string(slice.extent(i)) + " elements where data's axis " +
                                std::to_string(depth + i) + " has " +
                                std::to_string(out.extent(static_cast<int>(depth) + i)));
  if (updates.elements() == 0) return;
  detail::walk(
      [&](std::int64_t n, std::int64_t from, std::int64_t update) {
        std::int64_t base = 0;
        for (int k = 0; k < depth; ++k) {
          const auto given = static_cast<std::int64_t>(indices.data[from + k * indices.stride(tuples)]);
          const std::int64_t index = given < 0 ? given + out.extent(k) : given;
          if (index < 0 || index >= out.extent(k))
            return cpu.fail(site, detail::scatter_range(detail::leading(indices.dims, tuples), n, given, k,
                                                        out.extent(k)));
          base += index * out.stride(k);
        }
        detail::walk(
            [&](std::int64_t i, std::int64_t s) {
              detail::scatter_into<Reduction>(out.data[base + i], updates.data[update + s]);
            },
            slice);
      },
      detail::leading(indices.dims, tuples), detail::leading(updates.dims, tuples));
}

template <class T, class W>
void run(kernels::TensorScatter, Cpu& cpu, const Site& site, const View<T>& out, int axis, bool circular,
         const View<T>& past_cache, const View<T>& update, const W& write_indices) {
  detail::copy_to(out.data, past_cache);
  const std::int64_t length = out.extent(axis), added = update.extent(axis);
  if (update.elements() == 0) return;
  const auto start_of = [&]([[maybe_unused]] std::int64_t batch) {
    if constexpr (detail::present<W>)
      return static_cast<std::int64_t>(write_indices.data[batch * write_indices.stride(0)]);
    else return std::int64_t{0};
  };
  for (std::int64_t batch = 0; batch < out.extent(0); ++batch) {
    const std::int64_t start = start_of(batch);
    const bool fits = circular ? length > 0 : added <= length && start <= length - added;
    if (start < 0 || !fits)
      return cpu.fail(site, "batch " + std::to_string(batch) + " writes " + std::to_string(added) +
                                " elements from position " + std::to_string(start) + ", and the cache holds " +
                                std::to_string(length));
  }
  // One batch, its axes but the first; where an update's position lands is added apart.
  Dims from = detail::without(update.dims, 0), others = detail::without(out.dims, 0);
  others.strides[detail::at(axis - 1)] = 0;
  std::int64_t inner = 1;
  for (int i = axis + 1; i < out.rank(); ++i) inner *= out.extent(i);
  for (std::int64_t batch = 0; batch < out.extent(0); ++batch) {
    const std::int64_t start = start_of(batch);
    detail::walk(
        [&](std::int64_t n, std::int64_t u, std::int64_t base) {
          // start may be any int64, so it is reduced before it is added to.
          const std::int64_t position = n / inner % added;
          const std::int64_t to = circular ? (start % length + position % length) % length : start + position;
          out.data[batch * out.stride(0) + base + to * out.stride(axis)] = update.data[batch * update.stride(0) + u];
        },
        from, others);
  }
}

}  // namespace loam
