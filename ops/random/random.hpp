// random: tensors of random numbers (ONNX RandomUniform, RandomNormal, their Like forms, Bernoulli, Multinomial).
//
// ONNX leaves the generator open; here it is runtime/random.hpp's, so element i of the output, row-major, is a function
// of the seed and i, the same in every run and on every backend. Calls that are to differ are given different seeds.
//
//   random_uniform  out = low + u * (high - low), u in [0, 1)
//   random_normal   out = mean + scale * n
//   bernoulli       out = u < x, a probability
//   multinomial     x [batch, class] unnormalised log probabilities -> out [batch, sample], classes drawn from them
#pragma once

#include "runtime/relations.hpp"

namespace loam {

namespace kernels {
struct RandomUniform {};
struct RandomNormal {};
struct Bernoulli {};
struct Multinomial {};
}  // namespace kernels

template <class B, class T, class... Axes>
void random_uniform(B& b, const Value<B, T, Axes...>& out, double low, double high, std::uint64_t seed) {
  b.call(kernels::RandomUniform{}, out.operand(), low, high, seed);
}

template <class B, class T, class... Axes>
void random_normal(B& b, const Value<B, T, Axes...>& out, double mean, double scale, std::uint64_t seed) {
  b.call(kernels::RandomNormal{}, out.operand(), mean, scale, seed);
}

template <class B, class T, class... Axes, class U, class... AX>
  requires axes_agree<List<Axes...>, List<AX...>>
void bernoulli(B& b, const Value<B, T, Axes...>& out, std::uint64_t seed, const Value<B, U, AX...>& x) {
  b.call(kernels::Bernoulli{}, out.operand(), seed, x.operand());
}

template <class B, class T, class Batch, class Sample, class U, class BatchX, class Class>
  requires axes_agree<List<Batch>, List<BatchX>>
void multinomial(B& b, const Value<B, T, Batch, Sample>& out, std::uint64_t seed,
                 const Value<B, U, BatchX, Class>& x) {
  b.call(kernels::Multinomial{}, out.operand(), seed, x.operand());
}

}  // namespace loam
