#include "text/added_tokens.hpp"

#include <algorithm>
#include <tuple>

#include "text/unicode.hpp"

namespace loam::text {
namespace {

bool is_space(const CodePoint& c) { return char_class(c.value) == CharClass::space; }

bool touches_word(std::string_view before, std::string_view after) {
  return (!before.empty() && is_word(last_code_point(before).value)) ||
         (!after.empty() && is_word(first_code_point(after).value));
}

std::size_t space_at_start(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const CodePoint next = first_code_point(text.substr(length));
    if (!is_space(next)) break;
    length += next.length;
  }
  return length;
}

std::size_t space_at_end(std::string_view text) {
  const std::size_t size = text.size();
  while (!text.empty()) {
    const CodePoint last = last_code_point(text);
    if (!is_space(last)) break;
    text.remove_suffix(last.length);
  }
  return size - text.size();
}

}  // namespace

TokenMatcher::TokenMatcher(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::erase_if(tokens_, [](const AddedToken& token) { return token.content.empty(); });
  std::ranges::sort(tokens_, {}, [](const AddedToken& token) { return std::tie(token.content, token.id); });
  const auto repeated = std::ranges::unique(tokens_, {}, &AddedToken::content);
  tokens_.erase(repeated.begin(), repeated.end());
  for (const AddedToken& token : tokens_) begins_[static_cast<unsigned char>(token.content.front())] = true;
}

// The tokens that begin as the text does are a range of the sorted list; each byte of the text narrows it.
const AddedToken* TokenMatcher::longest_at(std::string_view text) const {
  const AddedToken* longest = nullptr;
  auto candidates = std::ranges::subrange(tokens_.begin(), tokens_.end());
  for (std::size_t depth = 0; !candidates.empty(); ++depth) {
    const auto byte_at_depth = [depth](const AddedToken& token) {
      return depth < token.content.size() ? static_cast<unsigned char>(token.content[depth]) : -1;
    };
    if (byte_at_depth(candidates.front()) < 0) longest = &candidates.front();
    if (depth == text.size()) break;
    candidates = std::ranges::equal_range(candidates, static_cast<unsigned char>(text[depth]), {}, byte_at_depth);
  }
  return longest;
}

std::vector<TokenMatcher::Part> TokenMatcher::split(std::string_view text) const {
  std::vector<Part> parts;
  std::size_t done = 0;  // everything before it is in a part
  const auto add_text = [&](std::size_t end) {
    if (done < end) parts.push_back({std::nullopt, text.substr(done, end - done)});
  };
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = begins_[static_cast<unsigned char>(text[at])];
    const AddedToken* token = begins ? longest_at(text.substr(at)) : nullptr;
    if (!token) {
      ++at;
      continue;
    }
    std::size_t begin = at, end = at + token->content.size();
    if (token->single_word && touches_word(text.substr(0, begin), text.substr(end))) {
      at = end;
      continue;
    }
    if (token->lstrip) begin -= space_at_end(text.substr(done, begin - done));
    if (token->rstrip) end += space_at_start(text.substr(end));
    add_text(begin);
    parts.push_back({token->id, text.substr(begin, end - begin)});
    at = done = end;
  }
  add_text(text.size());
  return parts;
}

}  // namespace loam::text
