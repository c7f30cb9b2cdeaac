// The tokens a text may name literally ("<|endoftext|>"): found before anything else looks at the text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loam::text {

struct AddedToken {
  std::string content;
  std::int32_t id = 0;
  bool single_word = false;  // only where no \w character touches it
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // and after it
  bool normalized = false;   // looked for in the normalized text, and its own content normalized too
  bool special = false;      // may be left out of decoded text
};

// Cuts a text at the tokens it names: leftmost first, and the longest of those that begin at one place. White space
// that a token takes is gone: a token that would begin in it is not found, where Hugging Face gives that text twice.
class TokenMatcher {
 public:
  // A part of the text: an added token, or text that holds none. Text parts are not empty.
  struct Part {
    std::optional<std::int32_t> token;
    std::string_view text;
  };

  TokenMatcher() = default;
  explicit TokenMatcher(std::vector<AddedToken> tokens);  // content as it is looked for; of equals the lowest id holds

  // Well-formed UTF-8. In the time of the text's length by the longest token's.
  std::vector<Part> split(std::string_view text) const;

 private:
  const AddedToken* longest_at(std::string_view text) const;

  std::vector<AddedToken> tokens_;    // sorted by content
  std::array<bool, 256> begins_ = {};  // the bytes that some token begins with
};

}  // namespace loam::text
