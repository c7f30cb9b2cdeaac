// Text as kernels read it: white space, and UTF-8 by code points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace loam::detail {

inline constexpr std::string_view white_space = " \t\n\v\f\r";

inline std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(white_space);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

// The code point that text, which is not empty, begins with, and the bytes it takes: 0 where they are no UTF-8.
inline std::size_t decode_utf8(std::string_view text, char32_t& c) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  c = length == 1 ? first : first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0u) != 0x80u) return 0;
    c = c << 6 | (byte(i) & 0x3fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : length;
}

inline void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  const int tail = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr char32_t lead[] = {0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(lead[tail] | c >> (6 * tail));
  for (int i = tail; i-- > 0;) out += static_cast<char>(0x80u | (c >> (6 * i) & 0x3fu));
}

}  // namespace loam::detail
