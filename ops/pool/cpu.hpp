#pragma once

#include <algorithm>
#include <cmath>

#include "ops/conv/geometry.hpp"
#include "ops/pool/pool.hpp"
#include "ops/reduce/rules.hpp"
#include "runtime/convert.hpp"
#include "runtime/loops.hpp"
#include "runtime/threads.hpp"
#include "runtime/widen.hpp"

namespace loam {

namespace detail {

inline constexpr std::int64_t pool_stretch = 256;  // outputs of a row taken side by side

// Calls f(plane of x, its number, oz, oy, first, count, offset in out) for every stretch of every output row.
template <class TX, class F>
void each_stretch(Cpu& cpu, const Geometry& g, const Dims& out, const View<TX>& x, F&& f) {
  const std::int64_t channels = out.extent(1);
  const std::int64_t taken = g.places() * g.kernel[0] * g.kernel[1] * g.kernel[2];
  cpu.parallel(out.extent(0) * channels, grain_of(taken), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const TX* const from = x.data + plane / channels * x.stride(0) + plane % channels * x.stride(1);
      for (std::int64_t row = 0; row < g.rows(); ++row)
        for (std::int64_t first = 0; first < g.out[2]; first += pool_stretch)
          f(from, plane, row / g.out[1], row % g.out[1], first, std::min(pool_stretch, g.out[2] - first),
            plane * g.places() + row * g.out[2] + first);
    }
  });
}

// held[t] = join(held[t], term(element)) for the places a tap sees.
template <class S, class TX, class Join>
void take_tap(S* held, const TX* plane, const Tap& tap, Join join) {
  S* const to = held + tap.begin;
  const TX* const from = plane + tap.offset;
  const std::int64_t n = tap.end - tap.begin;
  if (tap.step == 1) {
    fill(to, n, [=](std::int64_t t) { return join(to[t], static_cast<S>(load(from[t]))); });
  } else {
    compute_t<TX> seen[pool_stretch];
    widen_strided(from, tap.step, n, seen);
    fill(to, n, [=, &seen](std::int64_t t) { return join(to[t], static_cast<S>(seen[t])); });
  }
}

// How many of a window's places along an axis lie between `before` places ahead of the input and `after` past its end.
inline std::int64_t places_within(const Geometry& g, std::size_t axis, std::int64_t o, std::int64_t before,
                                  std::int64_t after) {
  std::int64_t n = 0;
  for (std::int64_t k = 0; k < g.kernel[axis]; ++k) {
    const std::int64_t i = g.place(axis, o, k);
    n += i >= -before && i < g.in[axis] + after;
  }
  return n;
}

}  // namespace detail

template <class T, class TX>
void run(kernels::MaxPool, Cpu& cpu, const View<T>& out, const Window& window, const View<TX>& x) {
  using S = compute_t<T>;
  if (out.elements() == 0) return;
  const detail::Geometry g(window, x.dims, out.dims);
  detail::each_stretch(cpu, g, out.dims, x, [&](const TX* plane, std::int64_t, std::int64_t oz, std::int64_t oy,
                                                std::int64_t first, std::int64_t count, std::int64_t to) {
    S greatest[detail::pool_stretch];
    std::fill_n(greatest, count, detail::Greatest::initial<S>());
    detail::each_tap(g, oz, oy, first, count, [&](const detail::Three&, const detail::Tap& tap) {
      detail::take_tap(greatest, plane, tap, [](S a, S b) { return fn::max(a, b); });
    });
    for (std::int64_t t = 0; t < count; ++t) out.data[to + t] = store<T>(greatest[t]);
  });
}

template <class T, class TX>
void run(kernels::MaxPoolIndices, Cpu& cpu, const View<T>& out, const View<std::int64_t>& indices, const Window& window,
         bool column_major, const View<TX>& x) {
  using S = compute_t<T>;
  if (out.elements() == 0) return;
  const detail::Geometry g(window, x.dims, out.dims);
  const std::int64_t size = g.in[0] * g.in[1] * g.in[2];
  const detail::Three step = column_major ? detail::Three{1, g.in[0], g.in[0] * g.in[1]}
                                          : detail::Three{g.in[1] * g.in[2], g.in[2], 1};
  detail::each_stretch(cpu, g, out.dims, x, [&](const TX* plane, std::int64_t number, std::int64_t oz, std::int64_t oy,
                                                std::int64_t first, std::int64_t count, std::int64_t to) {
    S greatest[detail::pool_stretch];
    std::int64_t* const where = indices.data + to;
    std::fill_n(greatest, count, detail::Greatest::initial<S>());
    std::fill_n(where, count, -1);
    detail::each_tap(g, oz, oy, first, count, [&](const detail::Three&, const detail::Tap& tap) {
      for (std::int64_t t = tap.begin; t < tap.end; ++t) {
        const std::int64_t n = t - tap.begin;
        const S e = static_cast<S>(load(plane[tap.offset + n * tap.step])), held = greatest[t];
        if (where[t] >= 0 && !(e > held || (e != e && held == held))) continue;
        greatest[t] = e;
        where[t] = number * size + detail::at(step, {tap.in[0], tap.in[1], tap.in[2] + n * g.stride[2]});
      }
    });
    for (std::int64_t t = 0; t < count; ++t) out.data[to + t] = store<T>(greatest[t]);
  });
}

// Sums are kept in double: a window may be a whole plane.
template <class T, class TX>
void run(kernels::AveragePool, Cpu& cpu, const View<T>& out, const Window& window, bool count_include_pad,
         const std::array<std::int64_t, 3>& pads_end, const View<TX>& x) {
  if (out.elements() == 0) return;
  const detail::Geometry g(window, x.dims, out.dims);
  detail::Three before{}, after{};
  if (count_include_pad) {
    before = g.pad;
    for (int i = 0; i < window.spatial; ++i)
      after[static_cast<std::size_t>(3 - window.spatial + i)] = pads_end[static_cast<std::size_t>(i)];
  }
  detail::each_stretch(cpu, g, out.dims, x, [&](const TX* plane, std::int64_t, std::int64_t oz, std::int64_t oy,
                                                std::int64_t first, std::int64_t count, std::int64_t to) {
    double sums[detail::pool_stretch] = {};
    detail::each_tap(g, oz, oy, first, count, [&](const detail::Three&, const detail::Tap& tap) {
      detail::take_tap(sums, plane, tap, [](double a, double b) { return a + b; });
    });
    const std::int64_t rows = detail::places_within(g, 0, oz, before[0], after[0]) *
                              detail::places_within(g, 1, oy, before[1], after[1]);
    for (std::int64_t t = 0; t < count; ++t) {
      const std::int64_t places = rows * detail::places_within(g, 2, first + t, before[2], after[2]);
      out.data[to + t] = store<T>(convert<compute_t<T>>(places == 0 ? 0.0 : sums[t] / static_cast<double>(places)));
    }
  });
}

template <class T, class TX>
void run(kernels::LpPool, Cpu& cpu, const View<T>& out, const Window& window, int p, const View<TX>& x) {
  if (out.elements() == 0) return;
  const detail::Geometry g(window, x.dims, out.dims);
  detail::each_stretch(cpu, g, out.dims, x, [&](const TX* plane, std::int64_t, std::int64_t oz, std::int64_t oy,
                                                std::int64_t first, std::int64_t count, std::int64_t to) {
    double sums[detail::pool_stretch] = {};
    detail::each_tap(g, oz, oy, first, count, [&](const detail::Three&, const detail::Tap& tap) {
      if (p == 1) detail::take_tap(sums, plane, tap, [](double a, double b) { return a + std::abs(b); });
      else if (p == 2) detail::take_tap(sums, plane, tap, [](double a, double b) { return a + b * b; });
      else detail::take_tap(sums, plane, tap, [=](double a, double b) { return a + std::pow(std::abs(b), p); });
    });
    for (std::int64_t t = 0; t < count; ++t) {
      const double norm = p == 1 ? sums[t] : p == 2 ? std::sqrt(sums[t]) : std::pow(sums[t], 1.0 / p);
      out.data[to + t] = store<T>(convert<compute_t<T>>(norm));
    }
  });
}

}  // namespace loam
