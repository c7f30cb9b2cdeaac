// Tensors of strings as the commands hold them: the bytes of runtime/string_list.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tensor.hpp"

namespace loam::cli {

HostTensor make_strings(std::vector<std::int64_t> extents, std::span<const std::string> strings);

// Element `index` of a tensor of strings that holds `elements`.
std::string_view string_element(const void* data, std::size_t elements, std::size_t index);

// In quotes, what does not print escaped.
std::string quoted(std::string_view text);

}  // namespace loam::cli
