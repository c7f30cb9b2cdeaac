#pragma once

#include "ops/count_ngrams/count_ngrams.hpp"
#include "runtime/strided.hpp"

namespace loam {

template <class T, class I>
void run(kernels::CountNgrams, Cpu& cpu, const View<T>& out, std::int64_t shortest, std::int64_t most_skipped,
         const View<I>& x, const View<std::int64_t>& pool, const View<std::int64_t>& grams,
         const View<std::int64_t>& lengths) {
  const int last = x.rank() - 1;
  const std::int64_t places = out.extent(last), positions = x.extent(last), step = x.stride(last);
  if (out.elements() == 0) return;
  const Dims rows = detail::leading(x.dims, last);
  const auto of = [&](std::int64_t gram, std::int64_t column) {
    return grams.data[gram * grams.stride(0) + column * grams.stride(1)];
  };
  const auto first_gram = [&](std::int64_t l) { return lengths.data[l * lengths.stride(0)]; };

  cpu.parallel(rows.elements(), detail::grain_of(positions * 16), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const I* const tokens = x.data + detail::offset_of(rows, row);
      T* const counts = out.data + row * places;
      std::fill_n(counts, places, T{});
      for (std::int64_t l = 0; l + 1 < lengths.extent(0); ++l) {
        const std::int64_t length = shortest + l;
        // Whether the gram comes before the tokens from `start` on, `apart` positions apart: below 0, 0 or above.
        const auto compare = [&](std::int64_t gram, std::int64_t start, std::int64_t apart) {
          const std::int64_t at = of(gram, 0);
          for (std::int64_t i = 0; i < length; ++i) {
            const std::int64_t a = pool.data[(at + i) * pool.stride(0)];
            const auto b = static_cast<std::int64_t>(tokens[(start + i * apart) * step]);
            if (a != b) return a < b ? -1 : 1;
          }
          return 0;
        };
        for (std::int64_t apart = 1; apart <= (length == 1 ? 1 : 1 + most_skipped); ++apart) {
          if (apart > positions) break;  // the product below could overflow
          for (std::int64_t start = 0; start + (length - 1) * apart < positions; ++start) {
            std::int64_t low = first_gram(l), high = first_gram(l + 1);
            while (low < high) {
              const std::int64_t middle = low + (high - low) / 2;
              if (compare(middle, start, apart) < 0) low = middle + 1;
              else high = middle;
            }
            if (low < first_gram(l + 1) && compare(low, start, apart) == 0) counts[of(low, 1)] += T{1};
          }
        }
      }
    }
  });
}

}  // namespace loam
