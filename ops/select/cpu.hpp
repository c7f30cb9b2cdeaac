#pragma once

#include "ops/select/select.hpp"
#include "runtime/strided.hpp"

namespace loam {

template <class T>
void run(kernels::NonzeroCount, Cpu&, const View<std::int64_t>& count, const View<T>& x) {
  std::int64_t n = 0;
  detail::walk([&](std::int64_t, std::int64_t from) { n += load(x.data[from]) != compute_t<T>{}; }, x.dims);
  *count.data = n;
}

template <class T>
void run(kernels::Nonzero, Cpu&, const View<std::int64_t>& out, const View<T>& x) {
  const std::int64_t room = out.extent(1);
  std::int64_t n = 0;
  detail::walk(
      [&](std::int64_t index, std::int64_t from) {
        if (load(x.data[from]) == compute_t<T>{} || n == room) return;
        for (int axis = x.rank(); axis-- > 0;) {
          out.data[axis * room + n] = index % x.extent(axis);
          index /= x.extent(axis);
        }
        ++n;
      },
      x.dims);
}

inline void run(kernels::CompressCount, Cpu&, const View<std::int64_t>& count, std::int64_t extent,
                const View<bool>& condition) {
  std::int64_t n = 0;
  for (std::int64_t i = 0; i < std::min(extent, condition.extent(0)); ++i)
    n += condition.data[i * condition.stride(0)];
  *count.data = n;
}

template <class T>
void run(kernels::Compress, Cpu& cpu, const View<T>& out, int axis, const View<T>& x, const View<bool>& condition) {
  const std::int64_t room = out.extent(std::max(axis, 0));
  const std::int64_t length = std::min(axis < 0 ? x.elements() : x.extent(axis), condition.extent(0));
  const auto holds = [&](std::int64_t i) { return condition.data[i * condition.stride(0)]; };
  if (out.elements() == 0) return;
  if (axis < 0) {
    std::int64_t n = 0;
    detail::walk(
        0, length,
        [&](std::int64_t i, std::int64_t from) {
          if (holds(i) && n < room) out.data[n++] = x.data[from];
        },
        x.dims);
    return;
  }
  detail::Scratch scratch(cpu, detail::Scratch::bytes<std::int64_t>(room));
  if (!scratch) return;
  std::int64_t* const picked = scratch.take<std::int64_t>(room);
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < length && count < room; ++i)
    if (holds(i)) picked[count++] = i;
  // x with the picked places' axis taken apart: its strides, and a table where the axis stood.
  Dims others = x.dims;
  others.strides[detail::at(axis)] = 0;
  std::int64_t inner = 1;
  for (int i = axis + 1; i < out.rank(); ++i) inner *= out.extent(i);
  cpu.parallel(out.elements(), detail::grain_elements, [&](std::int64_t begin, std::int64_t end) {
    detail::walk(
        begin, end,
        [&](std::int64_t i, std::int64_t to, std::int64_t base) {
          const std::int64_t n = i / inner % room;
          if (n < count) out.data[to] = x.data[base + picked[n] * x.stride(axis)];
        },
        out.dims, others);
  });
}

}  // namespace loam
