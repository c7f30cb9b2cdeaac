#include "ops/rnn/cpu.hpp"
#include "ops/rnn/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;
using Doubles = std::vector<double>;
using reference::Cell;

// The tests' numbers: sin(0.7 i + phase), which a program that asks onnxruntime writes just as well.
Doubles wave(std::int64_t n, double phase) {
  Doubles v = counting(n);
  for (double& x : v) x = std::sin(x * 0.7 + phase);
  return v;
}

RnnAttributes attributes(Cell cell, RnnDirection direction) {
  const RnnActivation sigmoid{RnnFunction::Sigmoid}, tanh{RnnFunction::Tanh};
  RnnAttributes a{direction};
  if (cell == Cell::Gru) a.activations = {sigmoid, tanh, sigmoid, tanh};
  if (cell == Cell::Lstm) a.activations = {sigmoid, tanh, tanh, sigmoid, tanh, tanh};
  return a;
}

template <class T>
struct Layer {
  std::int64_t steps, batches, inputs, hidden, gates, directions;
  Layout layout = Layout::Dense;
  Laid<T, A, B, C> x = lay<T, A, B, C>({steps, batches, inputs}, wave(steps * batches * inputs, 0), layout);
  Laid<T, D, E, C> w = lay<T, D, E, C>({directions, gates * hidden, inputs},
                                       wave(directions * gates * hidden * inputs, 1), layout);
  Laid<T, D, E, F> r = lay<T, D, E, F>({directions, gates * hidden, hidden},
                                       wave(directions * gates * hidden * hidden, 2), layout);
  Laid<T, D, E> bias = lay<T, D, E>({directions, 2 * gates * hidden}, wave(directions * 2 * gates * hidden, 3), layout);
  Laid<T, D, B, F> h0 = lay<T, D, B, F>({directions, batches, hidden}, wave(directions * batches * hidden, 4), layout);
  Laid<T, D, B, F> c0 = lay<T, D, B, F>({directions, batches, hidden}, wave(directions * batches * hidden, 5), layout);
  Laid<T, D, E> p = lay<T, D, E>({directions, 3 * hidden}, wave(directions * 3 * hidden, 6), layout);
  Laid<T, A, D, B, F> y = blank<T, A, D, B, F>({steps, directions, batches, hidden});
  Laid<T, D, B, F> y_h = blank<T, D, B, F>({directions, batches, hidden});
  Laid<T, D, B, F> y_c = blank<T, D, B, F>({directions, batches, hidden});
};

template <class T>
void check(Cell cell, unsigned seed, Layout layout, double tolerance) {
  Cpu cpu;
  Random random(seed);
  const auto direction = static_cast<RnnDirection>(random.integer(0, 2));
  const std::int64_t gates = cell == Cell::Rnn ? 1 : cell == Cell::Gru ? 3 : 4;
  const Layer<T> l{random.integer(0, 4), random.integer(0, 3), random.integer(0, 4), random.integer(1, 4), gates,
                   direction == RnnDirection::Bidirectional ? 2 : 1, layout};
  const Layer<T> want{l.steps, l.batches, l.inputs, l.hidden, gates, l.directions};
  RnnAttributes a = attributes(cell, direction);
  for (auto& f : a.activations) f = {static_cast<RnnFunction>(random.integer(0, 10)), 0.6, 0.3};
  if (random.integer(0, 1)) a.clip = 0.8;
  a.linear_before_reset = random.integer(0, 1);
  a.input_forget = random.integer(0, 1);
  const auto lens = lay<std::int32_t, B>({l.batches}, random.integers(4, 0, l.steps), layout);
  if (cell == Cell::Rnn)
    rnn(cpu, l.y.value, l.y_h.value, a, l.x.value, l.w.value, l.r.value, l.bias.value, lens.value, l.h0.value);
  else if (cell == Cell::Gru)
    gru(cpu, l.y.value, l.y_h.value, a, l.x.value, l.w.value, l.r.value, l.bias.value, lens.value, l.h0.value);
  else
    lstm(cpu, l.y.value, l.y_h.value, l.y_c.value, a, l.x.value, l.w.value, l.r.value, l.bias.value, lens.value,
         l.h0.value, l.c0.value, l.p.value);
  reference::recurrent(cell, want.y.view(), want.y_h.view(), want.y_c.view(), a, l.x.view(), l.w.view(), l.r.view(),
                       l.bias.view(), lens.view(), l.h0.view(), l.c0.view(), l.p.view());
  expect_close(l.y.elements(), want.y.elements(), tolerance);
  expect_close(l.y_h.elements(), want.y_h.elements(), tolerance);
  if (cell == Cell::Lstm) expect_close(l.y_c.elements(), want.y_c.elements(), tolerance);
}

TEST(Rnn, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (const Cell cell : {Cell::Rnn, Cell::Gru, Cell::Lstm})
      for (unsigned seed = 0; seed < 25; ++seed) {
        check<float>(cell, seed, layout, 5e-5);
        check<double>(cell, seed, layout, 1e-10);
      }
}

// The values below are onnxruntime 1.30's.

TEST(Rnn, LstmKnownAnswer) {
  Cpu cpu;
  Layer<float> l{3, 2, 3, 2, 4, 2};
  RnnAttributes a = attributes(Cell::Lstm, RnnDirection::Bidirectional);
  a.clip = 0.9;
  const auto lens = lay<std::int32_t, B>({2}, {3, 1});
  lstm(cpu, l.y.value, l.y_h.value, l.y_c.value, a, l.x.value, l.w.value, l.r.value, l.bias.value, lens.value,
       l.h0.value, l.c0.value, l.p.value);
  expect_close(l.y.elements(), {0.127527, -0.0141138, 0.142626, 0.217784, -0.299673, 0.192247, -0.252921, -0.13691,
                                -0.0277471, 0.122247, 0, 0, -0.22363, -0.159018, 0, 0, 0.129955, 0.15898, 0, 0,
                                0.0274456, 0.0109575, 0, 0}, 2e-6);
  expect_close(l.y_c.elements(), {0.48419, 0.467637, 0.540584, 0.641284, -0.631546, 0.430992, -0.41534, -0.514771},
               2e-6);
}

TEST(Rnn, LstmVariantsKnownAnswers) {
  Cpu cpu;
  Layer<float> l{3, 2, 3, 2, 4, 1};
  RnnAttributes a = attributes(Cell::Lstm, RnnDirection::Forward);
  a.input_forget = true;
  lstm(cpu, none, l.y_h.value, l.y_c.value, a, l.x.value, l.w.value, l.r.value, l.bias.value, none, l.h0.value,
       l.c0.value, none);
  expect_close(l.y_h.elements(), {0.0495915, 0.164875, 0.131379, 0.0148144}, 2e-6);
  expect_close(l.y_c.elements(), {0.823667, 0.777065, 0.46707, 0.920581}, 2e-6);
  a = attributes(Cell::Lstm, RnnDirection::Reverse);
  a.activations = {RnnActivation{RnnFunction::HardSigmoid, 0.2, 0.5}, {RnnFunction::Softsign}, {RnnFunction::Relu}};
  lstm(cpu, l.y.value, none, none, a, l.x.value, l.w.value, l.r.value, l.bias.value, none, l.h0.value, l.c0.value,
       none);
  expect_close(l.y.elements(), {0.136296, 0.141272, 0, 0.123374, 0.0287569, 0, 0.137771, 0.19562, 0.139512, 0.0609978,
                                0.00705568, 0}, 2e-6);
  a = attributes(Cell::Lstm, RnnDirection::Forward);
  const auto lens = lay<std::int32_t, B>({2}, {0, 2});
  lstm(cpu, none, l.y_h.value, none, a, l.x.value, l.w.value, l.r.value, l.bias.value, lens.value, l.h0.value,
       l.c0.value, none);
  expect_close(l.y_h.elements(), {0, 0, 0.118064, 0.125433}, 2e-6);
}

TEST(Rnn, GruAndRnnKnownAnswers) {
  Cpu cpu;
  Layer<float> l{3, 2, 3, 2, 3, 2};
  RnnAttributes a = attributes(Cell::Gru, RnnDirection::Bidirectional);
  const auto lens = lay<std::int32_t, B>({2}, {2, 3});
  gru(cpu, none, l.y_h.value, a, l.x.value, l.w.value, l.r.value, l.bias.value, lens.value, l.h0.value);
  expect_close(l.y_h.elements(), {-0.514025, -0.780184, -0.527388, -0.524553, -0.501003, -0.023469, 0.0314874,
                                  0.0427171}, 2e-6);
  a.linear_before_reset = true;
  const auto other = lay<std::int32_t, B>({2}, {3, 2});
  gru(cpu, none, l.y_h.value, a, l.x.value, l.w.value, l.r.value, l.bias.value, other.value, l.h0.value);
  expect_close(l.y_h.elements(), {-0.749782, -0.574256, -0.806011, -0.37753, -0.14895, 0.0661335, 0.195625,
                                  0.0339951}, 2e-6);
  Layer<float> plain{3, 2, 3, 2, 1, 2};
  rnn(cpu, none, plain.y_h.value, attributes(Cell::Rnn, RnnDirection::Bidirectional), plain.x.value, plain.w.value,
      plain.r.value, plain.bias.value, other.value, plain.h0.value);
  expect_close(plain.y_h.elements(), {-0.597242, -0.898682, -0.361465, -0.967894, -0.313996, 0.979206, -0.569952,
                                      0.990657}, 2e-6);
}

TEST(Rnn, LayoutPutsTheBatchFirst) {
  Cpu cpu;
  Layer<float> l{3, 2, 3, 2, 3, 1};
  RnnAttributes a = attributes(Cell::Gru, RnnDirection::Forward);
  gru(cpu, l.y.value, l.y_h.value, a, l.x.value, l.w.value, l.r.value, none, none, l.h0.value);
  a.layout = 1;
  const auto y = blank<float, B, A, D, F>({2, 3, 1, 2});
  const auto y_h = blank<float, B, D, F>({2, 1, 2});
  gru(cpu, y.value, y_h.value, a, transpose<1, 0, 2>(l.x.value), l.w.value, l.r.value, none, none,
      transpose<1, 0, 2>(l.h0.value));
  for (std::int64_t t = 0; t < 3; ++t)
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t j = 0; j < 2; ++j)
        EXPECT_EQ(reference::element(y.view(), {b, t, 0, j}), reference::element(l.y.view(), {t, 0, b, j}));
}

}  // namespace
}  // namespace loam
