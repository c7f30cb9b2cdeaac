// Identifiers: every name a module declares comes from one set, so no two things share one.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace loam {

// Whether a word is C++'s own: a keyword, or an alternative token.
bool is_cpp_keyword(std::string_view word);
// Any text as an identifier: what is not a letter, digit or single underscore becomes one underscore; never empty,
// never starting with a digit or underscore, and short enough to read.
std::string identifier(std::string_view text);

class Identifiers {
 public:
  // Takes the name where it is free and no keyword; false where it is taken.
  bool take(std::string name);
  // An identifier made of the text, with a number where it is taken.
  std::string mint(std::string_view text);

 private:
  std::set<std::string, std::less<>> taken_;
};

}  // namespace loam
