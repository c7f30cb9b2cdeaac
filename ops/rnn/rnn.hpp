// rnn: recurrent layers over a sequence (ONNX RNN, GRU, LSTM).
//
//   x [seq, batch, input], w [direction, gates * hidden, input], r [direction, gates * hidden, hidden],
//   bias [direction, 2 * gates * hidden] (of w, then of r), sequence_lens [batch], initial_h [direction, batch, hidden]
//   -> y [seq, direction, batch, hidden], y_h [direction, batch, hidden]
//
// With layout 1 the batch stands first: x [batch, seq, input], initial_h and y_h [batch, direction, hidden],
// y [batch, seq, direction, hidden]. Gates stand in ONNX's order: LSTM i, o, f, c; GRU z, r, h.
//
//   rnn   h' = f(w x + wb + r h + rb)
//   gru   z = f(..), r = f(..), n = g(w x + wb + R (r * h) + rb), h' = (1 - z) * n + z * h;
//         where linear_before_reset, n = g(w x + wb + r * (R h + rb))
//   lstm  i = f(.. + p_i * c), f = f(.. + p_f * c), c' = f * c + i * g(..), o = f(.. + p_o * c'), h' = o * h(c');
//         where input_forget, f = 1 - i. p [direction, 3 * hidden] holds p_i, p_o, p_f.
//
// `clip` bounds what enters f and g, as in onnxruntime; infinity bounds nothing. Past a sequence's length y is 0, and y_h
// and y_c are its last step's, or 0 where it has none. Every output, and every input from bias on, may be none.
#pragma once

#include <array>
#include <limits>

#include "runtime/backend.hpp"
#include "runtime/relations.hpp"

namespace loam {

enum class RnnDirection { Forward, Reverse, Bidirectional };

enum class RnnFunction {
  Relu,
  Tanh,
  Sigmoid,
  Affine,           // alpha x + beta
  LeakyRelu,        // alpha x below 0
  ThresholdedRelu,  // 0 below alpha
  ScaledTanh,       // alpha tanh(beta x)
  HardSigmoid,      // alpha x + beta within [0, 1]
  Elu,              // alpha (e^x - 1) below 0
  Softsign,
  Softplus,
};

struct RnnActivation {
  RnnFunction function = RnnFunction::Tanh;
  double alpha = 0;
  double beta = 0;
};

struct RnnAttributes {
  RnnDirection direction = RnnDirection::Forward;
  // f of each direction (rnn); f, g of each (gru); f, g, h of each (lstm).
  std::array<RnnActivation, 6> activations{};
  double clip = std::numeric_limits<double>::infinity();
  int layout = 0;
  bool input_forget = false;         // lstm
  bool linear_before_reset = false;  // gru
};

namespace kernels {
struct Rnn {};
struct Gru {};
struct Lstm {};
}  // namespace kernels

namespace detail {
template <class X, class W, class R>
concept recurrent = X::size == 3 && W::size == 3 && R::size == 3 && axes_meet<X, 2, W, 2>;
}  // namespace detail

template <class B, class Y, class H, class T, class... AX, class TW, class... AW, class TR, class... AR, class Bias,
          class Lens, class H0>
  requires detail::recurrent<List<AX...>, List<AW...>, List<AR...>> && optional_of_rank<Y, 4> &&
           optional_of_rank<H, 3> && optional_of_rank<Bias, 2> && optional_of_rank<Lens, 1> && optional_of_rank<H0, 3>
void rnn(B& b, const Y& y, const H& y_h, const RnnAttributes& attributes, const Value<B, T, AX...>& x,
         const Value<B, TW, AW...>& w, const Value<B, TR, AR...>& r, const Bias& bias, const Lens& sequence_lens,
         const H0& initial_h) {
  b.call(kernels::Rnn{}, y.operand(), y_h.operand(), attributes, x.operand(), w.operand(), r.operand(),
         bias.operand(), sequence_lens.operand(), initial_h.operand());
}

template <class B, class Y, class H, class T, class... AX, class TW, class... AW, class TR, class... AR, class Bias,
          class Lens, class H0>
  requires detail::recurrent<List<AX...>, List<AW...>, List<AR...>> && optional_of_rank<Y, 4> &&
           optional_of_rank<H, 3> && optional_of_rank<Bias, 2> && optional_of_rank<Lens, 1> && optional_of_rank<H0, 3>
void gru(B& b, const Y& y, const H& y_h, const RnnAttributes& attributes, const Value<B, T, AX...>& x,
         const Value<B, TW, AW...>& w, const Value<B, TR, AR...>& r, const Bias& bias, const Lens& sequence_lens,
         const H0& initial_h) {
  b.call(kernels::Gru{}, y.operand(), y_h.operand(), attributes, x.operand(), w.operand(), r.operand(),
         bias.operand(), sequence_lens.operand(), initial_h.operand());
}

template <class B, class Y, class H, class C, class T, class... AX, class TW, class... AW, class TR, class... AR,
          class Bias, class Lens, class H0, class C0, class P>
  requires detail::recurrent<List<AX...>, List<AW...>, List<AR...>> && optional_of_rank<Y, 4> &&
           optional_of_rank<H, 3> && optional_of_rank<C, 3> && optional_of_rank<Bias, 2> &&
           optional_of_rank<Lens, 1> && optional_of_rank<H0, 3> && optional_of_rank<C0, 3> && optional_of_rank<P, 2>
void lstm(B& b, const Y& y, const H& y_h, const C& y_c, const RnnAttributes& attributes, const Value<B, T, AX...>& x,
          const Value<B, TW, AW...>& w, const Value<B, TR, AR...>& r, const Bias& bias, const Lens& sequence_lens,
          const H0& initial_h, const C0& initial_c, const P& p) {
  b.call(kernels::Lstm{}, y.operand(), y_h.operand(), y_c.operand(), attributes, x.operand(), w.operand(),
         r.operand(), bias.operand(), sequence_lens.operand(), initial_h.operand(), initial_c.operand(), p.operand());
}

}  // namespace loam
