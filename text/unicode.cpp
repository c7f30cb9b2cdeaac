#include "text/unicode.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace loam::text {
namespace {

// (first code point << 3) | word << 2 | class, ascending; see tools/unicode_tables.py.
constexpr std::uint32_t ranges[] = {
#include "text/unicode_tables.inc"
};

constexpr std::uint32_t search(char32_t code_point) {
  const std::uint32_t key = static_cast<std::uint32_t>(code_point) << 3 | 7;
  return *std::prev(std::upper_bound(std::begin(ranges), std::end(ranges), key)) & 7;
}

// Most text is in the first scripts, where one load answers.
constexpr auto first_scripts = [] {
  std::array<std::uint8_t, 0x600> table{};
  for (char32_t c = 0; c < table.size(); ++c) table[c] = static_cast<std::uint8_t>(search(c));
  return table;
}();

std::uint32_t properties(char32_t code_point) {
  return code_point < first_scripts.size() ? first_scripts[code_point] : search(code_point);
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// What a lead byte promises: how many bytes follow, and the range of the first of them (Unicode, table 3-7).
struct Lead {
  std::size_t following;
  unsigned char low, high;
};
constexpr Lead lead_of(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};  // no overlong form
  if (byte == 0xED) return {2, 0x80, 0x9F};  // no surrogate
  if (byte >= 0xE1 && byte <= 0xEF) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};  // no overlong form
  if (byte >= 0xF1 && byte <= 0xF3) return {3, 0x80, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};  // nothing past U+10FFFF
  return {0, 0, 0};
}

}  // namespace

CharClass char_class(char32_t code_point) { return static_cast<CharClass>(properties(code_point) & 3); }

bool is_word(char32_t code_point) { return (properties(code_point) & 4) != 0; }

CodePoint first_code_point(std::string_view utf8) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(utf8[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, CodePoint::whole};
  const Lead lead = lead_of(first);
  if (lead.following == 0) return {replacement_character, 1, CodePoint::ill_formed};
  char32_t value = first & (0x3Fu >> lead.following);
  for (std::size_t i = 1; i <= lead.following; ++i) {
    if (i == utf8.size()) return {replacement_character, i, CodePoint::cut_short};
    const unsigned char low = i == 1 ? lead.low : 0x80;
    const unsigned char high = i == 1 ? lead.high : 0xBF;
    if (byte(i) < low || byte(i) > high) return {replacement_character, i, CodePoint::ill_formed};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  return {value, lead.following + 1, CodePoint::whole};
}

CodePoint last_code_point(std::string_view utf8) {
  std::size_t at = utf8.size() - 1;
  while (at > 0 && is_continuation(utf8[at])) --at;
  return first_code_point(utf8.substr(at));
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

void append_well_formed(std::string& out, std::string_view bytes) {
  while (!bytes.empty()) {
    const CodePoint next = first_code_point(bytes);
    if (next.state == CodePoint::whole) {
      out.append(bytes.substr(0, next.length));
    } else {
      append_utf8(out, replacement_character);
    }
    bytes.remove_prefix(next.length);
  }
}

bool is_well_formed(std::string_view bytes) {
  while (!bytes.empty()) {
    const CodePoint next = first_code_point(bytes);
    if (next.state != CodePoint::whole) return false;
    bytes.remove_prefix(next.length);
  }
  return true;
}

}  // namespace loam::text
