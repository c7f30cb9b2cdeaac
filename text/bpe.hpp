// Byte-pair encoding (Sennrich et al., 2016), as Hugging Face's BPE model reads it: a word is its characters' tokens,
// and the adjacent pair of the lowest rank, leftmost first, is merged until no pair has a rank.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/result.hpp"
#include "text/vocabulary.hpp"

namespace loam::text {

struct BpeOptions {
  std::string continuing_subword_prefix = {};  // written before every character but a word's first
  std::string end_of_word_suffix = {};         // written after a word's last
  std::optional<std::string> unknown = {};     // the token of characters that have none; without it they are dropped
  bool fuse_unknown = false;                   // one unknown token for a run of them
  bool byte_fallback = false;                  // a character without a token is its bytes' tokens, <0x00> to <0xFF>
  bool ignore_merges = false;                  // a word that is a token is that token, whatever the merges would give
};

// A table of pairs of ids; open addressing, since every step of an encoding asks it.
class MergeTable {
 public:
  struct Merge {
    std::uint32_t rank = 0;
    std::int32_t result = 0;
  };

  explicit MergeTable(std::size_t expected);
  void set(std::int32_t left, std::int32_t right, Merge merge);  // the last one said holds
  const Merge* find(std::int32_t left, std::int32_t right) const;

 private:
  struct Entry {
    std::uint64_t key;
    Merge merge;
  };
  Entry& slot(std::uint64_t key);

  std::vector<Entry> entries_;  // a power of two of them, at most half of which are taken
  int shift_;
};

class Bpe {
 public:
  struct Pair {
    std::string_view left, right;
  };

  // The vocabulary must outlive the model and stay as it is. An error names the
  // merge, by its place in the list, whose parts or whose result are not tokens.
  static Result<Bpe> make(const Vocabulary& vocabulary, std::span<const Pair> merges, BpeOptions options);

  // Appends the tokens of one word of well-formed UTF-8, in time O(n log n).
  void encode(std::string_view word, std::vector<std::int32_t>& out) const;

 private:
  Bpe(const Vocabulary& vocabulary, MergeTable merges, BpeOptions options);

  void append_characters(std::string_view word, std::vector<std::int32_t>& out) const;
  void append_character(std::string_view character, bool first, bool last, std::vector<std::int32_t>& out,
                        bool& after_unknown) const;

  const Vocabulary* vocabulary_;
  MergeTable merges_;
  BpeOptions options_;
  std::optional<std::int32_t> unknown_;
  std::vector<std::int32_t> byte_tokens_;  // 256 of them, or -1, where byte_fallback is set
  std::vector<std::int32_t> characters_;   // the tokens of the first code points, or -1; the others are looked up
};

}  // namespace loam::text
