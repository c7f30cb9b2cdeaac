#include "text/tokenizer.hpp"

#include <algorithm>

#include "text/tokenizer_parts.hpp"
#include "text/unicode.hpp"

namespace loam::text {
namespace {

// "<0x41>" is the byte 0x41.
std::optional<char> fallback_byte(std::string_view token) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return std::nullopt;
  const std::size_t high = digits.find(token[3]), low = digits.find(token[4]);
  if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
  return static_cast<char>(high << 4 | low);
}

std::string decoded_bytes(std::string_view token, const TokenDecoding& decoding) {
  if (decoding.byte_level) return bytes_of(token).value_or(std::string(token));
  std::string text(token);
  for (const Replace& replacement : decoding.replacements) text = replaced(replacement, text);
  if (decoding.byte_fallback) {
    if (const auto byte = fallback_byte(text)) return std::string(1, *byte);
  }
  return text;
}

// The length of a character at the end of bytes that more bytes could complete, or 0.
std::size_t unfinished_end(std::string_view bytes) {
  for (std::size_t length = 1; length <= std::min<std::size_t>(3, bytes.size()); ++length) {
    const std::string_view end = bytes.substr(bytes.size() - length);
    if ((static_cast<unsigned char>(end.front()) & 0xC0) == 0x80) continue;
    const CodePoint last = first_code_point(end);
    return last.state == CodePoint::cut_short && last.length == length ? length : 0;
  }
  return 0;
}

}  // namespace

std::vector<std::int32_t> Tokenizer::encode(std::string_view utf8, SpecialTokens special) const {
  const Parts& parts = *parts_;
  std::string repaired;
  if (!is_well_formed(utf8)) {
    append_well_formed(repaired, utf8);
    utf8 = repaired;
  }
  std::vector<std::int32_t> ids;
  if (special != SpecialTokens::drop) ids = parts.special.before;
  for (const auto& [added, literal] : parts.in_text.split(utf8)) {
    if (added) {
      ids.push_back(*added);
      continue;
    }
    const std::string normalized = normalize(parts.normalizer, literal);
    for (const auto& [added_after, text] : parts.in_normalized_text.split(normalized)) {
      if (added_after) {
        ids.push_back(*added_after);
      } else {
        for (const std::string& word : pre_tokenize(parts.pre_tokenizer, text)) parts.model->encode(word, ids);
      }
    }
  }
  if (special == SpecialTokens::keep) ids.insert(ids.end(), parts.special.after.begin(), parts.special.after.end());
  return ids;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, SpecialTokens special) const {
  Decoder decoder(*this, special);
  std::string text;
  for (const std::int32_t id : ids) text += decoder.add(id);
  return text += decoder.finish();
}

std::size_t Tokenizer::vocabulary_size() const {
  return parts_->vocabulary.size() + parts_->beside.size();
}

std::int32_t Tokenizer::id_bound() const {
  return std::max(parts_->vocabulary.id_bound(), parts_->beside.id_bound());
}

std::optional<std::int32_t> Tokenizer::id(std::string_view token) const {
  const auto of_model = parts_->vocabulary.id(token);
  return of_model ? of_model : parts_->beside.id(token);
}

std::optional<std::string_view> Tokenizer::token(std::int32_t id) const {
  const auto of_model = parts_->vocabulary.text(id);
  return of_model ? of_model : parts_->beside.text(id);
}

bool Tokenizer::is_special(std::int32_t id) const {
  const auto found = parts_->added.find(id);
  return found != parts_->added.end() && found->second.special;
}

std::vector<std::int32_t> Tokenizer::special_tokens() const {
  std::vector<std::int32_t> ids;
  for (const auto& [id, token] : parts_->added) {
    if (token.special) ids.push_back(id);
  }
  std::ranges::sort(ids);
  return ids;
}

std::string Decoder::add(std::int32_t id) {
  const Tokenizer::Parts& parts = *tokenizer_.parts_;
  const TokenDecoding& decoding = parts.decoding;
  const auto token = tokenizer_.token(id);
  if (!token || (special_ == SpecialTokens::drop && tokenizer_.is_special(id))) return {};
  // An added token is the text it was found as; no alphabet applies to it.
  std::string bytes = parts.added.contains(id) ? std::string(*token) : decoded_bytes(*token, decoding);
  while (strips_ && !bytes.empty()) {
    strips_ = stripped_ < decoding.strip_count && bytes.starts_with(decoding.strip);
    if (!strips_) break;
    bytes.erase(0, decoding.strip.size());
    ++stripped_;
  }
  bytes.insert(0, held_);
  const std::size_t end = bytes.size() - unfinished_end(bytes);
  held_ = bytes.substr(end);
  std::string text;
  append_well_formed(text, std::string_view(bytes).substr(0, end));
  return text;
}

std::string Decoder::finish() {
  std::string text;
  append_well_formed(text, held_);
  held_.clear();
  stripped_ = 0;
  strips_ = true;
  return text;
}

}  // namespace loam::text
