// One step of each recurrent cell, over the state of one sequence.
#pragma once

#include <cmath>

#include "ops/rnn/rnn.hpp"
#include "runtime/functions.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

template <class C>
C rnn_activation(const RnnActivation& a, C x) {
  const C alpha = static_cast<C>(a.alpha), beta = static_cast<C>(a.beta);
  switch (a.function) {
    case RnnFunction::Relu: return fn::max(x, C{0});
    case RnnFunction::Tanh: return fn::tanh(x);
    case RnnFunction::Sigmoid: return fn::sigmoid(x);
    case RnnFunction::Affine: return alpha * x + beta;
    case RnnFunction::LeakyRelu: return x < 0 ? alpha * x : x;
    case RnnFunction::ThresholdedRelu: return x < alpha ? C{0} : x;
    case RnnFunction::ScaledTanh: return alpha * fn::tanh(beta * x);
    case RnnFunction::HardSigmoid: return fn::max(fn::min(alpha * x + beta, C{1}), C{0});
    case RnnFunction::Elu: return x < 0 ? alpha * fn::expm1(x) : x;
    case RnnFunction::Softsign: return x / (1 + fn::abs(x));
    case RnnFunction::Softplus: return fn::max(x, C{0}) + fn::log1p(fn::exp(-fn::abs(x)));
  }
  return x;
}

// What a step reads and writes. `gates` comes in as w x + wb; the cell adds the recurrence.
template <class C>
struct RnnStep {
  const RnnAttributes& attributes;
  const RnnActivation* functions;  // of this direction
  std::int64_t hidden;
  std::int64_t width;              // gates * hidden
  const C* recurrent;              // r transposed: [hidden, width]
  const C* recurrent_bias;         // [width]
  const C* peepholes;              // [3 * hidden], LSTM's
  C* gates;                        // [width]
  C* work;                         // [width]
  C* h;                            // [hidden], LSTM's and the others' state
  C* c;                            // [hidden], LSTM's

  C activate(int which, C x) const {
    const C clip = static_cast<C>(attributes.clip);
    return rnn_activation(functions[which], x > clip ? clip : x < -clip ? -clip : x);
  }
  // to[begin, end) += r[begin, end) v: the rows of r are walked as columns, so that the sums run side by side.
  void recur(C* to, std::int64_t begin, std::int64_t end, const C* v) const {
    for (std::int64_t k = 0; k < hidden; ++k) {
      const C* const row = recurrent + k * width;
      const C value = v[k];
      for (std::int64_t j = begin; j < end; ++j) to[j] += value * row[j];
    }
  }
  void add_recurrence(C* to, std::int64_t begin, std::int64_t end, const C* v) const {
    for (std::int64_t j = begin; j < end; ++j) to[j] += recurrent_bias[j];
    recur(to, begin, end, v);
  }
};

struct RnnCell {
  static constexpr std::int64_t gates = 1;
  static constexpr int functions = 1;
  template <class C>
  static void step(const RnnStep<C>& s) {
    s.add_recurrence(s.gates, 0, s.width, s.h);
    for (std::int64_t j = 0; j < s.hidden; ++j) s.h[j] = s.activate(0, s.gates[j]);
  }
};

struct GruCell {
  static constexpr std::int64_t gates = 3;
  static constexpr int functions = 2;
  template <class C>
  static void step(const RnnStep<C>& s) {
    const std::int64_t n = s.hidden;
    C* const z = s.gates;
    C* const r = s.gates + n;
    C* const candidate = s.gates + 2 * n;
    s.add_recurrence(s.gates, 0, 2 * n, s.h);
    for (std::int64_t j = 0; j < 2 * n; ++j) s.gates[j] = s.activate(0, s.gates[j]);
    if (s.attributes.linear_before_reset) {
      std::fill(s.work + 2 * n, s.work + 3 * n, C{});
      s.add_recurrence(s.work, 2 * n, 3 * n, s.h);
      for (std::int64_t j = 0; j < n; ++j) candidate[j] += r[j] * s.work[2 * n + j];
    } else {
      for (std::int64_t j = 0; j < n; ++j) s.work[j] = r[j] * s.h[j];
      s.add_recurrence(s.gates, 2 * n, 3 * n, s.work);
    }
    for (std::int64_t j = 0; j < n; ++j) s.h[j] = (1 - z[j]) * s.activate(1, candidate[j]) + z[j] * s.h[j];
  }
};

struct LstmCell {
  static constexpr std::int64_t gates = 4;
  static constexpr int functions = 3;
  template <class C>
  static void step(const RnnStep<C>& s) {
    const std::int64_t n = s.hidden;
    s.add_recurrence(s.gates, 0, s.width, s.h);
    for (std::int64_t j = 0; j < n; ++j) {
      const C before = s.c[j];
      const C i = s.activate(0, s.gates[j] + s.peepholes[j] * before);
      const C f = s.attributes.input_forget ? 1 - i
                                            : s.activate(0, s.gates[2 * n + j] + s.peepholes[2 * n + j] * before);
      const C after = f * before + i * s.activate(1, s.gates[3 * n + j]);
      const C o = s.activate(0, s.gates[n + j] + s.peepholes[n + j] * after);
      s.c[j] = after;
      s.h[j] = o * rnn_activation(s.functions[2], after);
    }
  }
};

}  // namespace detail

}  // namespace loam
