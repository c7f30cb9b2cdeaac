#pragma once

#include <limits>

#include "ops/random/random.hpp"
#include "runtime/random.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

template <class T, class F>
void generate(Cpu& cpu, const View<T>& out, F f) {  // out[i] = f(i), rounded to T
  cpu.parallel(out.elements(), grain_elements / 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) out.data[i] = store<T>(static_cast<compute_t<T>>(f(i)));
  });
}

}  // namespace detail

template <class T>
void run(kernels::RandomUniform, Cpu& cpu, const View<T>& out, double low, double high, std::uint64_t seed) {
  detail::generate(cpu, out, [&](std::int64_t i) { return low + random::uniform(seed, i) * (high - low); });
}

template <class T>
void run(kernels::RandomNormal, Cpu& cpu, const View<T>& out, double mean, double scale, std::uint64_t seed) {
  detail::generate(cpu, out, [&](std::int64_t i) { return mean + scale * random::normal(seed, i); });
}

template <class T, class U>
void run(kernels::Bernoulli, Cpu& cpu, const View<T>& out, std::uint64_t seed, const View<U>& x) {
  detail::generate(cpu, out, [&](std::int64_t i) {
    return random::uniform(seed, i) < static_cast<double>(load(x.data[detail::offset_of(x.dims, i)]));
  });
}

template <class T, class U>
void run(kernels::Multinomial, Cpu& cpu, const View<T>& out, std::uint64_t seed, const View<U>& x) {
  const std::int64_t classes = x.extent(1), samples = out.extent(1);
  if (out.elements() == 0) return;
  detail::Scratch scratch(cpu, detail::Scratch::bytes<double>(classes));
  if (!scratch) return;
  double* const up_to = scratch.take<double>(classes);  // the weight of a class and of those before it
  for (std::int64_t row = 0; row < out.extent(0); ++row) {
    const auto at = [&](std::int64_t c) {
      return static_cast<double>(load(x.data[row * x.stride(0) + c * x.stride(1)]));
    };
    double greatest = -std::numeric_limits<double>::infinity(), total = 0;
    for (std::int64_t c = 0; c < classes; ++c) greatest = std::max(greatest, at(c));
    for (std::int64_t c = 0; c < classes; ++c) up_to[c] = total += std::exp(at(c) - greatest);
    for (std::int64_t s = 0; s < samples; ++s) {
      const std::int64_t i = row * samples + s;
      const double point = random::uniform(seed, i) * total;
      // Where the weights are not numbers nothing lies above the point, and the first class is taken.
      const std::int64_t drawn = std::upper_bound(up_to, up_to + classes, point) - up_to;
      out.data[i] = static_cast<T>(total > 0 && drawn < classes ? drawn : 0);
    }
  }
}

}  // namespace loam
