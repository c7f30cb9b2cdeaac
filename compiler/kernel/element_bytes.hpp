// What an element takes in a module's memory, where it is one to a byte at least.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compiler/graph/dtype.hpp"

namespace loam {

// A string's element is a view of its text: a pointer and a length.
inline std::int64_t element_bytes(DType type) { return type == DType::string ? 16 : std::max(1, dtype_bits(type) / 8); }

}  // namespace loam
