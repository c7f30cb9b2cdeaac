// Which operators take strings, and strings as a kernel's arguments.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/operators/operator.hpp"

namespace loam {

// Whether an input of the operator may be strings; where none may, stage 0 refuses them.
bool takes_strings(const Operator& op, std::size_t input);

// A std::string_view, and a std::array of them.
Literal string_literal(std::string_view text);
Literal string_list(const std::vector<std::string>& texts);

}  // namespace loam
