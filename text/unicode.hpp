// UTF-8, and the classes of code points that the pre-tokenizers' patterns name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace loam::text {

inline constexpr char32_t replacement_character = U'\uFFFD';

// \p{L}, \p{N} and \s (White_Space) of the patterns; no code point is in two of them.
enum class CharClass : std::uint8_t { other, letter, number, space };
CharClass char_class(char32_t code_point);

// \w as Unicode defines it: letters, marks, decimal and letter numbers, connectors, joiners.
bool is_word(char32_t code_point);

// The first code point of non-empty text. Ill-formed text reads as U+FFFD over its maximal subpart (Unicode 3.9, what
// Python's errors="replace" and the WHATWG decoder do), so that length is at least 1 and never past the end.
struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;
  enum : std::uint8_t { whole, ill_formed, cut_short } state = whole;  // cut_short: more bytes could have completed it
};
CodePoint first_code_point(std::string_view utf8);

// The last code point of non-empty, well-formed text.
CodePoint last_code_point(std::string_view utf8);

void append_utf8(std::string& out, char32_t code_point);

// Appends bytes to out with every ill-formed subpart replaced by U+FFFD.
void append_well_formed(std::string& out, std::string_view bytes);

bool is_well_formed(std::string_view bytes);

}  // namespace loam::text
