// What layer_norm and rms_norm share: rows normalised by a mean and a scale of their own.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "ops/reduce/rows.hpp"
#include "runtime/threads.hpp"
#include "runtime/walk.hpp"

namespace loam {

namespace detail {

struct CentredSquares : PlainRule, Adding {
  template <class S>
  static constexpr S term(S x, S mean) { return (x - mean) * (x - mean); }
};

// An operand of the affine part: its step along each axis of x, and an element in the type computed in. `None` is 0.
template <class T>
std::int64_t step_along(const View<T>& view, int axis, int rank) {
  const int i = axis - rank + view.rank();
  return i < 0 || view.extent(i) == 1 ? 0 : view.stride(i);
}
inline std::int64_t step_along(const None&, int, int) { return 0; }
template <class S, class T>
S element_of(const View<T>& view, std::int64_t offset) { return static_cast<S>(load(view.data[offset])); }
template <class S>
constexpr S element_of(const None&, std::int64_t) { return S{0}; }

// out[i] = (x[i] - mean) * factor * scale[i] + bias[i]
template <class S, class T, class TX, class TS, class Bias>
void affine_row(T* out, const TX* x, std::int64_t n, std::int64_t stride, S mean, S factor,
                const View<TS>& scale, std::int64_t scale_at, std::int64_t scale_step, const Bias& bias,
                std::int64_t bias_at, std::int64_t bias_step) {
  const auto element = [&](S e, std::int64_t i, std::int64_t s, std::int64_t b) {
    const S normal = (e - mean) * factor;
    return store<T>(normal * element_of<S>(scale, scale_at + i * s) + element_of<S>(bias, bias_at + i * b));
  };
  if (stride == 1 && scale_step == 1 && (bias_step == 1 || std::is_same_v<Bias, None>)) {
    fill(out, n, [=](std::int64_t i) { return element(static_cast<S>(load(x[i])), i, 1, 1); });
  } else {
    fill(out, n, [=](std::int64_t i) {
      return element(static_cast<S>(load(x[i * stride])), i, scale_step, bias_step);
    });
  }
}

template <bool Centred, class T, class TX, class TS, class Bias>
void normalize(Cpu& cpu, const View<T>& out, int axis, double epsilon, const View<TX>& x, const View<TS>& scale,
               const Bias& bias) {
  using S = compute_t<T>;
  if (out.elements() == 0) return;
  const int rank = x.rank();
  Walk<3> rows, inner;  // in x, scale and bias
  Walk<1> elements;     // in x alone, which often is one stretch where the others are not
  for (int i = 0; i < rank; ++i) {
    const Walk<3>::Offsets steps{x.stride(i), step_along(scale, i, rank), step_along(bias, i, rank)};
    (i < axis ? rows : inner).add(x.extent(i), steps);
    if (i >= axis) elements.add(x.extent(i), {x.stride(i)});
  }
  const std::int64_t size = inner.count();
  Walk<1>::Offsets x_step;
  Walk<3>::Offsets step;
  const std::int64_t stretch = elements.split_inner(x_step), length = inner.split_inner(step);
  const auto mean_of = [&]<class R>(R, const TX* from, S shift) {
    double sum = 0;
    elements.each([&](const auto& at) {
      sum += static_cast<double>(reduce_row<R, S>(from + at[0], stretch, x_step[0], shift));
    });
    return sum / static_cast<double>(size);
  };
  cpu.parallel(rows.count(), grain_of(2 * size), [&](std::int64_t begin, std::int64_t end) {
    T* to = out.data + begin * size;
    rows.each(begin, end, [&](const auto& row) {
      const TX* const from = x.data + row[0];
      S mean = 0;
      double variance;
      if constexpr (Centred) {
        mean = static_cast<S>(mean_of(Rule<reducer::Sum>{}, from, S{0}));
        variance = mean_of(CentredSquares{}, from, mean);
      } else {
        variance = mean_of(Rule<reducer::SumSquare>{}, from, S{0});
      }
      const S factor = static_cast<S>(1.0 / std::sqrt(variance + epsilon));
      inner.each([&](const auto& at) {
        affine_row<S>(to, from + at[0], length, step[0], mean, factor, scale, row[1] + at[1], step[1], bias,
                      row[2] + at[2], step[2]);
        to += length;
      });
    });
  });
}

}  // namespace detail

}  // namespace loam
