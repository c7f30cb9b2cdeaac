#pragma once

#include "ops/col2im/col2im.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

// The columns scattered into the image, one at a time.
template <class T, std::size_t N>
void col2im(const View<T>& out, const Col2Im<N>& how, const View<T>& x) {
  Dims grid;
  grid.rank = static_cast<int>(N);
  for (std::size_t a = 0; a < N; ++a)
    grid.extents[a] = (out.extent(static_cast<int>(a) + 2) + how.begins[a] + how.ends[a] -
                       how.dilations[a] * (how.block[a] - 1) - 1) / how.strides[a] + 1;
  const auto positions = places(grid), offsets = places(Dims{std::span<const std::int64_t>(how.block.data(), N)});
  for (const Place& p : places(out.dims)) element(out, p) = narrow<T>(0);
  for (std::int64_t n = 0; n < out.extent(0); ++n)
    for (std::int64_t c = 0; c < out.extent(1); ++c)
      for (std::size_t k = 0; k < offsets.size(); ++k)
        for (std::size_t l = 0; l < positions.size(); ++l) {
          Place to{n, c};
          bool inside = true;
          for (std::size_t a = 0; a < N; ++a) {
            to.push_back(positions[l][a] * how.strides[a] + offsets[k][a] * how.dilations[a] - how.begins[a]);
            inside = inside && to.back() >= 0 && to.back() < out.extent(static_cast<int>(a) + 2);
          }
          if (!inside) continue;
          const auto row = c * static_cast<std::int64_t>(offsets.size()) + static_cast<std::int64_t>(k);
          const auto v = static_cast<double>(element(x, {n, row, static_cast<std::int64_t>(l)}));
          element(out, to) = narrow<T>(static_cast<double>(element(out, to)) + v);
        }
}

}  // namespace loam::reference
