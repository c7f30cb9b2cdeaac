#pragma once

#include "ops/rnn/cells.hpp"
#include "runtime/threads.hpp"

namespace loam {

namespace detail {

// The tensor with its batch where layout 0 has it, whichever layout it has.
template <class O>
auto rnn_states(const O& o, int layout) {  // [direction, batch, hidden]
  if constexpr (present<O>) return layout == 1 ? permuted(o, std::array{1, 0, 2}) : o;
  else return o;
}
template <class O>
auto rnn_sequence(const O& o, int layout) {  // [seq, direction, batch, hidden]
  if constexpr (present<O>) return layout == 1 ? permuted(o, std::array{1, 2, 0, 3}) : o;
  else return o;
}

template <class T>
View<T> rnn_at(View<T> view, std::int64_t index) {  // the view at an index of its first axis
  view.data += index * view.stride(0);
  view.dims = without(view.dims, 0);
  return view;
}

// count elements of `from`, or zeros where there is none.
template <class C, class O>
void rnn_read(C* to, const O& from, std::int64_t direction, std::int64_t count) {
  if constexpr (present<O>) copy_to(to, rnn_at(from, direction));
  else std::fill_n(to, count, C{});
}
template <class O, class C>
void rnn_write(const O& to, std::int64_t a, std::int64_t b, const C* from) {  // [.., .., hidden] at [a, b]
  if constexpr (present<O>)
    for (std::int64_t j = 0; j < to.extent(2); ++j)
      to.data[a * to.stride(0) + b * to.stride(1) + j * to.stride(2)] =
          store<std::remove_reference_t<decltype(*to.data)>>(from[j]);
}

template <class Cell, class Y, class H, class Cs, class T, class TW, class TR, class Bias, class Lens, class H0,
          class C0, class P>
void recur_layer(Cpu& cpu, const Y& y_given, const H& h_given, const Cs& c_given, const RnnAttributes& attributes,
                 const View<T>& x_given, const View<TW>& w, const View<TR>& r, const Bias& bias, const Lens& lens,
                 const H0& h0_given, const C0& c0_given, const P& p) {
  using C = compute_t<T>;
  const View<T> x = attributes.layout == 1 ? permuted(x_given, std::array{1, 0, 2}) : x_given;
  const auto y = rnn_sequence(y_given, attributes.layout);
  const auto y_h = rnn_states(h_given, attributes.layout);
  const auto y_c = rnn_states(c_given, attributes.layout);
  const auto h0 = rnn_states(h0_given, attributes.layout);
  const auto c0 = rnn_states(c0_given, attributes.layout);
  const std::int64_t steps = x.extent(0), batches = x.extent(1), inputs = x.extent(2);
  const std::int64_t directions = w.extent(0), hidden = r.extent(2), width = Cell::gates * hidden;

  // Of one direction: w and r transposed, biases and peepholes; then a state of each batch, so that batches are apart.
  const std::int64_t shared[] = {inputs * width, hidden * width, 2 * width, 3 * hidden};
  const std::int64_t state = 2 * width + 2 * hidden;
  std::int64_t bytes = Scratch::bytes<C>(batches * state);
  for (const std::int64_t n : shared) bytes += Scratch::bytes<C>(n);
  Scratch scratch(cpu, bytes);
  if (!scratch) return;
  C* const wt = scratch.take<C>(shared[0]);
  C* const rt = scratch.take<C>(shared[1]);
  C* const biases = scratch.take<C>(shared[2]);
  C* const peepholes = scratch.take<C>(shared[3]);
  C* const states = scratch.take<C>(batches * state);

  for (std::int64_t d = 0; d < directions; ++d) {
    copy_to(wt, permuted(rnn_at(w, d), std::array{1, 0}));
    copy_to(rt, permuted(rnn_at(r, d), std::array{1, 0}));
    rnn_read(biases, bias, d, 2 * width);
    rnn_read(peepholes, p, d, 3 * hidden);
    const bool backward = attributes.direction == RnnDirection::Reverse || d == 1;
    const std::int64_t products = steps * (inputs + hidden) * width;
    cpu.parallel(batches, grain_of(products / products_an_element), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t batch = begin; batch < end; ++batch) {
        C* const gates = states + batch * state;
        C* const h = gates + 2 * width;
        const RnnStep<C> s{attributes, attributes.activations.data() + d * Cell::functions, hidden, width, rt,
                           biases + width, peepholes, gates, gates + width, h, h + hidden};
        std::int64_t length = steps;
        if constexpr (present<Lens>)
          length = std::clamp<std::int64_t>(static_cast<std::int64_t>(lens.data[batch * lens.stride(0)]), 0, steps);
        std::fill_n(s.h, 2 * hidden, C{});
        if (length > 0) {
          if constexpr (present<H0>) copy_to(s.h, rnn_at(rnn_at(h0, d), batch));
          if constexpr (present<C0>) copy_to(s.c, rnn_at(rnn_at(c0, d), batch));
        }
        for (std::int64_t step = 0; step < length; ++step) {
          const std::int64_t t = backward ? length - 1 - step : step;
          const T* const input = x.data + t * x.stride(0) + batch * x.stride(1);
          std::copy_n(biases, width, gates);
          for (std::int64_t k = 0; k < inputs; ++k) {
            const C value = load(input[k * x.stride(2)]);
            const C* const row = wt + k * width;
            for (std::int64_t j = 0; j < width; ++j) gates[j] += value * row[j];
          }
          Cell::step(s);
          if constexpr (present<Y>) rnn_write(rnn_at(y, t), d, batch, s.h);
        }
        rnn_write(y_h, d, batch, s.h);
        rnn_write(y_c, d, batch, s.c);
        std::fill_n(gates, hidden, C{});
        if constexpr (present<Y>)
          for (std::int64_t t = length; t < steps; ++t) rnn_write(rnn_at(y, t), d, batch, gates);
      }
    });
  }
}

}  // namespace detail

template <class Y, class H, class T, class TW, class TR, class Bias, class Lens, class H0>
void run(kernels::Rnn, Cpu& cpu, const Y& y, const H& y_h, const RnnAttributes& attributes, const View<T>& x,
         const View<TW>& w, const View<TR>& r, const Bias& bias, const Lens& lens, const H0& initial_h) {
  detail::recur_layer<detail::RnnCell>(cpu, y, y_h, none, attributes, x, w, r, bias, lens, initial_h, none, none);
}

template <class Y, class H, class T, class TW, class TR, class Bias, class Lens, class H0>
void run(kernels::Gru, Cpu& cpu, const Y& y, const H& y_h, const RnnAttributes& attributes, const View<T>& x,
         const View<TW>& w, const View<TR>& r, const Bias& bias, const Lens& lens, const H0& initial_h) {
  detail::recur_layer<detail::GruCell>(cpu, y, y_h, none, attributes, x, w, r, bias, lens, initial_h, none, none);
}

template <class Y, class H, class Cs, class T, class TW, class TR, class Bias, class Lens, class H0, class C0, class P>
void run(kernels::Lstm, Cpu& cpu, const Y& y, const H& y_h, const Cs& y_c, const RnnAttributes& attributes,
         const View<T>& x, const View<TW>& w, const View<TR>& r, const Bias& bias, const Lens& lens,
         const H0& initial_h, const C0& initial_c, const P& p) {
  detail::recur_layer<detail::LstmCell>(cpu, y, y_h, y_c, attributes, x, w, r, bias, lens, initial_h, initial_c, p);
}

}  // namespace loam
