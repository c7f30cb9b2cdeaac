#pragma once

#include "ops/col2im/col2im.hpp"
#include "runtime/strided.hpp"

namespace loam {

// Each element of the image gathers the places of the columns that fall on it, so elements are apart.
template <class T, std::size_t N>
void run(kernels::Col2Im, Cpu& cpu, const View<T>& out, const Col2Im<N>& how, const View<T>& x) {
  if (out.elements() == 0) return;
  const Dims block{std::span<const std::int64_t>(how.block.data(), N)};
  Dims positions = block;
  for (std::size_t a = 0; a < N; ++a) {
    const std::int64_t image = out.extent(static_cast<int>(a) + 2) + how.begins[a] + how.ends[a];
    const std::int64_t room = image - how.dilations[a] * (how.block[a] - 1) - 1;
    positions.extents[a] = room < 0 ? 0 : room / how.strides[a] + 1;
  }
  positions.make_dense();
  const std::int64_t places = block.elements(), channels = out.extent(1);
  if (positions.elements() > x.extent(2) || channels * places > x.extent(1)) {
    detail::fill_elements(out, store<T>(compute_t<T>{}));
    return cpu.fail(Site{"Col2Im"}, "there are fewer columns than the image's shape needs");
  }
  const Dims image = detail::without(out.dims, 0, 2);
  const std::int64_t size = image.elements();
  cpu.parallel(out.elements(), detail::grain_of(places), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t n = i / (size * channels), c = i / size % channels;
      const T* const columns = x.data + n * x.stride(0) + c * places * x.stride(1);
      compute_t<T> sum{};
      for (std::int64_t k = 0; k < places; ++k) {
        std::int64_t position = 0, rest = i % size, k_rest = k;
        bool falls = true;
        for (int axis = static_cast<int>(N); axis-- > 0 && falls;) {
          const auto a = detail::at(axis);
          const std::int64_t from =
              rest % image.extent(axis) + how.begins[a] - k_rest % block.extent(axis) * how.dilations[a];
          rest /= image.extent(axis);
          k_rest /= block.extent(axis);
          falls = from >= 0 && from % how.strides[a] == 0 && from / how.strides[a] < positions.extent(axis);
          position += from / how.strides[a] * positions.stride(axis);
        }
        if (falls) sum = static_cast<compute_t<T>>(sum + load(columns[k * x.stride(1) + position * x.stride(2)]));
      }
      out.data[i] = store<T>(sum);
    }
  });
}

}  // namespace loam
