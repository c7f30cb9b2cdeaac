#include "compiler/stage0/names.hpp"

#include <cctype>

namespace loam {

bool wildcard_matches(std::string_view pattern, std::string_view text) {
  // Greedy with one point to come back to: linear but for the last *.
  std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<std::string> layout_words(std::string_view axis) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : axis) {
    if (c == '(' || c == ')' || c == ' ') {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

std::string pascal_case(std::string_view words) {
  std::string name;
  bool start = true;
  for (const char c : words) {
    if (c == '+') {
      name += "Plus";
      start = true;
    } else if (c == '*') {
      name += "Times";
      start = true;
    } else if (std::isalnum(static_cast<unsigned char>(c))) {
      name += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      start = false;
    } else {
      start = true;
    }
  }
  if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0]))) name.insert(0, "D");
  return name;
}

}  // namespace loam
