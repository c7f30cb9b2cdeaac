// A convolution's optional bias, one element of which may stand for all channels.
#pragma once

#include <cstdint>

#include "runtime/cpu.hpp"

namespace loam {

namespace detail {

template <class S, class T>
S bias_of(const View<T>& bias, std::int64_t m) {
  return static_cast<S>(load(bias.data[bias.extent(0) == 1 ? 0 : m * bias.stride(0)]));
}
template <class S>
S bias_of(const None&, std::int64_t) { return S{0}; }

}  // namespace detail

}  // namespace loam
