#include "text/unicode.hpp"

#include <gtest/gtest.h>

namespace loam::text {
namespace {

std::string well_formed(std::string_view bytes) {
  std::string text;
  append_well_formed(text, bytes);
  return text;
}

TEST(Unicode, ClassesOfCodePoints) {
  for (const char32_t c : std::u32string_view(U"aZéßДא日한ªʰ\U0001D518\U00020000")) {
    EXPECT_EQ(char_class(c), CharClass::letter) << std::hex << static_cast<std::uint32_t>(c);
  }
  for (const char32_t c : std::u32string_view(U"09½²Ⅷ٣〇")) {
    EXPECT_EQ(char_class(c), CharClass::number) << std::hex << static_cast<std::uint32_t>(c);
  }
  for (const char32_t c :
       std::u32string_view(U" \t\n\v\f\r\u0085\u00A0\u1680\u2000\u200A\u2028\u2029\u202F\u205F\u3000")) {
    EXPECT_EQ(char_class(c), CharClass::space) << std::hex << static_cast<std::uint32_t>(c);
  }
  for (const char32_t c : {U'\0', U'_', U'\u0301', U'\u200B', U'\u180E', U'\uFEFF', U'🙂', U'\U0010FFFF', U'ⓐ'}) {
    EXPECT_EQ(char_class(c), CharClass::other) << std::hex << static_cast<std::uint32_t>(c);
  }
  // Assigned in Unicode 16, the version of the oracle's table.
  EXPECT_EQ(char_class(U'\u1C89'), CharClass::letter);
}

TEST(Unicode, WordCharacters) {
  for (const char32_t c : std::u32string_view(U"aé日0٣Ⅷ_‿\u0301\u200Dⓐ")) {
    EXPECT_TRUE(is_word(c)) << std::hex << static_cast<std::uint32_t>(c);
  }
  for (const char32_t c : std::u32string_view(U" -½²🙂\u200B")) {
    EXPECT_FALSE(is_word(c)) << std::hex << static_cast<std::uint32_t>(c);
  }
}

TEST(Unicode, EveryCodePointSurvivesUtf8) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c == 0xD800) c = 0xE000;
    std::string text;
    append_utf8(text, c);
    const CodePoint first = first_code_point(text);
    const bool survives = first.value == c && first.length == text.size() && first.state == CodePoint::whole;
    ASSERT_TRUE(survives) << static_cast<std::uint32_t>(c);
    ASSERT_TRUE(last_code_point("a" + text).value == c);
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
      const CodePoint part = first_code_point(std::string_view(text).substr(0, cut));
      ASSERT_TRUE(part.state == CodePoint::cut_short && part.length == cut) << static_cast<std::uint32_t>(c);
    }
  }
}

TEST(Unicode, IllFormedTextBecomesReplacementCharactersByMaximalSubpart) {
  const std::string r = "\uFFFD";
  EXPECT_EQ(well_formed("a\x80z"), "a" + r + "z");
  EXPECT_EQ(well_formed("\xC0\x80"), r + r);                  // overlong
  EXPECT_EQ(well_formed("\xE0\x80\x80"), r + r + r);          // overlong
  EXPECT_EQ(well_formed("\xED\xA0\x80"), r + r + r);          // a surrogate
  EXPECT_EQ(well_formed("\xF4\x90\x80\x80"), r + r + r + r);  // past U+10FFFF
  EXPECT_EQ(well_formed("\xF0\x9F\x99" "a"), r + "a");
  EXPECT_EQ(well_formed("\xE6\x97"), r);
  EXPECT_EQ(well_formed("\xE6\x97\xE6\x97\xA5"), r + "日");
  EXPECT_TRUE(is_well_formed("日本語 🙂"));
  EXPECT_FALSE(is_well_formed("日\xE6"));
}

}  // namespace
}  // namespace loam::text
