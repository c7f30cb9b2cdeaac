#include "compiler/diagnostic.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace loam {
namespace {

// A code's identifier as it is printed: the underscores are dashes.
template <std::size_t N>
struct Dashed {
  char text[N]{};
  consteval explicit Dashed(const char (&identifier)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = identifier[i] == '_' ? '-' : identifier[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

#define LOAM_CODE(name, summary, explanation) constexpr Dashed dashed_##name{#name};
#include "compiler/diagnostic_codes.inc"
#undef LOAM_CODE

constexpr CodeInfo codes[] = {
#define LOAM_CODE(name, summary, explanation) {Code::name, dashed_##name.view(), summary, explanation},
#include "compiler/diagnostic_codes.inc"
#undef LOAM_CODE
};

}  // namespace

std::span<const CodeInfo> all_codes() { return codes; }

const CodeInfo& info(Code code) { return codes[static_cast<std::size_t>(code)]; }

std::string Diagnostic::text() const {
  std::string text = site;
  if (!site.empty()) text += ": ";
  text += message;
  text += " [";
  text += info(code).name;
  text += ']';
  if (!note.empty()) {
    text += "\n  ";
    text += note;
  }
  return text;
}

void Diagnostics::rewind(std::size_t length) {
  if (length >= list_.size()) return;
  for (std::size_t i = length; i < list_.size(); ++i) errors_ -= list_[i].severity == Severity::error;
  list_.resize(length);
  std::erase_if(seen_, [&](const auto& entry) { return entry.second >= length; });
}

void Diagnostics::add(Diagnostic diagnostic) {
  const std::size_t hash = std::hash<std::string>{}(diagnostic.text());
  const auto [first, last] = seen_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Diagnostic& other = list_[it->second];
    if (other.severity == diagnostic.severity && other.text() == diagnostic.text()) return;
  }
  seen_.emplace(hash, list_.size());
  if (diagnostic.severity == Severity::error) ++errors_;
  list_.push_back(std::move(diagnostic));
}

}  // namespace loam
