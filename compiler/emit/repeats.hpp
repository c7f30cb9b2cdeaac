// Layers alike, written once: a run of a function's statements that comes again and again, but for what it names.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/emit/identifiers.hpp"

namespace loam {

// The text of a function's body, whose statements begin at `begins`, the last of which is where they end. Where runs of
// them that follow each other differ in nothing but locals, members of `weights` and `cache`, places in memory, sites and
// the names of axes, of which `is_axis` tells, they become calls of one lambda, which is given those. `names` are those that
// the body has taken.
std::string with_repeats(const std::string& body, std::span<const std::size_t> begins, Identifiers& names,
                         const std::function<bool(std::string_view)>& is_axis);

}  // namespace loam
