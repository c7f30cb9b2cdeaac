#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops/split_strings/split_strings.hpp"

namespace loam::reference {

// One string's pieces, a character at a time.
inline std::vector<std::string> split_string(std::string_view text, std::string_view delimiter, std::int64_t most) {
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  std::vector<std::string> pieces;
  if (delimiter.empty()) {
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  }
  if (text.empty()) return pieces;
  pieces.emplace_back();
  while (!text.empty()) {
    const bool splits = most < 0 || static_cast<std::int64_t>(pieces.size()) <= most;
    if (splits && delimiter.empty() && is_space(text.front())) {
      while (is_space(text.front())) text.remove_prefix(1);
      pieces.emplace_back();
    } else if (splits && !delimiter.empty() && text.starts_with(delimiter)) {
      text.remove_prefix(delimiter.size());
      pieces.emplace_back();
    } else {
      pieces.back() += text.front();
      text.remove_prefix(1);
    }
  }
  return pieces;
}

}  // namespace loam::reference
