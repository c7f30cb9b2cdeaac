#pragma once

#include "ops/count_ngrams/count_ngrams.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

template <class T, class I>
void count_ngrams(const View<T>& out, std::int64_t shortest, std::int64_t most_skipped, const View<I>& x,
                  const View<std::int64_t>& pool, const View<std::int64_t>& grams, const View<std::int64_t>& lengths) {
  for (const Place& p : places(out.dims)) {
    double count = 0;
    for (std::int64_t l = 0; l + 1 < lengths.extent(0); ++l)
      for (std::int64_t gram = element(lengths, {l}); gram < element(lengths, {l + 1}); ++gram) {
        if (element(grams, {gram, 1}) != p.back()) continue;
        for (std::int64_t apart = 1; apart <= 1 + most_skipped; ++apart)
          for (std::int64_t start = 0; start + (shortest + l - 1) * apart < x.extent(x.rank() - 1); ++start) {
            bool stands = shortest + l > 1 || apart == 1;
            for (std::int64_t i = 0; i < shortest + l; ++i) {
              Place at = p;
              at.back() = start + i * apart;
              stands = stands && static_cast<std::int64_t>(element(x, at)) ==
                                     element(pool, {element(grams, {gram, 0}) + i});
            }
            count += stands;
          }
      }
    element(out, p) = narrow<T>(count);
  }
}

}  // namespace loam::reference
