// From a text to the pieces a model encodes one by one: the patterns that cut, and the byte-level alphabet.
//
// A pre-tokenizer is a list of steps; each step cuts or rewrites what the one before it left. ByteLevel is the only
// step so far; Split with another pattern, Metaspace and WhitespaceSplit are further alternatives of the variant.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace loam::text {

// Hugging Face's ByteLevel: an optional leading space, GPT-2's cut, and every byte written as a printable character.
struct ByteLevel {
  bool add_prefix_space = true;  // before a text that does not begin with one
  bool use_regex = true;         // false: the whole text is one piece
};

using PreTokenizerStep = std::variant<ByteLevel>;
using PreTokenizer = std::vector<PreTokenizerStep>;

// The pieces of a text, which must be well-formed UTF-8. No piece is empty.
std::vector<std::string> pre_tokenize(const PreTokenizer& steps, std::string_view text);

// How many bytes GPT-2's pattern takes from the start of non-empty text:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// Every text is covered without a gap, so that cutting is calling this until nothing is left.
std::size_t gpt2_piece(std::string_view text);

// GPT-2's reversible alphabet, in which a byte is a character: itself where it prints, U+0100 and up where not.
const std::array<std::string, 256>& byte_alphabet();
std::optional<unsigned char> byte_of(char32_t character);

// The bytes that a token written in the alphabet stands for; none where a character of it is not in the alphabet.
std::optional<std::string> bytes_of(std::string_view token);

}  // namespace loam::text
