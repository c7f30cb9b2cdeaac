#pragma once

#include <cmath>

#include "ops/rnn/rnn.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

inline double rnn_function(const RnnActivation& a, double x) {
  switch (a.function) {
    case RnnFunction::Relu: return x > 0 ? x : 0;
    case RnnFunction::Tanh: return std::tanh(x);
    case RnnFunction::Sigmoid: return 1 / (1 + std::exp(-x));
    case RnnFunction::Affine: return a.alpha * x + a.beta;
    case RnnFunction::LeakyRelu: return x >= 0 ? x : a.alpha * x;
    case RnnFunction::ThresholdedRelu: return x >= a.alpha ? x : 0;
    case RnnFunction::ScaledTanh: return a.alpha * std::tanh(a.beta * x);
    case RnnFunction::HardSigmoid: return std::fmin(std::fmax(a.alpha * x + a.beta, 0), 1);
    case RnnFunction::Elu: return x >= 0 ? x : a.alpha * (std::exp(x) - 1);
    case RnnFunction::Softsign: return x / (1 + std::abs(x));
    case RnnFunction::Softplus: return std::log(1 + std::exp(x));
  }
  return x;
}

enum class Cell { Rnn, Gru, Lstm };

// Operands of layout 0, all given; y, y_h and y_c are filled (y_c of an LSTM).
template <class T, class I>
void recurrent(Cell cell, const View<T>& y, const View<T>& y_h, const View<T>& y_c, const RnnAttributes& at,
               const View<T>& x, const View<T>& w, const View<T>& r, const View<T>& bias, const View<I>& lens,
               const View<T>& h0, const View<T>& c0, const View<T>& p) {
  const std::int64_t n = r.extent(2), gates = w.extent(1) / n;
  const int functions = cell == Cell::Rnn ? 1 : cell == Cell::Gru ? 2 : 3;
  const auto get = [](const View<T>& v, Place place) { return static_cast<double>(element(v, place)); };
  for (const Place& place : places(y.dims)) element(y, place) = narrow<T>(0);
  for (std::int64_t d = 0; d < w.extent(0); ++d)
    for (std::int64_t b = 0; b < x.extent(1); ++b) {
      const auto f = [&](int which, double v) {
        return rnn_function(at.activations[static_cast<std::size_t>(d * functions + which)], v);
      };
      const auto clip = [&](double v) { return std::fmin(std::fmax(v, -at.clip), at.clip); };
      const auto length = static_cast<std::int64_t>(element(lens, {b}));
      std::vector<double> h(static_cast<std::size_t>(n)), c = h;
      for (std::int64_t j = 0; j < n && length > 0; ++j) {
        h[static_cast<std::size_t>(j)] = get(h0, {d, b, j});
        c[static_cast<std::size_t>(j)] = get(c0, {d, b, j});
      }
      for (std::int64_t step = 0; step < length; ++step) {
        const std::int64_t t = at.direction == RnnDirection::Reverse || d == 1 ? length - 1 - step : step;
        const auto from_x = [&](std::int64_t gate, std::int64_t j) {
          double sum = get(bias, {d, gate * n + j});
          for (std::int64_t k = 0; k < x.extent(2); ++k) sum += get(w, {d, gate * n + j, k}) * get(x, {t, b, k});
          return sum;
        };
        const auto from_h = [&](std::int64_t gate, std::int64_t j, const std::vector<double>& v) {
          double sum = get(bias, {d, (gates + gate) * n + j});
          for (std::int64_t k = 0; k < n; ++k) sum += get(r, {d, gate * n + j, k}) * v[static_cast<std::size_t>(k)];
          return sum;
        };
        std::vector<double> next = h, reset = h;
        for (std::int64_t j = 0; j < n; ++j)
          if (cell == Cell::Gru) reset[static_cast<std::size_t>(j)] *= f(0, clip(from_x(1, j) + from_h(1, j, h)));
        for (std::int64_t j = 0; j < n; ++j) {
          const auto s = static_cast<std::size_t>(j);
          const auto gate = [&](std::int64_t g) { return from_x(g, j) + from_h(g, j, h); };
          if (cell == Cell::Rnn) {
            next[s] = f(0, clip(gate(0)));
          } else if (cell == Cell::Gru) {
            const double z = f(0, clip(gate(0))), rt = f(0, clip(gate(1)));
            const double inner = at.linear_before_reset ? rt * from_h(2, j, h) : from_h(2, j, reset);
            next[s] = (1 - z) * f(1, clip(from_x(2, j) + inner)) + z * h[s];
          } else {
            const double i = f(0, clip(gate(0) + get(p, {d, j}) * c[s]));
            const double forget = at.input_forget ? 1 - i : f(0, clip(gate(2) + get(p, {d, 2 * n + j}) * c[s]));
            c[s] = forget * c[s] + i * f(1, clip(gate(3)));
            next[s] = f(0, clip(gate(1) + get(p, {d, n + j}) * c[s])) * f(2, c[s]);
          }
        }
        h = next;
        for (std::int64_t j = 0; j < n; ++j) element(y, {t, d, b, j}) = narrow<T>(h[static_cast<std::size_t>(j)]);
      }
      for (std::int64_t j = 0; j < n; ++j) {
        element(y_h, {d, b, j}) = narrow<T>(h[static_cast<std::size_t>(j)]);
        element(y_c, {d, b, j}) = narrow<T>(c[static_cast<std::size_t>(j)]);
      }
    }
}

}  // namespace loam::reference
