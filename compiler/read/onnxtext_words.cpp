#include "compiler/read/onnxtext_words.hpp"

#include <algorithm>
#include <array>
#include <variant>

namespace loam::onnxtext {
namespace {

constexpr int dtypes = static_cast<int>(DType::int2) + 1;

struct KindRow {
  std::string_view word;
  AttributeKind list = AttributeKind::none;  // of a kind that is no list
};

// In the order of AttributeKind.
constexpr std::array<KindRow, 15> kinds{{
    {"", AttributeKind::none},
    {"int", AttributeKind::ints},
    {"float", AttributeKind::floats},
    {"string", AttributeKind::strings},
    {"tensor", AttributeKind::tensors},
    {"graph", AttributeKind::graphs},
    {"ints"},
    {"floats"},
    {"strings"},
    {"tensors"},
    {"graphs"},
    {"type_proto", AttributeKind::types},
    {"sparse_tensor", AttributeKind::sparse_tensors},
    {"type_protos"},
    {"sparse_tensors"},
}};
static_assert(kinds.size() == std::variant_size_v<Attribute::Value>);

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool same_but_for_case(std::string_view word, std::string_view lower) {
  return std::ranges::equal(word, lower, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

}  // namespace

std::string_view dtype_word(DType type) {
  if (type == DType::undefined) return {};
  if (type == DType::float32) return "float";
  if (type == DType::float64) return "double";
  return dtype_name(type);
}

std::optional<DType> dtype_of(std::string_view word) {
  for (int i = 1; i < dtypes; ++i)
    if (dtype_word(static_cast<DType>(i)) == word) return static_cast<DType>(i);
  return std::nullopt;
}

bool begins_type(std::string_view word) {
  return word == "seq" || word == "map" || word == "optional" || word == "sparse_tensor" || word == "opaque" ||
         dtype_of(word).has_value();
}

bool is_float_word(std::string_view word) {
  return same_but_for_case(word, "nan") || same_but_for_case(word, "inf") || same_but_for_case(word, "infinity");
}

bool is_identifier(std::string_view word) {
  return !word.empty() && is_letter(word.front()) &&
         std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c); });
}

std::string_view kind_word(AttributeKind kind) { return kinds[static_cast<std::size_t>(kind)].word; }

std::optional<AttributeKind> kind_from_word(std::string_view word) {
  const auto found = std::ranges::find(kinds, word, &KindRow::word);
  if (word.empty() || found == kinds.end()) return std::nullopt;
  return static_cast<AttributeKind>(found - kinds.begin());
}

bool is_list(AttributeKind kind) { return kind != AttributeKind::none && list_of(kind) == AttributeKind::none; }

AttributeKind list_of(AttributeKind element) { return kinds[static_cast<std::size_t>(element)].list; }

AttributeKind element_of(AttributeKind list) {
  return static_cast<AttributeKind>(std::ranges::find(kinds, list, &KindRow::list) - kinds.begin());
}

}  // namespace loam::onnxtext
