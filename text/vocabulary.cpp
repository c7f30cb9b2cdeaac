#include "text/vocabulary.hpp"

namespace loam::text {

bool Vocabulary::add(std::string_view text, std::int32_t id) {
  if (id < 0 || id > max_token_id) return false;
  const auto index = static_cast<std::size_t>(id);
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second == id;
  if (index < by_id_.size() && by_id_[index]) return false;
  if (index >= by_id_.size()) by_id_.resize(index + 1);
  const std::string& kept = tokens_.emplace_back(text);
  ids_.emplace(kept, id);
  by_id_[index] = &kept;
  return true;
}

std::optional<std::int32_t> Vocabulary::id(std::string_view text) const {
  const auto found = ids_.find(text);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string_view> Vocabulary::text(std::int32_t id) const {
  const auto index = static_cast<std::size_t>(id);
  if (id < 0 || index >= by_id_.size() || !by_id_[index]) return std::nullopt;
  return *by_id_[index];
}

}  // namespace loam::text
