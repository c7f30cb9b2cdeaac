// A window moved over one to three spatial axes, as convolutions and pools have it.
#pragma once

#include <array>
#include <cstdint>

namespace loam {

// Entry i of each list is of spatial axis i; entries past `spatial` mean nothing. Output place o looks at the input
// places o * strides - pads + k * dilations, k from 0 to kernel - 1; beyond the input's ends lies padding.
struct Window {
  int spatial;
  std::array<std::int64_t, 3> kernel, strides, dilations, pads;
};

}  // namespace loam
