#include "text/pretokenize.hpp"

#include "text/unicode.hpp"

namespace loam::text {
namespace {

constexpr bool prints(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// The characters of the alphabet, by byte: those that print stand for themselves, the others follow U+0100 in order.
constexpr auto alphabet_characters = [] {
  std::array<char32_t, 256> characters{};
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) characters[byte] = prints(byte) ? byte : next++;
  return characters;
}();

constexpr std::size_t alphabet_end = 0x144;  // 68 bytes do not print

constexpr auto alphabet_bytes = [] {
  std::array<std::int16_t, alphabet_end> bytes{};
  for (auto& byte : bytes) byte = -1;
  for (std::size_t byte = 0; byte < 256; ++byte) bytes[alphabet_characters[byte]] = static_cast<std::int16_t>(byte);
  return bytes;
}();

// The bytes at the start of text whose characters are all of one class.
std::size_t run_of(CharClass kind, std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const CodePoint next = first_code_point(text.substr(end));
    if (char_class(next.value) != kind) break;
    end += next.length;
  }
  return end;
}

// 's|'t|'re|'ve|'m|'ll|'d, in lower case only, as the pattern has it.
std::size_t contraction(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(ending)) return ending.size();
  }
  return 0;
}

// \s+(?!\S)|\s+: a run of white space leaves its last character to what follows, unless that is all there is.
std::size_t white_space(std::string_view text) {
  const std::size_t run = run_of(CharClass::space, text);
  if (run == text.size()) return run;
  const std::size_t last = last_code_point(text.substr(0, run)).length;
  return run == last ? run : run - last;
}

void byte_level(const ByteLevel& step, std::string_view text, std::vector<std::string>& out) {
  if (text.empty()) return;
  std::string prefixed;
  if (step.add_prefix_space && text.front() != ' ') text = prefixed.append(" ").append(text);
  while (!text.empty()) {
    const std::size_t length = step.use_regex ? gpt2_piece(text) : text.size();
    std::string& piece = out.emplace_back();
    for (const char byte : text.substr(0, length)) piece += byte_alphabet()[static_cast<unsigned char>(byte)];
    text.remove_prefix(length);
  }
}

}  // namespace

std::size_t gpt2_piece(std::string_view text) {
  if (const std::size_t length = contraction(text)) return length;
  const std::size_t space = text.size() > 1 && text.front() == ' ' ? 1 : 0;
  const std::string_view body = text.substr(space);
  const CharClass kind = char_class(first_code_point(body).value);
  return kind == CharClass::space ? white_space(text) : space + run_of(kind, body);
}

std::vector<std::string> pre_tokenize(const PreTokenizer& steps, std::string_view text) {
  std::vector<std::string> pieces;
  if (!text.empty()) pieces.emplace_back(text);
  for (const PreTokenizerStep& step : steps) {
    std::vector<std::string> cut;
    for (const std::string& piece : pieces) {
      std::visit([&](const ByteLevel& byte_level_step) { byte_level(byte_level_step, piece, cut); }, step);
    }
    pieces = std::move(cut);
  }
  return pieces;
}

const std::array<std::string, 256>& byte_alphabet() {
  static const auto alphabet = [] {
    std::array<std::string, 256> texts;
    for (std::size_t byte = 0; byte < texts.size(); ++byte) append_utf8(texts[byte], alphabet_characters[byte]);
    return texts;
  }();
  return alphabet;
}

std::optional<unsigned char> byte_of(char32_t character) {
  if (character >= alphabet_end || alphabet_bytes[character] < 0) return std::nullopt;
  return static_cast<unsigned char>(alphabet_bytes[character]);
}

std::optional<std::string> bytes_of(std::string_view token) {
  std::string bytes;
  while (!token.empty()) {
    const CodePoint next = first_code_point(token);
    const auto byte = byte_of(next.value);
    if (!byte || next.state != CodePoint::whole) return std::nullopt;
    bytes.push_back(static_cast<char>(*byte));
    token.remove_prefix(next.length);
  }
  return bytes;
}

}  // namespace loam::text
