#include "text/bpe.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "text/unicode.hpp"

namespace loam::text {
namespace {

constexpr std::uint64_t empty_key = ~std::uint64_t{0};  // no pair: ids are not negative
constexpr std::int32_t no_token = -1;
constexpr std::size_t cached_characters = 0x180;  // Latin-1 and the byte-level alphabet

std::uint64_t key_of(std::int32_t left, std::int32_t right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

// The merging of one word. Symbols are a linked list over an array, so that a merge moves nothing; candidates are a
// heap, so that finding the next merge does not read the word again. A candidate whose symbols have since changed is
// recognized when it is popped.
class Merging {
 public:
  Merging(const MergeTable& merges, std::span<const std::int32_t> characters) : merges_(merges) {
    symbols_.reserve(characters.size());
    for (std::size_t i = 0; i < characters.size(); ++i) symbols_.push_back({characters[i], i - 1, i + 1});
    for (std::size_t i = 0; i + 1 < symbols_.size(); ++i) propose(i);
    std::make_heap(candidates_.begin(), candidates_.end(), later);
  }

  void run() {
    while (!candidates_.empty()) {
      std::pop_heap(candidates_.begin(), candidates_.end(), later);
      const Candidate best = candidates_.back();
      candidates_.pop_back();
      if (holds(best)) apply(best);
    }
  }

  void append_to(std::vector<std::int32_t>& out) const {
    for (std::size_t i = 0; i < symbols_.size(); i = symbols_[i].next) out.push_back(symbols_[i].token);
  }

 private:
  struct Symbol {
    std::int32_t token;  // no_token once its left neighbour took it
    std::size_t previous, next;  // out of range at the ends
  };
  struct Candidate {
    MergeTable::Merge merge;
    std::size_t left;
  };

  static bool later(const Candidate& a, const Candidate& b) {
    return a.merge.rank != b.merge.rank ? a.merge.rank > b.merge.rank : a.left > b.left;
  }

  const MergeTable::Merge* merge_at(std::size_t left) const {
    if (left >= symbols_.size() || symbols_[left].token == no_token) return nullptr;
    const std::size_t right = symbols_[left].next;
    return right < symbols_.size() ? merges_.find(symbols_[left].token, symbols_[right].token) : nullptr;
  }

  bool propose(std::size_t left) {
    const auto* merge = merge_at(left);
    if (merge) candidates_.push_back({*merge, left});
    return merge != nullptr;
  }

  bool holds(const Candidate& candidate) const {
    const auto* merge = merge_at(candidate.left);
    return merge && merge->rank == candidate.merge.rank;
  }

  void apply(const Candidate& candidate) {
    Symbol& left = symbols_[candidate.left];
    Symbol& right = symbols_[left.next];
    left.token = candidate.merge.result;
    left.next = right.next;
    right.token = no_token;
    if (left.next < symbols_.size()) symbols_[left.next].previous = candidate.left;
    for (const std::size_t at : {left.previous, candidate.left}) {
      if (propose(at)) std::push_heap(candidates_.begin(), candidates_.end(), later);
    }
  }

  const MergeTable& merges_;
  std::vector<Symbol> symbols_;
  std::vector<Candidate> candidates_;
};

}  // namespace

MergeTable::MergeTable(std::size_t expected)
    : entries_(std::bit_ceil(2 * expected + 2), Entry{empty_key, {}}), shift_(64 - std::countr_zero(entries_.size())) {}

MergeTable::Entry& MergeTable::slot(std::uint64_t key) {
  // Fibonacci hashing: the high bits of a product with 2^64 over the golden ratio depend on all the bits of the key.
  std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> shift_);
  while (entries_[at].key != key && entries_[at].key != empty_key) at = (at + 1) & (entries_.size() - 1);
  return entries_[at];
}

void MergeTable::set(std::int32_t left, std::int32_t right, Merge merge) {
  slot(key_of(left, right)) = {key_of(left, right), merge};
}

const MergeTable::Merge* MergeTable::find(std::int32_t left, std::int32_t right) const {
  const Entry& entry = const_cast<MergeTable*>(this)->slot(key_of(left, right));
  return entry.key == empty_key ? nullptr : &entry.merge;
}

Result<Bpe> Bpe::make(const Vocabulary& vocabulary, std::span<const Pair> merges, BpeOptions options) {
  MergeTable table(merges.size());
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const auto [left, right] = merges[i];
    const auto fault = [&](std::string_view token) {
      return Error{"merges[" + std::to_string(i) + "]: \"" + std::string(token) + "\" is not in the vocabulary"};
    };
    // A right part carries the prefix of a continuing subword, which the merged token has only once.
    const std::string_view prefix = options.continuing_subword_prefix;
    if (!right.starts_with(prefix)) {
      return Error{"merges[" + std::to_string(i) + "]: the second part lacks the continuing_subword_prefix"};
    }
    const std::string merged = std::string(left).append(right.substr(prefix.size()));
    const auto left_id = vocabulary.id(left), right_id = vocabulary.id(right), merged_id = vocabulary.id(merged);
    if (!left_id) return fault(left);
    if (!right_id) return fault(right);
    if (!merged_id) return fault(merged);
    table.set(*left_id, *right_id, {static_cast<std::uint32_t>(i), *merged_id});
  }
  if (options.unknown && !vocabulary.id(*options.unknown)) {
    return Error{"unk_token: \"" + *options.unknown + "\" is not in the vocabulary"};
  }
  return Bpe(vocabulary, std::move(table), std::move(options));
}

Bpe::Bpe(const Vocabulary& vocabulary, MergeTable merges, BpeOptions options)
    : vocabulary_(&vocabulary), merges_(std::move(merges)), options_(std::move(options)) {
  if (options_.unknown) unknown_ = vocabulary.id(*options_.unknown);
  for (char32_t c = 0; c < cached_characters; ++c) {
    std::string text;
    append_utf8(text, c);
    characters_.push_back(vocabulary.id(text).value_or(no_token));
  }
  for (unsigned byte = 0; options_.byte_fallback && byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", byte);
    byte_tokens_.push_back(vocabulary.id(name).value_or(no_token));
  }
}

void Bpe::encode(std::string_view word, std::vector<std::int32_t>& out) const {
  if (options_.ignore_merges) {
    if (const auto whole = vocabulary_->id(word)) {
      out.push_back(*whole);
      return;
    }
  }
  std::vector<std::int32_t> characters;
  characters.reserve(word.size());
  append_characters(word, characters);
  Merging merging(merges_, characters);
  merging.run();
  merging.append_to(out);
}

void Bpe::append_characters(std::string_view word, std::vector<std::int32_t>& out) const {
  bool after_unknown = false;
  for (std::size_t at = 0; at < word.size();) {
    const CodePoint next = first_code_point(word.substr(at));
    const bool first = at == 0, last = at + next.length == word.size();
    const bool plain = (first || options_.continuing_subword_prefix.empty()) &&
                       (!last || options_.end_of_word_suffix.empty());
    if (plain && next.value < characters_.size() && characters_[next.value] != no_token) {
      out.push_back(characters_[next.value]);
      after_unknown = false;
    } else {
      append_character(word.substr(at, next.length), first, last, out, after_unknown);
    }
    at += next.length;
  }
}

void Bpe::append_character(std::string_view character, bool first, bool last, std::vector<std::int32_t>& out,
                           bool& after_unknown) const {
  std::string text;
  if (!first) text += options_.continuing_subword_prefix;
  text += character;
  if (last) text += options_.end_of_word_suffix;
  if (const auto id = vocabulary_->id(text)) {
    out.push_back(*id);
    after_unknown = false;
    return;
  }
  const auto token_of = [&](char byte) { return byte_tokens_[static_cast<unsigned char>(byte)]; };
  if (options_.byte_fallback && std::ranges::all_of(text, [&](char byte) { return token_of(byte) != no_token; })) {
    for (const char byte : text) out.push_back(token_of(byte));
    after_unknown = false;
    return;
  }
  if (!unknown_) return;
  if (!after_unknown || !options_.fuse_unknown) out.push_back(*unknown_);
  after_unknown = true;
}

}  // namespace loam::text
