// The two directions between a token's text and its id.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace loam::text {

// No published vocabulary is near it, and a file that names a larger id is not given the memory it asks for.
inline constexpr std::int32_t max_token_id = (1 << 22) - 1;

class Vocabulary {
 public:
  Vocabulary() = default;
  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;

  // False where the text or the id is already another token's, or the id is outside [0, max_token_id].
  bool add(std::string_view text, std::int32_t id);

  std::size_t size() const { return tokens_.size(); }  // tokens; ids need not be dense
  std::int32_t id_bound() const { return static_cast<std::int32_t>(by_id_.size()); }  // every id is below

  std::optional<std::int32_t> id(std::string_view text) const;
  std::optional<std::string_view> text(std::int32_t id) const;

 private:
  std::deque<std::string> tokens_;  // a deque, since the views into it must survive its growth
  std::unordered_map<std::string_view, std::int32_t> ids_;
  std::vector<const std::string*> by_id_;
};

}  // namespace loam::text
