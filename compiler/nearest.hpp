// What was meant by a word that is not known.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace loam {

// The known word nearest by edit distance; empty where none is within two edits.
std::string nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace loam
