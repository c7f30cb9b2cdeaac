// The tokens of ONNX's textual format, read one after another with one to look ahead at.
//
//   if (cursor.accept('[')) {
//     do dims.push_back(cursor.integer("a dim")); while (cursor.accept(','));
//     cursor.expect(']', "after the dims");
//   }
//
// The first token that the format does not allow ends the reading everywhere: from then on the token ahead is the end of
// the text and the readers below give empty values, so a caller checks ok() once, at the end. Each element of a list has
// a token of its own, so nothing is made that the text does not pay for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/diagnostic.hpp"

namespace loam::onnxtext {

struct Token {
  // A real is a number with a point or an exponent, or a word that is a number with a minus before it ("-inf"). Stray is
  // whatever begins no token, and a string that nothing closes.
  enum class Kind : std::uint8_t { end, identifier, integer, real, string, symbol, stray };
  Kind kind = Kind::end;
  std::string_view text;  // as it is written, a string with its quotes
  std::size_t offset = 0;

  bool is(char symbol) const { return kind == Kind::symbol && text.front() == symbol; }
  bool is_name() const { return kind == Kind::identifier || kind == Kind::string; }
};

class Cursor {
 public:
  // Of graphs in graphs, and of types in types; also what inlining may come to (budget.hpp).
  static constexpr int max_depth = 100;

  Cursor(std::string_view text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) { advance(); }

  const Token& ahead() const { return ahead_; }
  bool at(char symbol) const { return ahead_.is(symbol); }
  Token take();
  bool accept(char symbol);

  // What must come next. `where` continues the message "expected ')' ...".
  bool expect(char symbol, std::string_view where);
  void expect_arrow(std::string_view where);         // "=>"
  std::string_view identifier(std::string_view what);  // "an attribute's name"
  std::string name(std::string_view what);           // an identifier or a string that is UTF-8
  std::string text(std::string_view what);           // a string that is UTF-8
  std::string string(std::string_view what);         // a string of any bytes
  std::int64_t integer(std::string_view what);

  // The token breaks the format: reported at its "line:column", and the reading ends.
  void broken(const Token& token, std::string message, Code code = Code::malformed_file);
  void expected(std::string_view what);  // and it is not what is ahead
  // The format holds and what it says is wrong. Reported, and the reading goes on to find more, but not past 100 errors.
  void wrong(const Token& token, std::string message, Code code = Code::malformed_file);

  bool ok() const { return errors_ == 0; }
  bool stopped() const { return stopped_; }

 private:
  friend class Nesting;

  void stop();
  void advance();
  void skip_blanks();
  std::size_t end_of_token(Token::Kind& kind) const;
  std::size_t end_of_number(std::size_t at, Token::Kind& kind) const;
  std::size_t end_of_word(std::size_t at) const;
  std::string site(std::size_t offset) const;

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t position_ = 0;
  Token ahead_;
  int depth_ = 0;
  int errors_ = 0;
  bool stopped_ = false;
};

// Stands while a graph or a type is read that lies in another. Deeper than Cursor::max_depth breaks the format.
class Nesting {
 public:
  explicit Nesting(Cursor& cursor);
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  ~Nesting() { --cursor_.depth_; }

 private:
  Cursor& cursor_;
};

// The bytes that a string token stands for: a backslash stands before any character as it is.
std::string unquoted(const Token& string);
// What a message calls a token: "'x'", "the end of the text".
std::string described(const Token& token);

}  // namespace loam::onnxtext
