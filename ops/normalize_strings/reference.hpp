#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ops/normalize_strings/normalize_strings.hpp"

namespace loam::reference {

// Of words in ASCII.
inline std::string in_case(std::string_view word, CaseChange change) {
  std::string out(word);
  for (char& c : out) {
    if (change == CaseChange::lower && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (change == CaseChange::upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

inline std::vector<std::string> normalize_strings(CaseChange change, bool sensitive,
                                                  const std::vector<std::string_view>& dropped,
                                                  const std::vector<std::string_view>& words) {
  const CaseChange compared = sensitive ? CaseChange::none : CaseChange::lower;
  std::vector<std::string> out;
  for (const std::string_view word : words) {
    bool listed = false;
    for (const std::string_view d : dropped) listed = listed || in_case(d, compared) == in_case(word, compared);
    if (!listed) out.push_back(in_case(word, change));
  }
  if (out.empty()) out.emplace_back();
  return out;
}

}  // namespace loam::reference
