#pragma once

#include <bit>
#include <cstring>

#include "ops/bit_cast/bit_cast.hpp"
#include "ops/strided_reference.hpp"

namespace loam::reference {

template <class T, class U>
void bit_cast(const View<T>& out, const View<U>& x) {
  for (const Place& p : places(out.dims)) {
    const U from = element(x, p);
    std::memcpy(&element(out, p), &from, sizeof(T));
    if constexpr (requires { T::packed_bits; }) element(out, p) = T::of_bits(std::bit_cast<std::uint8_t>(from));
  }
}

}  // namespace loam::reference
