// What a tokenizer is made of; for tokenizer.cpp, which runs the parts, and tokenizer_json.cpp, which reads them.
#pragma once

#include <unordered_map>

#include "text/added_tokens.hpp"
#include "text/bpe.hpp"
#include "text/normalize.hpp"
#include "text/pretokenize.hpp"
#include "text/tokenizer.hpp"
#include "text/vocabulary.hpp"

namespace loam::text {

// How tokens become text: each token on its own, then the beginning of it all.
struct TokenDecoding {
  bool byte_level = false;            // tokens are in the byte-level alphabet
  bool byte_fallback = false;         // "<0x41>" is the byte 0x41
  std::vector<Replace> replacements;  // in every token
  std::string strip;                  // a character taken from the beginning of the text,
  std::size_t strip_count = 0;        // at most so many times
};

// The ids around a text.
struct Template {
  std::vector<std::int32_t> before, after;
};

// Not movable: the model points at the vocabulary.
struct Tokenizer::Parts {
  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  Vocabulary vocabulary;  // the model's
  Vocabulary beside;      // of added tokens that the model does not have
  std::unordered_map<std::int32_t, AddedToken> added;
  TokenMatcher in_text;             // the added tokens looked for in the text as it is,
  TokenMatcher in_normalized_text;  // and those looked for after normalization
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  std::optional<Bpe> model;  // always there once read; WordPiece and Unigram will stand beside it
  Template special;
  TokenDecoding decoding;
};

}  // namespace loam::text
