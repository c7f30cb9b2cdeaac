#pragma once

#include "ops/pad/pad.hpp"
#include "runtime/extents.hpp"
#include "runtime/tables.hpp"

namespace loam {

namespace detail {

// Which of `length` elements stands at position i, which may lie outside of them.
inline std::int64_t pad_source(pad_mode::Edge, std::int64_t i, std::int64_t length) {
  return std::clamp<std::int64_t>(i, 0, length - 1);
}
inline std::int64_t pad_source(pad_mode::Wrap, std::int64_t i, std::int64_t length) { return floor_mod(i, length); }
inline std::int64_t pad_source(pad_mode::Reflect, std::int64_t i, std::int64_t length) {
  if (length == 1) return 0;
  const std::int64_t around = floor_mod(i, 2 * (length - 1));
  return around < length ? around : 2 * (length - 1) - around;
}

}  // namespace detail

template <class Mode, class T, std::size_t N>
void run(kernels::Pad<Mode>, Cpu& cpu, const View<T>& out, const std::array<std::int64_t, N>& begins,
         const View<T>& x) {
  if (out.elements() == 0) return;
  std::int64_t entries = 0;
  for (int axis = 0; axis < out.rank(); ++axis) entries += out.extent(axis);
  detail::Scratch scratch(cpu, detail::Scratch::bytes<std::int64_t>(entries));
  if (!scratch) return;
  std::int64_t* next = scratch.take<std::int64_t>(entries);
  std::array<const std::int64_t*, max_rank> tables{};
  for (int axis = 0; axis < out.rank(); ++axis) {
    const auto a = detail::at(axis);
    const std::int64_t end = out.extent(axis) - x.extent(axis) - begins[a];
    const std::int64_t first = std::max<std::int64_t>(0, -begins[a]);
    const std::int64_t length = x.extent(axis) - first - std::max<std::int64_t>(0, -end);
    if (length <= 0) {
      detail::fill_elements(out, T{});
      return cpu.fail(Site{"Pad"}, "axis " + std::to_string(axis) + " has no element to pad with");
    }
    tables[a] = next;
    for (std::int64_t i = 0; i < out.extent(axis); ++i) {
      const std::int64_t position = i - std::max<std::int64_t>(0, begins[a]);
      *next++ = (first + detail::pad_source(Mode{}, position, length)) * x.stride(axis);
    }
  }
  detail::gather_by_tables(cpu, out, static_cast<const T*>(x.data), tables, T{});
}

}  // namespace loam
