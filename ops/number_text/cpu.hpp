#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <string>
#include <system_error>
#include <vector>

#include "ops/number_text/number_text.hpp"
#include "runtime/convert.hpp"
#include "runtime/strided.hpp"
#include "runtime/text.hpp"

namespace loam {

namespace detail {

template <class T>
std::string number_text(T x) {
  std::array<char, 40> text;
  std::to_chars_result end{};
  if constexpr (std::floating_point<T>) {
    if (std::isnan(x)) return "NaN";
    if (std::isinf(x)) return x < 0 ? "-INF" : "INF";
    end = std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::general, 8);
  } else if constexpr (std::same_as<T, bool>) {
    return x ? "1" : "0";
  } else {
    end = std::to_chars(text.data(), text.data() + text.size(), x);
  }
  return std::string(text.data(), end.ptr);
}

enum class Parsed : std::uint8_t { whole, no_number, out_of_range };

// All of the text as a T, in from_chars's own form.
template <class T>
Parsed parse_whole(std::string_view text, T& x) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error == std::errc::result_out_of_range) return Parsed::out_of_range;
  return error == std::errc() && end == text.data() + text.size() ? Parsed::whole : Parsed::no_number;
}

template <class T>
Parsed parse_number(std::string_view text, T& x) {
  text = trimmed(text);
  if (text.empty()) return Parsed::no_number;
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return Parsed::no_number;
  }
  if constexpr (std::same_as<T, std::uint64_t>)
    if (std::int64_t negative = 0; text.starts_with('-')) {
      const Parsed parsed = parse_number(text, negative);
      if (parsed == Parsed::whole) x = static_cast<std::uint64_t>(negative);
      return parsed;
    }
  const Parsed parsed = parse_whole(text, x);
  if constexpr (std::integral<T>) {
    if (double d = 0; parsed != Parsed::whole && parse_whole(text, d) == Parsed::whole) {
      const bool fits = std::same_as<T, std::uint64_t> ? d > -1 && d < 0x1p64 : d >= -0x1p63 && d < 0x1p63;
      if (!fits) return Parsed::out_of_range;
      x = convert<T>(d);
      return Parsed::whole;
    }
  }
  return parsed;
}

}  // namespace detail

template <class T>
void run(kernels::FormatNumbers, Cpu& cpu, const View<std::string_view>& out, const View<T>& x) {
  auto& made = cpu.keep(std::vector<std::string>(detail::at(out.elements())));
  detail::walk(
      [&](std::int64_t i, std::int64_t from) {
        out.data[i] = made[detail::at(i)] = detail::number_text(load(x.data[from]));
      },
      x.dims);
}

template <class T>
void run(kernels::ParseNumbers, Cpu& cpu, const Site& site, const View<T>& out, const View<std::string_view>& x) {
  detail::walk(
      [&](std::int64_t i, std::int64_t from) {
        T value{};
        const detail::Parsed parsed = detail::parse_number(x.data[from], value);
        if (parsed != detail::Parsed::whole) {
          value = T{};
          cpu.fail(site, "element " + detail::place_text(x.dims, i) + " is \"" + std::string(x.data[from].substr(0, 64)) + "\", which " +
                             (parsed == detail::Parsed::no_number ? "is no number" : "the type it is cast to does not hold"));
        }
        out.data[i] = value;
      },
      x.dims);
}

}  // namespace loam
