#pragma once

#include "ops/linear_attention/linear_attention.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

// As ONNX's text states it, one position at a time, in double. Absent operands are null.
template <class T, class TS>
void linear_attention(const View<T>& out, const View<TS>& state, double scale, bool delta, const View<T>& q,
                      const View<T>& k, const View<T>& v, const View<TS>* past, const View<T>* decay,
                      const View<T>* beta) {
  const std::int64_t keys = q.extent(3), width = v.extent(3), group = q.extent(2) / k.extent(2);
  const auto of = [](const auto& x, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return static_cast<double>(element(x, Place{a, b, c, x.extent(3) == 1 ? 0 : d}));
  };
  for (std::int64_t b = 0; b < q.extent(0); ++b)
    for (std::int64_t h = 0; h < k.extent(2); ++h) {
      std::vector<std::vector<double>> s(static_cast<std::size_t>(keys),
                                         std::vector<double>(static_cast<std::size_t>(width)));
      const auto at = [&](std::int64_t d, std::int64_t e) -> double& {
        return s[static_cast<std::size_t>(d)][static_cast<std::size_t>(e)];
      };
      for (std::int64_t d = 0; d < keys; ++d)
        for (std::int64_t e = 0; e < width; ++e) at(d, e) = past ? of(*past, b, h, d, e) : 0;
      for (std::int64_t t = 0; t < q.extent(1); ++t) {
        for (std::int64_t d = 0; d < keys; ++d)
          for (std::int64_t e = 0; e < width; ++e) at(d, e) *= decay ? std::exp(of(*decay, b, t, h, d)) : 1;
        std::vector<double> value;
        for (std::int64_t e = 0; e < width; ++e) {
          double retrieved = 0;
          for (std::int64_t d = 0; d < keys; ++d) retrieved += at(d, e) * of(k, b, t, h, d);
          const double rate = beta ? static_cast<double>(element(*beta, Place{b, t, beta->extent(2) == 1 ? 0 : h})) : 1;
          value.push_back(delta ? rate * (of(v, b, t, h, e) - retrieved) : of(v, b, t, h, e));
        }
        for (std::int64_t d = 0; d < keys; ++d)
          for (std::int64_t e = 0; e < width; ++e) at(d, e) += of(k, b, t, h, d) * value[static_cast<std::size_t>(e)];
        for (std::int64_t g = h * group; g < (h + 1) * group; ++g)
          for (std::int64_t e = 0; e < width; ++e) {
            double sum = 0;
            for (std::int64_t d = 0; d < keys; ++d) sum += of(q, b, t, g, d) * at(d, e);
            element(out, Place{b, t, g, e}) = narrow<T>(scale * sum);
          }
      }
      for (std::int64_t d = 0; d < keys; ++d)
        for (std::int64_t e = 0; e < width; ++e) element(state, Place{b, h, d, e}) = narrow<TS>(at(d, e));
    }
}

}  // namespace loam::reference
