#pragma once

#include "ops/unique/unique.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

// x as `places` rows of `width` elements, dense: the slices along the axis, or the elements.
template <class T>
struct UniqueRows {
  T* rows;
  std::int64_t places;
  std::int64_t width;

  static std::int64_t places_of(const View<T>& x, int axis) { return axis < 0 ? x.elements() : x.extent(axis); }
  static std::int64_t scratch_bytes(const View<T>& x, int axis) {
    return Scratch::bytes<T>(x.elements()) + 2 * Scratch::bytes<std::int64_t>(places_of(x, axis));
  }
  UniqueRows(Scratch& scratch, const View<T>& x, int axis)
      : rows(scratch.take<T>(x.elements())),
        places(places_of(x, axis)),
        width(places == 0 ? 0 : x.elements() / places) {
    View<T> moved = x;  // the axis first, the others in order
    for (int i = axis; i > 0; --i) {
      std::swap(moved.dims.extents[at(i)], moved.dims.extents[at(i - 1)]);
      std::swap(moved.dims.strides[at(i)], moved.dims.strides[at(i - 1)]);
    }
    copy_to(rows, moved);
  }

  int compare(std::int64_t a, std::int64_t b) const {
    for (std::int64_t i = 0; i < width; ++i) {
      const auto p = load(rows[a * width + i]), q = load(rows[b * width + i]);
      const bool p_nan = p != p, q_nan = q != q;
      if (p_nan != q_nan) return p_nan ? 1 : -1;
      if (p < q) return -1;
      if (q < p) return 1;
    }
    return 0;
  }
  // The places ordered so that equal ones are neighbours, the first of them first; returns how many differ.
  std::int64_t order(std::int64_t* by_value) const {
    for (std::int64_t i = 0; i < places; ++i) by_value[i] = i;
    std::sort(by_value, by_value + places, [&](std::int64_t a, std::int64_t b) {
      const int c = compare(a, b);
      return c != 0 ? c < 0 : a < b;
    });
    std::int64_t different = 0;
    for (std::int64_t i = 0; i < places; ++i) different += begins_group(by_value, i);
    return different;
  }
  bool begins_group(const std::int64_t* by_value, std::int64_t i) const {
    return i == 0 || compare(by_value[i - 1], by_value[i]) != 0;
  }
};

}  // namespace detail

template <class T>
void run(kernels::UniqueCount, Cpu& cpu, const View<std::int64_t>& count, int axis, const View<T>& x) {
  using Rows = detail::UniqueRows<T>;
  *count.data = 0;
  detail::Scratch scratch(cpu, Rows::scratch_bytes(x, axis));
  if (!scratch) return;
  const Rows rows(scratch, x, axis);
  *count.data = rows.order(scratch.take<std::int64_t>(rows.places));
}

template <class Out, class First, class Inverse, class Counts, class T>
void run(kernels::Unique, Cpu& cpu, const Out& out, const First& first_indices, const Inverse& inverse,
         const Counts& counts, int axis, bool sorted, const View<T>& x) {
  using Rows = detail::UniqueRows<T>;
  detail::Scratch scratch(cpu, Rows::scratch_bytes(x, axis));
  if (!scratch) return;
  const Rows rows(scratch, x, axis);
  auto* const by_value = scratch.take<std::int64_t>(rows.places);
  auto* const group_of = scratch.take<std::int64_t>(rows.places);  // of each place
  rows.order(by_value);
  if (sorted) {
    for (std::int64_t i = 0, group = -1; i < rows.places; ++i)
      group_of[by_value[i]] = group += rows.begins_group(by_value, i);
  } else {  // a place's group is first its first place, then that place's number among the first places
    for (std::int64_t i = 0, first = 0; i < rows.places; ++i) {
      if (rows.begins_group(by_value, i)) first = by_value[i];
      group_of[by_value[i]] = first;
    }
    for (std::int64_t place = 0, next = 0; place < rows.places; ++place)
      group_of[place] = group_of[place] == place ? next++ : group_of[group_of[place]];
  }
  if constexpr (detail::present<Inverse>)
    for (std::int64_t place = 0; place < rows.places; ++place) inverse.data[place] = group_of[place];
  if constexpr (detail::present<Counts>) {
    detail::fill_elements(counts, std::int64_t{0});
    for (std::int64_t place = 0; place < rows.places; ++place) ++counts.data[group_of[place]];
  }
  for (std::int64_t place = rows.places; place-- > 0;) {  // backward, so that the first place is what stays
    const std::int64_t group = group_of[place];
    if constexpr (detail::present<First>) first_indices.data[group] = place;
    if constexpr (detail::present<Out>) {
      const int along = std::max(axis, 0);
      const T* from = rows.rows + place * rows.width;
      detail::walk([&](std::int64_t i, std::int64_t to) { out.data[group * out.stride(along) + to] = from[i]; },
                   detail::without(out.dims, along));
    }
  }
}

}  // namespace loam
