// How a convolution reads a weight best.
#pragma once

#include <optional>
#include <string>

#include "compiler/kernel/program.hpp"

namespace loam {

// The form (ops/conv/) that the weight of a call of conv or conv_map is packed in, its extents known; none: row-major.
std::optional<std::string> conv_form(const Program& program, const Symbols& symbols, const Call& call);

}  // namespace loam
