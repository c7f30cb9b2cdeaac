#pragma once

#include <cmath>

#include "ops/couple_pairs/couple_pairs.hpp"
#include "runtime/strided.hpp"

namespace loam {

template <class T>
void run(kernels::CouplePairs, Cpu& cpu, const View<T>& out, const View<T>& x) {
  using C = compute_t<T>;
  const std::int64_t rows = out.extent(0), classes = out.extent(1);
  detail::Scratch scratch(cpu, 3 * detail::Scratch::bytes<C>(out.elements()));
  if (out.elements() == 0 || !scratch) return;
  C* const all_p = scratch.take<C>(out.elements());
  C* const all_diagonals = scratch.take<C>(out.elements());
  C* const all_products = scratch.take<C>(out.elements());

  cpu.parallel(rows, detail::grain_of(classes * classes * 16), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      C* const p = all_p + row * classes;
      C* const diagonal = all_diagonals + row * classes;  // of the form's matrix Q
      C* const product = all_products + row * classes;    // Q p
      const auto r = [&](std::int64_t i, std::int64_t j) {
        const std::int64_t a = std::min(i, j), b = std::max(i, j), pair = a * (2 * classes - a - 1) / 2 + b - a - 1;
        const C first = load(x.data[row * x.stride(0) + pair * x.stride(1)]);
        return i < j ? first : C{1} - first;
      };
      const auto q = [&](std::int64_t i, std::int64_t j) { return i == j ? diagonal[i] : -r(j, i) * r(i, j); };
      for (std::int64_t i = 0; i < classes; ++i) {
        p[i] = C{1} / static_cast<C>(classes);
        diagonal[i] = 0;
        for (std::int64_t j = 0; j < classes; ++j)
          if (j != i) diagonal[i] += r(j, i) * r(j, i);
      }
      const C enough = static_cast<C>(0.005) / static_cast<C>(classes);
      for (std::int64_t round = 0; round < std::max<std::int64_t>(100, classes); ++round) {
        C form = 0, apart = 0;  // p Q p, and how far Q p is from it, which it equals everywhere at the least place
        for (std::int64_t i = 0; i < classes; ++i) {
          product[i] = 0;
          for (std::int64_t j = 0; j < classes; ++j) product[i] += q(i, j) * p[j];
          form += p[i] * product[i];
        }
        for (std::int64_t i = 0; i < classes; ++i) apart = std::max(apart, std::abs(product[i] - form));
        if (apart < enough) break;
        for (std::int64_t i = 0; i < classes; ++i) {
          const C step = (form - product[i]) / diagonal[i], whole = C{1} + step;
          p[i] += step;
          form = (form + step * (step * diagonal[i] + C{2} * product[i])) / whole / whole;
          for (std::int64_t j = 0; j < classes; ++j) {
            product[j] = (product[j] + step * q(i, j)) / whole;
            p[j] /= whole;
          }
        }
      }
      for (std::int64_t i = 0; i < classes; ++i) out.data[row * classes + i] = store<T>(p[i]);
    }
  });
}

}  // namespace loam
