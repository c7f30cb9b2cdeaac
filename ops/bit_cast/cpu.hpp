#pragma once

#include <bit>
#include <type_traits>

#include "ops/bit_cast/bit_cast.hpp"
#include "runtime/strided.hpp"

namespace loam {

template <class T, class U>
void run(kernels::BitCast, Cpu& cpu, const View<T>& out, const View<U>& x) {
  cpu.parallel(out.elements(), detail::grain_elements, [&](std::int64_t begin, std::int64_t end) {
    detail::walk(
        begin, end,
        [&](std::int64_t, std::int64_t to, std::int64_t from) {
          if constexpr (std::is_same_v<T, bool>) out.data[to] = std::bit_cast<unsigned char>(x.data[from]) != 0;
          else if constexpr (requires { T::packed_bits; })
            out.data[to] = T::of_bits(std::bit_cast<std::uint8_t>(x.data[from]));
          else
            out.data[to] = std::bit_cast<T>(x.data[from]);
        },
        out.dims, x.dims);
  });
}

}  // namespace loam
