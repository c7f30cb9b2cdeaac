// Identifiers: every name a module declares comes from one set, so no two things share one.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace loam {

// Whether a word is C++'s own: a keyword, or an alternative token.
bool is_cpp_keyword(std::string_view word);
// Whether a header that a module includes may define the word as a macro: NULL, EOF, M_PI, INT64_MAX, errno, EIO, ...
bool is_macro(std::string_view word);
// Any text as an identifier: what is not a letter, digit or single underscore becomes one underscore; never empty,
// never starting with a digit or underscore, and short enough to read.
std::string identifier(std::string_view text);
// A string literal of the text, whatever its bytes.
std::string cpp_string(std::string_view text);
// The text as part of a line's comment, without what would end the comment or carry it on.
std::string comment_text(std::string_view text);

class Identifiers {
 public:
  // Takes the name where it is free and neither keyword nor macro; false where it is taken.
  bool take(std::string name);
  // An identifier made of the text, with a number where it is taken.
  std::string mint(std::string_view text);

 private:
  std::set<std::string, std::less<>> taken_;
};

}  // namespace loam
