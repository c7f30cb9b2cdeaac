// Text to token ids and back, as a Hugging Face tokenizer.json says.
//
// Read today: BPE models, byte-level (GPT-2, phi-2, RoBERTa, Whisper) and with byte fallback (Llama 2); every other
// part of a file is refused by name rather than guessed at. Padding and truncation, which shape batches, are left to
// the caller. Text is UTF-8: what is ill-formed reads as U+FFFD, one for each maximal subpart, both going in and coming
// out, whatever the model. A byte-level model could carry any byte, but then one text would mean two things by model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/result.hpp"

namespace loam::text {

// Whether special tokens count: in encoding, those the file's post_processor puts around a text ("<s>"); in decoding,
// those among the ids. A special token that the text itself names is encoded either way.
enum class SpecialTokens : std::uint8_t {
  keep,
  drop,
  lead,  // in encoding only: those before the text and not those after it, for a prompt to be continued
};

// An immutable value; copies share their tables, and any number of threads may use one.
class Tokenizer {
 public:
  static Result<Tokenizer> from_json(std::string_view tokenizer_json);

  // GPT-2's own two files, encoder.json and vocab.bpe, from before tokenizer.json.
  static Result<Tokenizer> from_gpt2(std::string_view encoder_json, std::string_view vocab_bpe);

  std::vector<std::int32_t> encode(std::string_view utf8, SpecialTokens special = SpecialTokens::keep) const;

  // An id that is no token's (models pad their vocabularies) stands for no text.
  std::string decode(std::span<const std::int32_t> ids, SpecialTokens special = SpecialTokens::keep) const;

  std::size_t vocabulary_size() const;  // tokens, added ones included
  std::int32_t id_bound() const;        // one past the largest id

  // A token's text as the file spells it: "Ġthe" where it stands for " the".
  std::optional<std::int32_t> id(std::string_view token) const;
  std::optional<std::string_view> token(std::int32_t id) const;

  bool is_special(std::int32_t id) const;
  std::vector<std::int32_t> special_tokens() const;  // ascending

 private:
  friend class Decoder;
  friend class TokenizerReader;
  struct Parts;  // tokenizer_parts.hpp

  explicit Tokenizer(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

  std::shared_ptr<const Parts> parts_;
};

// Decodes a stream of ids: what add and finish return, joined, is what decode returns for all the ids.
class Decoder {
 public:
  explicit Decoder(Tokenizer tokenizer, SpecialTokens special = SpecialTokens::keep)
      : tokenizer_(std::move(tokenizer)), special_(special) {}

  // The text that this id completes; a character whose bytes are not all here yet is held back.
  std::string add(std::int32_t id);

  // What is held back, which no id can complete any more; the decoder then stands at a new beginning.
  std::string finish();

 private:
  Tokenizer tokenizer_;
  SpecialTokens special_;
  std::string held_;             // the beginning of a character, at most three bytes
  std::size_t stripped_ = 0;     // how many leading characters the file's Strip has taken
  bool strips_ = true;           // and whether it is still at the beginning
};

}  // namespace loam::text
