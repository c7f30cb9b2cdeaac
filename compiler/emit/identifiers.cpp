#include "compiler/emit/identifiers.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace loam {

bool is_cpp_keyword(std::string_view word) {
  static constexpr auto words = std::to_array<std::string_view>({
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
      "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
      "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
      "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
      "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
      "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed",
      "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw",
      "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
      "wchar_t", "while", "xor", "xor_eq"});
  return std::ranges::binary_search(words, word);
}

std::string identifier(std::string_view text) {
  constexpr std::size_t longest = 72;
  std::string name;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty()) name = "x";
  if (std::isdigit(static_cast<unsigned char>(name[0]))) name.insert(0, "x");
  // The end of a long name tells its node apart; the start, its place in the model.
  if (name.size() > longest) name = name.substr(0, 24) + "_" + name.substr(name.size() - (longest - 25));
  return name;
}

bool Identifiers::take(std::string name) {
  if (is_cpp_keyword(name)) return false;
  return taken_.insert(std::move(name)).second;
}

std::string Identifiers::mint(std::string_view text) {
  const std::string base = identifier(text);
  std::string name = base;
  for (int n = 2; !take(name); ++n) name = base + "_" + std::to_string(n);
  return name;
}

}  // namespace loam
