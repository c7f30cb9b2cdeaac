#include "compiler/read/onnxtext_cursor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <system_error>
#include <utility>

#include "compiler/read/onnxtext_words.hpp"
#include "compiler/read/wire.hpp"

namespace loam::onnxtext {
namespace {

constexpr int max_errors = 100;
constexpr std::size_t max_shown = 40;  // of a token's bytes in a message

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The text as a message may hold it, which is UTF-8 and one line.
std::string printable(std::string_view text) {
  const bool utf8 = wire::is_utf8(std::as_bytes(std::span(text)));
  std::string shown(text);
  for (char& c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !utf8)) c = '?';
  }
  return shown;
}

}  // namespace

Token Cursor::take() {
  const Token taken = ahead_;
  if (!stopped_) advance();
  return taken;
}

bool Cursor::accept(char symbol) {
  if (!at(symbol)) return false;
  advance();
  return true;
}

bool Cursor::expect(char symbol, std::string_view where) {
  if (accept(symbol)) return true;
  expected(fmt::format("'{}' {}", symbol, where));
  return false;
}

void Cursor::expect_arrow(std::string_view where) {
  const Token equals = ahead_;
  if (accept('=') && at('>') && ahead_.offset == equals.offset + 1) return advance();
  if (!stopped_) broken(equals, fmt::format("expected '=>' {}, found {}", where, described(equals)));
}

std::string_view Cursor::identifier(std::string_view what) {
  if (ahead_.kind == Token::Kind::identifier) return take().text;
  expected(what);
  return {};
}

std::string Cursor::name(std::string_view what) {
  if (ahead_.kind == Token::Kind::identifier) return std::string(take().text);
  if (ahead_.kind == Token::Kind::string) return text(what);
  expected(what);
  return {};
}

std::string Cursor::text(std::string_view what) {
  const Token token = ahead_;
  std::string text = string(what);
  if (!wire::is_utf8(std::as_bytes(std::span(text)))) broken(token, fmt::format("{} is not UTF-8", what));
  return text;
}

std::string Cursor::string(std::string_view what) {
  if (ahead_.kind == Token::Kind::string) return unquoted(take());
  expected(fmt::format("{}, a string", what));
  return {};
}

std::int64_t Cursor::integer(std::string_view what) {
  if (ahead_.kind != Token::Kind::integer) return expected(fmt::format("{}, an integer", what)), 0;
  const Token token = take();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (error != std::errc{}) wrong(token, fmt::format("{} does not fit in 64 bits", described(token)), Code::overflow);
  return value;
}

void Cursor::broken(const Token& token, std::string message, Code code) {
  wrong(token, std::move(message), code);
  stop();
}

void Cursor::expected(std::string_view what) {
  if (!stopped_) broken(ahead_, fmt::format("expected {}, found {}", what, described(ahead_)));
}

void Cursor::wrong(const Token& token, std::string message, Code code) {
  if (stopped_) return;
  ++errors_;
  diagnostics_.error(code, site(token.offset), std::move(message));
  if (errors_ >= max_errors) stop();
}

void Cursor::stop() {
  stopped_ = true;
  ahead_ = Token{Token::Kind::end, {}, text_.size()};
}

void Cursor::advance() {
  skip_blanks();
  Token::Kind kind = Token::Kind::end;
  const std::size_t start = position_;
  position_ = end_of_token(kind);
  ahead_ = Token{kind, text_.substr(start, position_ - start), start};
}

// White space, and comments: from '#' to the line's end.
void Cursor::skip_blanks() {
  while (position_ < text_.size()) {
    if (text_[position_] == '#') position_ = std::min(text_.find('\n', position_), text_.size());
    else if (is_blank(text_[position_])) ++position_;
    else return;
  }
}

std::size_t Cursor::end_of_token(Token::Kind& kind) const {
  const std::size_t at = position_;
  if (at == text_.size()) return at;
  const char first = text_[at];
  if (is_letter(first)) {
    kind = Token::Kind::identifier;
    return end_of_word(at);
  }
  if (is_digit(first)) return end_of_number(at, kind);
  kind = Token::Kind::stray;
  if (first == '-') {
    if (at + 1 < text_.size() && is_digit(text_[at + 1])) return end_of_number(at + 1, kind);
    const std::size_t end = end_of_word(at + 1);
    if (is_float_word(text_.substr(at + 1, end - at - 1))) kind = Token::Kind::real;
    return end;
  }
  if (first == '"') {
    std::size_t end = at + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) return text_.size();
    kind = Token::Kind::string;
    return end + 1;
  }
  if (std::string_view("(){}[]<>,=:.?@").find(first) != std::string_view::npos) kind = Token::Kind::symbol;
  return at + 1;
}

// Digits, and what makes them a real: "1.", "1.5", "1e5", "1.e-5". The digits of an exponent are required, and their
// absence is found where the number is read.
std::size_t Cursor::end_of_number(std::size_t at, Token::Kind& kind) const {
  const auto skip_digits = [&] {
    while (at < text_.size() && is_digit(text_[at])) ++at;
  };
  kind = Token::Kind::integer;
  skip_digits();
  if (at < text_.size() && text_[at] == '.') {
    kind = Token::Kind::real;
    ++at;
    skip_digits();
  }
  if (at < text_.size() && (text_[at] == 'e' || text_[at] == 'E')) {
    kind = Token::Kind::real;
    ++at;
    if (at < text_.size() && (text_[at] == '+' || text_[at] == '-')) ++at;
    skip_digits();
  }
  return at;
}

std::size_t Cursor::end_of_word(std::size_t at) const {
  while (at < text_.size() && (is_letter(text_[at]) || is_digit(text_[at]))) ++at;
  return at;
}

// "line:column", both from 1, the column in bytes.
std::string Cursor::site(std::size_t offset) const {
  const std::string_view before = text_.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 where there is no line before: npos + 1
  return fmt::format("{}:{}", std::ranges::count(before, '\n') + 1, offset - line_start + 1);
}

Nesting::Nesting(Cursor& cursor) : cursor_(cursor) {
  if (++cursor_.depth_ > Cursor::max_depth)
    cursor_.broken(cursor_.ahead(), fmt::format("graphs or types are nested deeper than {}", Cursor::max_depth));
}

std::string unquoted(const Token& string) {
  std::string bytes;
  if (string.text.size() < 2) return bytes;  // the end of a text whose reading has stopped
  bytes.reserve(string.text.size() - 2);
  for (std::size_t i = 1; i + 1 < string.text.size(); ++i) {
    if (string.text[i] == '\\') ++i;
    bytes += string.text[i];
  }
  return bytes;
}

std::string described(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end of the text";
  const auto byte = static_cast<unsigned char>(token.text.front());
  const bool stray = token.kind == Token::Kind::stray;
  if (stray && (byte < 0x20 || byte >= 0x7f)) return fmt::format("the byte 0x{:02x}", byte);
  std::string shown = printable(token.text.substr(0, max_shown));
  if (token.text.size() > max_shown) shown += "...";
  if (stray && byte == '"') return fmt::format("a string that nothing closes, {}", shown);
  return token.kind == Token::Kind::string ? shown : fmt::format("'{}'", shown);
}

}  // namespace loam::onnxtext
