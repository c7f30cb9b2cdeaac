#include "compiler/read/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>
#include <version>

namespace loam {
namespace {

#ifdef __cpp_lib_to_chars

// Whether a number that no float holds is one of the large ones: the place of its first digit that is no zero, counted
// from the point and moved by the exponent, says so.
bool is_large(std::string_view text) {
  const std::size_t mantissa_end = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, mantissa_end);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == mantissa.npos) return false;
  auto place = static_cast<double>(point) - static_cast<double>(first);
  if (mantissa_end != text.size()) {
    std::string_view exponent = text.substr(mantissa_end + 1);
    const bool negative = exponent.starts_with('-');
    if (negative || exponent.starts_with('+')) exponent.remove_prefix(1);
    double magnitude = 0;
    for (const char digit : exponent) magnitude = magnitude * 10 + (digit - '0');
    place += negative ? -magnitude : magnitude;
  }
  return place > 0;
}

template <class Float>
std::optional<Float> nearest(std::string_view text) {
  Float value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return is_large(text) ? std::nullopt : std::optional<Float>(Float{0});
  return error == std::errc{} ? std::optional<Float>(value) : std::nullopt;
}

#else  // libc++ 19, which WebAssembly is built with: there no locale but "C" can be set

template <class Float>
std::optional<Float> nearest(std::string_view text) {
  const std::string terminated(text);
  char* end = nullptr;
  Float value{};
  if constexpr (std::is_same_v<Float, float>) value = std::strtof(terminated.c_str(), &end);
  if constexpr (std::is_same_v<Float, double>) value = std::strtod(terminated.c_str(), &end);
  if (end != terminated.c_str() + terminated.size() || std::isinf(value)) return std::nullopt;
  return value;
}

#endif

template <class Float>
std::optional<Float> word(std::string_view text) {
  std::string lower(text.substr(0, 16));
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (lower == "nan") return std::numeric_limits<Float>::quiet_NaN();
  if (lower == "inf" || lower == "infinity") return std::numeric_limits<Float>::infinity();
  return std::nullopt;
}

}  // namespace

template <class Float>
std::optional<Float> parse_decimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  const bool is_number = text.front() >= '0' && text.front() <= '9';
  const std::optional<Float> value = is_number ? nearest<Float>(text) : word<Float>(text);
  return value && negative ? std::optional<Float>(-*value) : value;
}

template std::optional<float> parse_decimal<float>(std::string_view);
template std::optional<double> parse_decimal<double>(std::string_view);

}  // namespace loam
